"""Words that the tokens of a sentence belong to, by the characters that both stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import numpy as np
import regex
from numpy.typing import NDArray

from docmt.text.spellings import Span, carried_spans, matched_characters

_MARKS = regex.compile(r"^(?:▁|Ġ|##)+(?=.)|^(?:▁|Ġ)+$|(?<=.)(?:@@|</w>)$")
"""Marks of a subword that begins, continues or ends a word."""

_BYTE = regex.compile(r"<0x([0-9A-F]{2})>")

_LONGEST = 4
"""Bytes of the longest characters."""


def subword_spans(subwords: Sequence[str], text: str) -> list[Span]:
    """Return the characters of a text that each of its subwords stands for, as offsets where they
    start and end. The bytes of a character all stand for it; a mark of a space alone for nothing.

    Args:
        subwords: those of the text, in order, with the marks of sentencepiece, BPE or WordPiece.
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
    """Yield the text of each subword, and the number of subwords that it has: 1."""
    for subword in subwords:
        # Most subwords have no mark but that of a space.
        text = subword.removeprefix("▁")
        yield (text if text.isalpha() else _MARKS.sub("", subword)), 1


def _characters_of_bytes(subwords: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield the characters that bytes spell, each with the number of its bytes; U+FFFD for a byte
    that is not one of a character."""
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
    """Return the share of the characters of each token that belong to each word.

    Args:
        text: the sentence.
        spans: the range of the sentence that each token stands for, as `Pipeline.token_spans` gives
            it.
        words: the words of the sentence, in order, without spaces.

    Returns:
        (words, tokens); a column adds up to 1, or is 0 for a token that is in no word.
    """
    of_word = np.repeat(np.arange(len(words)), [len(word) for word in words])
    pairs = np.array(matched_characters(text, "".join(words)), np.int64).reshape(-1, 2)
    of_words = np.zeros((len(words), len(text)))
    of_words[of_word[pairs[:, 1]], pairs[:, 0]] = 1
    of_tokens = np.zeros((len(text), len(spans)))
    for token, (start, end) in enumerate(spans):
        of_tokens[start:end, token] = 1
    # A character that stands for several is shared.
    shares = of_words / np.maximum(of_words.sum(0), 1) @ of_tokens
    return np.asarray(shares / np.maximum(shares.sum(0), 1e-9))
