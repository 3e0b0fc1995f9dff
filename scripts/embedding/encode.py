"""Encodes the selected texts and every piece of the vocabulary with the teacher.

    python3 encode.py DATA WHEEL

Reads `DATA/pairs.tsv`; writes `chosen.tsv`, `vocabulary.txt`, `left.npy`, `right.npy`, `pieces.npy`. About 20 minutes
on two cores.
"""

import hashlib
import pathlib
import sys

import numpy

from student import more_words
from teacher import Teacher

# Pairs of each kind: documents have the language of developers, WordNet everyday language.
SHARES = {"doc": 62000, "section": 20000, "next": 48000, "word": 26000, "example": 9000}


def main():
    data, wheel = pathlib.Path(sys.argv[1]), sys.argv[2]
    teacher = Teacher(data, wheel)
    rows = [line.split("\t") for line in (data / "pairs.tsv").read_text().splitlines() if line.count("\t") == 2]
    chosen = []
    for kind, most in SHARES.items():
        own = [row for row in rows if row[0] == kind]
        own.sort(key=lambda row: hashlib.sha256("\t".join(row).encode()).digest())
        chosen += own[:most]
    chosen.sort(key=lambda row: hashlib.sha256(("order" + "\t".join(row)).encode()).digest())
    (data / "chosen.tsv").write_text("".join("\t".join(row) + "\n" for row in chosen))

    technical = [text for row in rows if row[0] in ("doc", "section", "next") for text in row[1:]]
    vocabulary = teacher.vocabulary + more_words(teacher.vocabulary, technical)
    (data / "vocabulary.txt").write_text("\n".join(vocabulary) + "\n")
    pieces = [word.removeprefix("##") for word in vocabulary]
    save(data / "pieces.npy", teacher.embed(pieces, batch=256, report=60))
    save(data / "left.npy", teacher.embed([row[1] for row in chosen], report=60))
    save(data / "right.npy", teacher.embed([row[2] for row in chosen], report=60))


def save(path, vectors):
    numpy.save(path, vectors.astype(numpy.float16))
    print(f"{path.name}: {vectors.shape}", flush=True)


if __name__ == "__main__":
    main()
