"""Normalisation: one spelling for what looks the same. It is never undone; what the pipeline gives
back is the normalised sentence."""

from __future__ import annotations

import unicodedata
from typing import Literal

from docmt.errors import InputError
from docmt.text.base import primary

Kind = Literal["none", "nfc", "nfkd", "moses"]


class Normalisation:
    """Unicode NFC or NFKD, the punctuation rules of Moses, and white space.

    Whatever the kind, each run of white space becomes one space and none is left at the ends. White
    space is all that Unicode calls so: also no-break spaces, tabs and line separators.

    Args:
        kind: `none` (white space alone), `nfc`, `nfkd` (Donato et al. 2021, appendix A.1; `invert`
            composes the characters, so that text comes back in NFKC), or `moses` (NFC and
            punctuation).
        language: whose punctuation rules Moses applies.
    """

    def __init__(self, kind: Kind, language: str) -> None:
        self.kind = kind
        if kind == "moses":
            # Slow to import, and only this kind needs it.
            from sacremoses import MosesPunctNormalizer

            self._punctuation = MosesPunctNormalizer(primary(language))

    def apply(self, text: str) -> str:
        """The normalised sentence.

        Raises:
            InputError: the text holds half of a surrogate pair, which no file can hold.
        """
        check_encodable(text)
        if self.kind != "none":
            text = unicodedata.normalize("NFKD" if self.kind == "nfkd" else "NFC", text)
        if self.kind == "moses":
            # Before white space is collapsed: some of its rules look for no-break spaces.
            text = self._punctuation.normalize(text)
        return collapse(text)

    def invert(self, text: str) -> str:
        """The same sentence, on one line; its characters are composed after `nfkd`."""
        return collapse(unicodedata.normalize("NFC", text) if self.kind == "nfkd" else text)


def collapse(text: str) -> str:
    """One space for each run of white space, none at the ends."""
    return " ".join(text.split())


def check_encodable(text: str) -> None:
    """Refuse text that UTF-8 cannot hold; JSON escapes such as `\\ud800` can smuggle it in."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"the sentence {text[:40]!r} holds U+{ord(text[error.start]):04X}, half of a character",
            cure="Write the whole character, or remove it",
        ) from None
