"""Chinese: simplified characters for traditional ones, and words between spaces (Donato et al.
2021, appendix A.1).

The libraries are those of the extra `chinese`: OpenCC, and rjieba, which is the jieba segmenter in
Rust.
"""

from __future__ import annotations

import re
from types import ModuleType

from docmt.errors import InputError
from docmt.text.base import primary
from docmt.text.settings import TextSettings

_SPACE = "␣"  # U+2423: a space that stood in the text
# Characters that are set without spaces: ideographs and their punctuation, kana, full-width forms.
_WIDE = f"{_SPACE}\u2e80-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001b000-\U0003ffff"
_IS_WIDE = re.compile(f"[{_WIDE}]")
_KEPT = re.compile(f"({_SPACE}+| (?=[{_WIDE}])|(?<=[{_WIDE}]) )")


class Simplified:
    """Traditional characters become simplified ones, by OpenCC's tables of characters and words.
    `invert` gives the text as it is.

    Raises:
        InputError: OpenCC is not installed.
    """

    def __init__(self) -> None:
        try:
            import opencc
        except ImportError:
            raise missing("chinese_script: simplified", "OpenCC") from None
        self._converter = opencc.OpenCC("t2s")

    def apply(self, text: str) -> str:
        """The sentence in simplified characters."""
        # OpenCC ends a text at a NUL character.
        return "\0".join(str(self._converter.convert(part)) for part in text.split("\0"))

    def invert(self, text: str) -> str:
        """The same sentence."""
        return text


class Segmentation:
    """Spaces between the words that jieba finds, beside every Chinese character or mark at the edge
    of a word; other text keeps its spaces and gets no more.

    A space that stood beside a Chinese character becomes the word `␣`, and n `␣` of the text become
    n + 1, so that `invert(apply(text)) == text` for every normalised text.

    Raises:
        InputError: rjieba is not installed.
    """

    def __init__(self) -> None:
        try:
            import rjieba
        except ImportError:
            raise missing("segment: jieba", "rjieba") from None
        self._jieba: ModuleType = rjieba

    def apply(self, text: str) -> str:
        """The sentence with spaces between its words."""
        pieces: list[str] = []
        for number, part in enumerate(_KEPT.split(text)):
            if not number % 2:
                pieces += self._words(part)
            else:
                pieces.append(_SPACE if part == " " else part + _SPACE)
        return " ".join(pieces)

    def _words(self, text: str) -> list[str]:
        """The words of text without spaces beside Chinese; other text is left in one piece."""
        words: list[str] = []
        for word in self._jieba.cut(text):
            if words and not (_IS_WIDE.match(words[-1][-1]) or _IS_WIDE.match(word)):
                words[-1] += word
            else:
                words.append(word)
        return words

    def invert(self, text: str) -> str:
        """The sentence without the spaces that `apply` puts in."""
        written: list[str] = []
        before = _SPACE
        for word in text.split():
            if not (_IS_WIDE.match(before[-1]) or _IS_WIDE.match(word)):
                written.append(" ")
            written.append(word if word.strip(_SPACE) else word[1:] or " ")
            before = word
        return "".join(written)


def is_chinese(language: str) -> bool:
    """Whether the steps for Chinese are for this language, whatever its script and region."""
    return primary(language) in ("zh", "cmn", "yue")


def check_languages(settings: TextSettings, languages: tuple[str, str]) -> None:
    """Check that the steps for Chinese have a side to work on.

    Raises:
        InputError: neither language is Chinese.
    """
    for key, idle in (("chinese_script", "keep"), ("segment", "none")):
        value = getattr(settings, key)
        if value != idle and not any(map(is_chinese, languages)):
            raise InputError(
                f"text.{key}: {value} is for Chinese, and neither data.source_language "
                f"{languages[0]} nor data.target_language {languages[1]} is",
                cure=f"Set text.{key} to {idle}, or give the languages of the corpus",
            )


def missing(key: str, library: str) -> InputError:
    """The refusal of a step whose library is not there."""
    return InputError(
        f"text.{key} needs {library}, which is not installed",
        cure="Install it with `pip install 'docmt[chinese]'`, or leave the key out",
    )
