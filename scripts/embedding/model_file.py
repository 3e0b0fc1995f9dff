"""Writes the model as `crates/memory/src/embedding/file.rs` reads it. All numbers are little-endian.

    head      64 bytes: magic, counts (see `write_model`)
    middle    f32 x dimensions: what is taken from every vector
    ranges    start u32, end u32, what u32: characters that are dropped, are spaces, or stand alone
    folds     from u32, to u32 x 3: characters that become others (lower case, without accents)
    slots     u16 per slot: a row, or 0xffff; open addressing by FNV-1a of the piece
    ends      u32 per row: where the piece's text ends
    texts     the pieces, one after the other
    scales    f32 per row
    rows      i8 x dimensions per row
"""

import struct

import numpy

MAGIC = b"tenter.e"
VERSION = 1
EMPTY = 0xFFFF
# Half of them stay empty, so that the lookup of a missing word ends early.
SLOTS = 65536
DROPPED, SPACE, ALONE = 0, 1, 2


def write_model(path, vocabulary, table, middle, reader, teacher_rows=30522):
    ranges, folds = characters(reader)
    slots = numpy.full(SLOTS, EMPTY, numpy.uint16)
    texts = [word.encode() for word in vocabulary]
    for row, text in enumerate(texts):
        at = fnv(text) & (len(slots) - 1)
        while slots[at] != EMPTY:
            at = (at + 1) & (len(slots) - 1)
        slots[at] = row
    ends = numpy.cumsum([len(text) for text in texts]).astype("<u4")
    scales = (numpy.abs(table).max(1) / 127 + 1e-12).astype("<f4")
    rows = numpy.round(table / scales[:, None]).astype(numpy.int8)
    head = struct.pack(
        "<8s9I", MAGIC, VERSION, len(vocabulary), teacher_rows, table.shape[1], len(slots), len(ranges), len(folds), int(ends[-1]), max(map(len, texts))
    )
    parts = [
        head.ljust(64, b"\0"),
        middle.astype("<f4").tobytes(),
        b"".join(struct.pack("<3I", *entry) for entry in ranges),
        b"".join(struct.pack("<4I", *entry) for entry in folds),
        slots.astype("<u2").tobytes(),
        ends.tobytes(),
        b"".join(texts),
        scales.tobytes(),
        rows.tobytes(),
    ]
    path.write_bytes(b"".join(parts))


def fnv(text):
    value = 0x811C9DC5
    for byte in text:
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def characters(reader):
    """The behaviour of the tokenizer for each character, which tenter copies."""
    kinds, folds = {}, []
    for code in range(0x110000):
        if 0xD800 <= code < 0xE000 or 0xAC00 <= code <= 0xD7A3:  # halves of pairs; Hangul is taken apart by arithmetic
            continue
        before = chr(code)
        after = reader.normalizer.normalize_str(f"x{before}x")[1:-1]
        if after == "":
            kinds[code] = DROPPED
        elif after == f" {before} ":
            kinds[code] = ALONE  # an ideograph
        elif after.isspace():
            kinds[code] = SPACE
        else:
            plain = after.strip(" ")
            if plain != before:
                assert 1 <= len(plain) <= 3, (code, after)
                folds.append((code, *(ord(c) for c in plain.ljust(3, "\0"))))
                if after != plain:
                    kinds[code] = ALONE
            elif len(reader.pre_tokenizer.pre_tokenize_str(f"x{before}x")) == 3:
                kinds[code] = ALONE  # punctuation
    ranges = []
    for code, kind in sorted(kinds.items()):
        if ranges and ranges[-1][1] == code - 1 and ranges[-1][2] == kind:
            ranges[-1][1] = code
        else:
            ranges.append([code, code, kind])
    return ranges, folds
