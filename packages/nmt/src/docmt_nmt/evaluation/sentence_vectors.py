"""Vectors of sentences for their alignment: by characters alone, or by a sentence encoder.

Both are sums over what a sentence consists of, so the sum of the vectors of two sentences is the
vector of both.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from math import log
from pathlib import Path
from zlib import crc32

import numpy as np

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike
from docmt_nmt.evaluation.sentence_alignment import Vectors

Vectorizer = Callable[[Sequence[str]], Vectors]
"""Vectors of the sentences of all texts, which are to be compared with each other."""

_DIMENSIONS = 2048
_WORD = re.compile(r"\w+|[^\w\s]")
_ORDERS = (3, 4)


def lexical_vectors(texts: Sequence[str], known: Sequence[str] | None = None) -> Vectors:
    """Vectors of words and of the character n-grams of words, (texts, 2048): the rarer the heavier,
    as in tf-idf, and hashed. Numbers, names and words of the same stem make sentences alike.

    >>> ours, theirs, other = lexical_vectors(["Ein kleiner Test.", "Kleine Tests.", "Guten Tag!"])
    >>> bool(ours @ theirs > ours @ other)
    True

    Args:
        texts: the sentences.
        known: the sentences in which words are rare or frequent. Default: `texts`.
    """
    counts = [Counter(_features(text)) for text in texts]
    known_counts = counts if known is None else [Counter(_features(text)) for text in known]
    documents = Counter(feature for one in known_counts for feature in one)
    vectors = np.zeros((len(texts), _DIMENSIONS), np.float32)
    for vector, one in zip(vectors, counts, strict=True):
        for feature, count in one.items():
            digest = crc32(feature.encode())
            sign = 1 if digest >> 31 else -1  # features with the same index cancel out on average
            weight = log(1 + len(known_counts) / max(1, documents[feature]))
            vector[digest % _DIMENSIONS] += sign * count * weight
    return vectors


def _features(text: str) -> list[str]:
    """The words of a text, and the n-grams of their characters."""
    features = []
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).lower()):
        features.append(word)
        bounded = f"<{word}>"
        features += [
            bounded[i : i + order] for order in _ORDERS for i in range(len(bounded) - order + 1)
        ]
    return features


def encoder_vectors(name: PathLike) -> tuple[Vectorizer, str]:
    """Vectors by a frozen encoder: the sum of the states of the tokens of a sentence, (texts, W);
    and a digest of the encoder.

    Args:
        name: the folder or the name of a Hugging Face model, or the run directory of a Transformer.

    Raises:
        InputError: it cannot be loaded.
    """
    # These load torch, which scores of files alone do not need.
    from docmt_nmt.contexts import Passage
    from docmt_nmt.contexts.context_encoders import open_encoder

    encoder = open_encoder("encoder", name)

    def vectors(texts: Sequence[str]) -> Vectors:
        distinct = list(dict.fromkeys(texts))
        states = encoder.encode([Passage((text,), (0,)) for text in distinct])
        sums = {
            text: state.astype(np.float32).sum(0)
            for text, state in zip(distinct, states, strict=True)
        }
        return np.stack([sums[text] for text in texts])

    return vectors, encoder.fingerprint


def vectorizer(encoder: PathLike | None, known: Sequence[str]) -> tuple[Vectorizer, str]:
    """The vectors to align by, and their name for signatures: `lexical` without an encoder, with a
    digest of the texts in which words are rare or frequent.

    Args:
        encoder: as for `encoder_vectors`.
        known: the references and the source, which do not depend on a translation.

    Raises:
        InputError: as `encoder_vectors`.
    """
    if encoder is None:
        digest = sha256("\n".join(known).encode()).hexdigest()
        return partial(lexical_vectors, known=known), f"lexical|rarity:{digest[:8]}"
    if not str(encoder):
        raise InputError(
            "`encoder` is empty", cure="Name a model or leave it out", parameters=("encoder",)
        )
    vectors, digest = encoder_vectors(encoder)
    return vectors, f"{Path(encoder).name}-{digest[:8]}"
