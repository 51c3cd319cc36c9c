"""Normalization: one spelling for characters with the same appearance, and repair of text decoded
with the wrong encoding (Donato et al. 2021, appendix A.1). Neither is inverted: the pipeline gives
back the normalized sentence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import groupby
from typing import Literal

from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language
from docmt_nmt.text.text_step import Step

Kind = Literal["none", "nfc", "nfkd", "moses"]

_QUOTE_AFTER_DOTS = r'(\.+)"(\s*[^<])'
"""A rule of sacremoses for German, French and Spanish. The time of the rule is quadratic in the
number of dots: it is tried again from each of them."""

_QUOTE_AFTER_DOTS_OR_DOTS = re.compile(rf"{_QUOTE_AFTER_DOTS}|\.+")

_LONG = 2000
"""Minimum length of text for sorting combining marks here: `unicodedata` takes time quadratic in
the length of a run of marks."""


class EncodingRepair(Step):
    """Repair by ftfy of UTF-8 read as Latin-1, Windows-1252 or a related encoding, once or several
    times: `schÃ¶n` becomes `schön`. It changes text only where the result is far more likely.
    `invert` leaves the text as it is.

    It comes before all other steps, because the no-break spaces of such text are parts of letters.
    """

    def __init__(self) -> None:
        # Not every pipeline needs it.
        from ftfy import fix_encoding

        self._repair = fix_encoding

    def apply(self, text: str) -> str:
        return str(self._repair(text))


class Normalization(Step):
    """Unicode NFC or NFKD, the punctuation rules of Moses, and white space.

    With every kind, each run of white space becomes one space, and none is left at the ends. White
    space is all white space of Unicode, including no-break spaces, tabs and line separators.

    Args:
        kind: `none` (white space only), `nfc`, `nfkd` (Donato et al. 2021, appendix A.1; `invert`
            composes the characters, so the text comes back in NFKC), or `moses` (NFC and
            punctuation).
        language: the code of the language, for the punctuation rules of Moses.
    """

    def __init__(self, kind: Kind, language: str) -> None:
        self.kind = kind
        if kind == "moses":
            # Slow to import, and only this kind needs it.
            from sacremoses import MosesPunctNormalizer

            self._punctuation = MosesPunctNormalizer(primary_language(language))
            self._punctuation.substitutions = [
                (_QUOTE_AFTER_DOTS_OR_DOTS, _with_quote_before_dots)
                if pattern == _QUOTE_AFTER_DOTS
                else (pattern, replacement)
                for pattern, replacement in self._punctuation.substitutions
            ]

    def apply(self, text: str) -> str:
        """The normalized sentence.

        Raises:
            InputError: the text holds half of a surrogate pair, which no file can hold.
        """
        _check_encodable(text)
        if self.kind != "none":
            text = normalize_characters("NFKD" if self.kind == "nfkd" else "NFC", text)
        if self.kind == "moses":
            # Before white space is collapsed: some rules of Moses look for no-break spaces.
            text = self._punctuation.normalize(text)
        return collapse_whitespace(text)

    def invert(self, text: str) -> str:
        composed = normalize_characters("NFC", text) if self.kind == "nfkd" else text
        return collapse_whitespace(composed)


def _with_quote_before_dots(match: re.Match[str]) -> str:
    """Apply the rule of sacremoses to a match; dots alone stay as they are."""
    return match[0] if match[1] is None else f'"{match[1]}{match[2]}'


def normalize_characters(form: Literal["NFC", "NFKD"], text: str) -> str:
    """Apply `unicodedata.normalize` in time linear in the length of the text."""
    if len(text) < _LONG:
        return unicodedata.normalize(form, text)
    decomposed = (
        part
        for character in text
        for part in unicodedata.normalize("NFD" if form == "NFC" else form, character)
    )
    return unicodedata.normalize(form, "".join(_with_sorted_marks(decomposed)))


def _with_sorted_marks(characters: Iterator[str]) -> Iterator[str]:
    """Put each run of combining marks of decomposed characters in canonical order."""
    for are_marks, run in groupby(characters, lambda c: unicodedata.combining(c) > 0):
        ordered = list(run)
        if are_marks:
            ordered.sort(key=unicodedata.combining)
        yield from ordered


def collapse_whitespace(text: str) -> str:
    """Replace each run of white space by one space, and remove it at the ends."""
    return " ".join(text.split())


def _check_encodable(text: str) -> None:
    """Refuse text that UTF-8 cannot hold. JSON can hold it as an escape such as `\\ud800`."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"the sentence {text[:40]!r} holds U+{ord(text[error.start]):04X}, half of a character",
            cure="Write the whole character, or remove it",
        ) from None
