"""Chinese: conversion to simplified characters, and spaces between words (Donato et al. 2021,
appendix A.1).

The libraries come with the extra `chinese`: OpenCC, and rjieba, which is the jieba segmenter in
Rust.
"""

from __future__ import annotations

import re
from types import ModuleType

from docmt_files.base.errors import InputError
from docmt_nmt.text.text_step import Step

_SPACE = "␣"  # U+2423: a space of the original text
# Characters set without spaces: ideographs and ideographic punctuation, kana, full-width forms.
_WIDE = f"{_SPACE}\u2e80-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001b000-\U0003ffff"
_IS_WIDE = re.compile(f"[{_WIDE}]")
_KEPT_SPACES = re.compile(f"({_SPACE}+| (?=[{_WIDE}])|(?<=[{_WIDE}]) )")


class SimplifiedChinese(Step):
    """Conversion of traditional to simplified characters, by OpenCC's tables of characters and
    words. `invert` leaves the text as it is.

    Raises:
        InputError: OpenCC is not installed.
    """

    def __init__(self) -> None:
        try:
            import opencc
        except ImportError:
            raise _missing("chinese_script: simplified", "OpenCC") from None
        self._converter = opencc.OpenCC("t2s")

    def apply(self, text: str) -> str:
        # OpenCC ends a text at a NUL character.
        return "\0".join(str(self._converter.convert(part)) for part in text.split("\0"))


class JiebaSegmentation(Step):
    """Spaces between the words found by jieba, wherever a word starts or ends in a Chinese
    character or punctuation mark. Other text gets no further spaces.

    A space next to a Chinese character in the original becomes the word `␣`, and n `␣` of the
    original become n + 1: `invert(apply(text)) == text` holds for every normalized text.

    Raises:
        InputError: rjieba is not installed.
    """

    splits_words = True

    def __init__(self) -> None:
        try:
            import rjieba
        except ImportError:
            raise _missing("segment: jieba", "rjieba") from None
        self._jieba: ModuleType = rjieba

    def apply(self, text: str) -> str:
        words: list[str] = []
        for i, part in enumerate(_KEPT_SPACES.split(text)):
            if i % 2 == 0:
                words += self._words(part)
            else:
                words.append(_SPACE if part == " " else part + _SPACE)
        return " ".join(words)

    def _words(self, text: str) -> list[str]:
        """Split text without spaces next to Chinese; other text is not split."""
        words: list[str] = []
        for word in self._jieba.cut(text):
            if words and not (_IS_WIDE.match(words[-1][-1]) or _IS_WIDE.match(word)):
                words[-1] += word
            else:
                words.append(word)
        return words

    def invert(self, text: str) -> str:
        parts: list[str] = []
        before = _SPACE
        for word in text.split():
            if not (_IS_WIDE.match(before[-1]) or _IS_WIDE.match(word)):
                parts.append(" ")
            parts.append(word if word.strip(_SPACE) else word[1:] or " ")
            before = word
        return "".join(parts)


def _missing(setting: str, library: str) -> InputError:
    return InputError(
        f"text.{setting} needs {library}, which is not installed",
        cure="Install it with `pip install 'docmt[chinese]'`, or remove this key from the recipe",
    )
