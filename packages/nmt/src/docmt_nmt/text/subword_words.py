"""Words of the tokens of a sentence, by the characters in both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import numpy as np
import regex
from numpy.typing import NDArray

from docmt_nmt.text.spellings import Span, carried_spans, matched_characters

_MARKS = regex.compile(r"^(?:▁|Ġ|##)+(?=.)|^(?:▁|Ġ)+$|(?<=.)(?:@@|</w>)$")
"""Marks of a subword at the beginning, inside or at the end of a word."""

_BYTE = regex.compile(r"<0x([0-9A-F]{2})>")

_LONGEST = 4
"""Bytes of the longest characters."""


def subword_spans(subwords: Sequence[str], text: str) -> list[Span]:
    """Return the characters of a text for each subword, as start and end offsets. Each byte of a
    character has the range of the character; a mark of a space alone has an empty range.

    Args:
        subwords: the subwords of the text, in order, with the marks of sentencepiece, BPE or
            WordPiece.
        text: the text.
    """
    spelled: list[str] = []
    spans: list[Span] = []
    length = 0
    for is_byte, group in groupby(subwords, lambda subword: _BYTE.fullmatch(subword) is not None):
        for surface, count in _characters_of_bytes(group) if is_byte else _surfaces(group):
            spelled.append(surface)
            spans += [(length, length + len(surface))] * count
            length += len(surface)
    return carried_spans(spans, "".join(spelled), text)


def _surfaces(subwords: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield the text of each subword, and the number of subwords in it: 1."""
    for subword in subwords:
        # Most subwords have no mark but the mark of a space.
        text = subword.removeprefix("▁")
        yield (text if text.isalpha() else _MARKS.sub("", subword)), 1


def _characters_of_bytes(subwords: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield the characters spelled by bytes, each with the number of bytes; U+FFFD for a byte
    outside a character."""
    rest = bytes.fromhex("".join(_BYTE.findall("".join(subwords))))
    while rest:
        for size in range(1, _LONGEST + 1):
            character = rest[:size].decode("utf-8", "ignore")
            if character:
                break
        else:
            character, size = "\ufffd", 1
        yield character, size
        rest = rest[size:]


def word_shares(text: str, spans: Sequence[Span], words: Sequence[str]) -> NDArray[np.float64]:
    """Return the share of the characters of each token in each word.

    Args:
        text: the sentence.
        spans: the range of the sentence for each token, from `Pipeline.token_spans`.
        words: the words of the sentence, in order, without spaces.

    Returns:
        (words, tokens); a column adds up to 1, or is 0 for a token outside all words.
    """
    of_word = np.repeat(np.arange(len(words)), [len(word) for word in words])
    pairs = np.array(matched_characters(text, "".join(words)), np.int64).reshape(-1, 2)
    of_words = np.zeros((len(words), len(text)))
    of_words[of_word[pairs[:, 1]], pairs[:, 0]] = 1
    of_tokens = np.zeros((len(text), len(spans)))
    for token, (start, end) in enumerate(spans):
        of_tokens[start:end, token] = 1
    # A character in several tokens is shared.
    shares = of_words / np.maximum(of_words.sum(0), 1) @ of_tokens
    return np.asarray(shares / np.maximum(shares.sum(0), 1e-9))
