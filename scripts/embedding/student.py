"""Tokenizes a text for the static model, with the same steps as `crates/memory/src/embedding/words.rs` and `wordpiece.rs`."""

import collections
import re

import numpy
import scipy.sparse
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

# `readTimeout` is two words and `HTTPServer` too, as a reader sees them.
HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Frequent words of developers that are two or three pieces in the teacher's vocabulary become one piece.
MORE_WORDS = 4000
LONGEST = 256


def humps_apart(text):
    return HUMPS.sub(" ", text)


def tokenizer(vocabulary):
    made = Tokenizer(WordPiece({word: at for at, word in enumerate(vocabulary)}, unk_token="[UNK]", max_input_chars_per_word=100))
    made.normalizer = BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=True)
    made.pre_tokenizer = BertPreTokenizer()
    made.enable_truncation(LONGEST)
    return made


def more_words(vocabulary, texts):
    """The words that occur in the most texts and are not one piece yet."""
    known, counts = set(vocabulary), collections.Counter()
    for text in texts:
        counts.update(set(re.findall(r"(?<![^\W\d_])[a-z]{3,16}(?![^\W\d_])", humps_apart(text).lower())))
    ranked = sorted(((count, word) for word, count in counts.items() if word not in known), key=lambda pair: (-pair[0], pair[1]))
    return sorted(word for _, word in ranked[:MORE_WORDS])


def bags(reader, texts, rows):
    """A sparse matrix: the square root of the count of each piece in each text. A word that occurs four times is not four times as important."""
    indices, starts = [], [0]
    unknown = reader.token_to_id("[UNK]")
    for at in range(0, len(texts), 20000):
        for encoding in reader.encode_batch_fast([humps_apart(text) for text in texts[at : at + 20000]], add_special_tokens=False):
            indices.extend(one for one in encoding.ids if one != unknown)
            starts.append(len(indices))
    matrix = scipy.sparse.csr_matrix((numpy.ones(len(indices), numpy.float32), numpy.array(indices, numpy.int32), numpy.array(starts)), shape=(len(texts), rows))
    matrix.sum_duplicates()
    matrix.data = numpy.sqrt(matrix.data)
    return matrix
