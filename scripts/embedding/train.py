"""Trains the static model and writes it: one row of eight-bit numbers for each piece of the vocabulary.

    python3 train.py DATA MODEL [--epochs N]

A text's vector is the sum of its pieces' rows, so a row learns a direction and, by its length, a weight. It starts as
what the teacher says about the piece alone, and learns from three things at once: to point where the teacher points,
to have among a batch's texts the same neighbours as the teacher (half of each batch is of one topic, where that is
hard), and to find the other text of a pair. Prints how well it does on pairs it has not seen, and the file's checksum.
"""

import argparse
import hashlib
import pathlib
import time

import numpy
import scipy.sparse

from model_file import write_model
from student import bags, tokenizer

SEED, DIMENSIONS = 8, 256
HELD_OUT = 4000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--rate", type=float, default=0.02)
    parser.add_argument("--point", type=float, default=1.0)
    parser.add_argument("--neighbours", type=float, default=1.0)
    parser.add_argument("--pairs", type=float, default=0.15)
    parser.add_argument("--drop", type=float, default=0.2)
    parser.add_argument("--warmth", type=float, default=0.07)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--only", type=int, default=10**9, help="so many pairs, to try something quickly")
    options = parser.parse_args()
    began = time.time()
    chance = numpy.random.default_rng(SEED)

    data = options.data
    vocabulary = (data / "vocabulary.txt").read_text().splitlines()
    rows = [line.split("\t") for line in (data / "chosen.tsv").read_text().splitlines()]
    reader = tokenizer(vocabulary)
    sides = [bags(reader, [row[side] for row in rows], len(vocabulary)) for side in (1, 2)]
    taught = [numpy.load(data / f"{name}.npy").astype(numpy.float32) for name in ("left", "right")]
    print(f"{len(rows)} pairs, {sum(side.nnz for side in sides) / len(rows) / 2:.1f} pieces a text, read in {time.time() - began:.0f} s", flush=True)

    # The directions in which texts differ most; the other ones contain little.
    middle = taught[0].mean(0)
    _, directions = numpy.linalg.eigh(numpy.cov((taught[0] - middle).T))
    directions = numpy.ascontiguousarray(directions[:, ::-1][:, :DIMENSIONS]).astype(numpy.float32)
    seen = sum(numpy.asarray(side.sum(0)).ravel() for side in sides)
    weight = 1e-3 / (1e-3 + seen / seen.sum())
    pieces = (numpy.load(data / "pieces.npy").astype(numpy.float32) - middle) @ directions
    table = (pieces / numpy.linalg.norm(pieces, axis=1, keepdims=True) * weight[:, None]).astype(numpy.float32)

    student = Student(table, options, chance)
    test = slice(0, HELD_OUT)
    training = numpy.arange(HELD_OUT, min(len(rows), options.only))
    goals = [unit(vectors @ directions) for vectors in taught]
    topics = by_topic(taught[0], training, chance)
    print("before", measure(student.table, sides, taught, test), flush=True)
    half = options.batch // 2
    steps = options.epochs * (len(training) // half)
    for epoch in range(options.epochs):
        # Half of a batch is of one or two topics, half is random: the model learns to distinguish near texts, and far
        # ones stay far.
        alike, others = topics(chance), chance.permutation(training)
        starts = range(0, len(training) - half + 1, half)
        for at in chance.permutation(starts):
            student.step(numpy.concatenate([alike[at : at + half], others[at : at + half]]), sides, taught, goals, steps)
        print(f"epoch {epoch} {measure(student.table, sides, taught, test)} {time.time() - began:.0f} s", flush=True)

    # A piece that never occurred keeps the vector of the teacher, with the weight of a rare one.
    never = seen == 0
    usual = numpy.median(numpy.linalg.norm(student.table[~never], axis=1))
    student.table[never] *= usual / numpy.linalg.norm(student.table[never], axis=1, keepdims=True)
    technical = numpy.array([row[0] in ("doc", "section", "next") for row in rows])
    middle = common(student.table, sides[0][technical])
    write_model(options.model, vocabulary, student.table, middle, reader)
    print("eight bits", measure(eight_bits(student.table), sides, taught, test))
    print("less the middle", measure(eight_bits(student.table), sides, taught, test, middle))
    print(f"{options.model}: {options.model.stat().st_size} bytes, SHA-256 {hashlib.sha256(options.model.read_bytes()).hexdigest()}, {time.time() - began:.0f} s")


class Student:
    """The table and its optimiser; only rows that a batch touches are moved."""

    def __init__(self, table, options, chance):
        self.table, self.options, self.chance = table, options, chance
        self.first, self.second = numpy.zeros_like(table), numpy.zeros(len(table), numpy.float32)
        self.times = numpy.zeros(len(table), numpy.int64)
        self.done = 0
        self.scale = float(numpy.linalg.norm(table, axis=1).mean())

    def step(self, chosen, sides, taught, goals, steps):
        options = self.options
        half = len(chosen)
        parts = [side[chosen] for side in sides]
        block = scipy.sparse.vstack(parts, format="csr")
        block.data *= self.chance.random(block.nnz) >= options.drop
        used, places = numpy.unique(block.indices, return_inverse=True)
        block = scipy.sparse.csr_matrix((block.data, places, block.indptr), shape=(2 * half, len(used)))
        summed = block @ self.table[used]
        length = numpy.linalg.norm(summed, axis=1, keepdims=True) + 1e-6
        vectors = summed / length

        goal = numpy.vstack([side[chosen] for side in goals])
        slope = -options.point * goal / 2
        teacher = numpy.vstack([side[chosen] for side in taught])
        warmth = options.warmth
        scores = vectors @ vectors.T / warmth
        target = teacher @ teacher.T / warmth
        if options.neighbours:
            both = []
            for matrix in (scores, target):
                matrix = matrix.copy()
                numpy.fill_diagonal(matrix, -1e9)
                both.append(softmax(matrix))
            difference = (both[0] - both[1]) * (options.neighbours / 2)
            slope = slope + (difference + difference.T) @ vectors
        if options.pairs:
            cross = scores[:half, half:]
            across, down = softmax(cross), softmax(cross.T)
            difference = (across + down.T) / 2
            difference[numpy.arange(half), numpy.arange(half)] -= 1
            difference *= options.pairs
            slope[:half] += difference @ vectors[half:]
            slope[half:] += difference.T @ vectors[:half]
        # Through the division by the length, back to the rows.
        slope = (slope - vectors * (slope * vectors).sum(1, keepdims=True)) / length
        self.move(used, (block.T @ slope).astype(numpy.float32), steps)

    def move(self, used, slope, steps):
        self.done += 1
        rate = self.options.rate * self.scale * min(1.0, self.done / 200) * max(0.02, 1 - self.done / steps)
        self.times[used] += 1
        times = self.times[used].astype(numpy.float32)
        self.first[used] = 0.9 * self.first[used] + 0.1 * slope
        # One number a row: rows keep their direction of descent, and rare ones still move.
        self.second[used] = 0.99 * self.second[used] + 0.01 * (slope * slope).mean(1)
        first = self.first[used] / (1 - 0.9**times)[:, None]
        second = self.second[used] / (1 - 0.99**times)
        self.table[used] -= rate * first / (numpy.sqrt(second)[:, None] + 1e-8)


def by_topic(vectors, training, chance, topics=400):
    """A function that orders the training pairs so that a batch is of a few related topics."""
    centres = vectors[chance.choice(training, topics, replace=False)]
    for _ in range(4):
        nearest = numpy.concatenate([(vectors[training[at : at + 20000]] @ centres.T).argmax(1) for at in range(0, len(training), 20000)])
        centres = unit(numpy.stack([vectors[training[nearest == topic]].sum(0) + 1e-6 for topic in range(topics)]))

    def order(chance):
        # Jitter: a topic's members are shuffled, and topics come in another order each time.
        ranks = chance.permutation(topics)[nearest]
        return training[numpy.lexsort((chance.random(len(training)), ranks))]

    return order


def common(table, texts):
    """Half of the common part of all texts about software, which does not distinguish them from each other."""
    return unit(texts @ table).mean(0) * 0.5


def measure(table, sides, taught, test, middle=0):
    """Mean reciprocal rank of the pair's other half, and how often the teacher's nearest is among our ten nearest."""
    left, right = (unit(unit(side[test] @ table) - middle) for side in sides)
    scores = left @ right.T
    ranks = (scores >= numpy.diag(scores)[:, None]).sum(1)
    asked, known = taught[0][test][:2000], taught[1][test]
    nearest = (asked @ known.T).argmax(1)
    ours = numpy.argpartition(-scores[:2000], 10, axis=1)[:, :10]
    agreed = (ours == nearest[:, None]).any(1).mean()
    return f"mrr {(1 / ranks)[ranks <= 10].sum() / len(ranks):.4f} agreed {agreed:.4f}"


def eight_bits(table):
    scale = numpy.abs(table).max(1, keepdims=True) / 127 + 1e-12
    return numpy.round(table / scale) * scale


def unit(vectors):
    return vectors / (numpy.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9)


def softmax(scores):
    scores = numpy.exp(scores - scores.max(1, keepdims=True))
    return scores / scores.sum(1, keepdims=True)


if __name__ == "__main__":
    main()
