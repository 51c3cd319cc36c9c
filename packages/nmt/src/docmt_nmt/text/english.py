"""English: American spellings, and punctuation marks apart from words (Donato et al. 2021,
appendix A.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import regex

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike, read_bytes, read_lines, write_text
from docmt_nmt.text.text_step import SavedStep, Step

_WORD = regex.compile(r"(?<![\w@/.])\p{L}[\p{L}\p{M}]*+(?![\w@/]|\.\w)")
"""A word of letters outside addresses."""

_PLAIN_WORD = regex.compile("[A-Za-z]{2,}")
_ENTRY = regex.compile(r"((?:[ABZCD_][.vVx-]?|[0-9])(?: (?:[ABZCD_][.vVx-]?|[0-9]))*): (.+)")
_LEVEL = regex.compile(r"\(level ([0-9]{1,3})\)")

_MAX_LEVEL = 80
"""Highest level of the VarCon entries used: above it, an entry "may not even be a legal word", and
VarCon's own tools leave such entries out, too."""

_CURE_VARCON = (
    "Download varcon.txt, which http://wordlist.aspell.net publishes as VarCon, or set "
    "text.american_spelling to null"
)


class _Spelling(NamedTuple):
    """Spelling of a word: `Av` is the tag of an American spelling variant."""

    tags: frozenset[str]
    word: str

    def is_american(self) -> bool:
        return not self.tags.isdisjoint(("A", "A."))

    def is_used_elsewhere(self) -> bool:
        return any(tag[0] in "BZCD" and tag[1:] in ("", ".", "v", "V") for tag in self.tags)


class AmericanSpelling(SavedStep):
    """Replacement of British, Canadian and Australian spellings by American ones of VarCon.

    A word is replaced if the list has it as a spelling of English outside America and names one
    preferred American spelling; it is not replaced if it is itself a preferred American spelling of
    this or of another word (`analyses`, the plural of analysis), or if there are several. A word
    with a capital, or in capitals, keeps them. `invert` leaves the text as it is.

    Args:
        spellings: the American spelling of each word, in lower case.
    """

    name = "american-spelling"

    def __init__(self, spellings: Mapping[str, str]) -> None:
        self.spellings = dict(spellings)

    @classmethod
    def from_varcon(cls, path: PathLike) -> AmericanSpelling:
        """Read the list as it is published, `varcon.txt`.

        Raises:
            InputError: the file is missing, or is not this list.
        """
        if not Path(path).exists():
            raise InputError("no such file", path=str(path), cure=_CURE_VARCON)
        american: set[str] = set()
        replacements: dict[str, set[str]] = {}
        for spellings, is_current in _varcon_lines(path):
            preferred = [s.word for s in spellings if "A" in s.tags]
            american.update(s.word for s in spellings if s.is_american())
            if len(preferred) == 1 and is_current and _PLAIN_WORD.fullmatch(preferred[0]):
                for spelling in spellings:
                    if spelling.is_used_elsewhere() and _PLAIN_WORD.fullmatch(spelling.word):
                        words = replacements.setdefault(spelling.word.lower(), set())
                        words.add(preferred[0].lower())
        if not replacements:
            raise InputError("is not the list VarCon", path=str(path), cure=_CURE_VARCON)
        known = {word.lower() for word in american}
        return cls(
            {w: min(to) for w, to in replacements.items() if len(to) == 1 and w not in known}
        )

    def apply(self, text: str) -> str:
        return str(_WORD.sub(lambda match: self._american(match[0]), text))

    def _american(self, word: str) -> str:
        """Return the American spelling of a word, in the case of the word."""
        spelling = self.spellings.get(word.lower())
        if spelling is None:
            return word
        if word.isupper():
            return spelling.upper()
        if word[1:].islower():
            return spelling.capitalize() if word[0].isupper() else spelling
        return word

    def save(self, path: Path) -> None:
        """Write a line for each word: the word, a tab, the American spelling."""
        write_text(path, "".join(f"{word}\t{to}\n" for word, to in sorted(self.spellings.items())))

    @classmethod
    def load(cls, path: PathLike) -> AmericanSpelling:
        spellings = {}
        for number, line in enumerate(read_lines(path), start=1):
            word, tab, to = line.partition("\t")
            if not (tab and _PLAIN_WORD.fullmatch(word) and _PLAIN_WORD.fullmatch(to)):
                raise InputError(
                    f"{line[:40]!r} is not a word, a tab and its American spelling",
                    path=str(path),
                    line=number,
                    cure="Copy the run directory again",
                )
            spellings[word] = to
        return cls(spellings)


def _varcon_lines(path: PathLike) -> Iterator[tuple[list[_Spelling], bool]]:
    """Yield the spellings on each line of VarCon, and whether they are in current use."""
    level = 0
    # The list is published in Latin-1, and words with accents are not used.
    for number, line in enumerate(read_bytes(path).decode("latin-1").split("\n"), start=1):
        if line.startswith("#"):
            if named := _LEVEL.search(line):
                level = int(named[1])
            continue
        words, _, note = line.partition("#")[0].partition(" | ")
        if not words.strip():
            continue
        spellings = []
        for entry in words.split(" / "):
            match = _ENTRY.fullmatch(entry.strip())
            if match is None:
                raise InputError(
                    f"{entry[:40]!r} is not tags, a colon and a word",
                    path=str(path),
                    line=number,
                    cure=_CURE_VARCON,
                )
            spellings.append(_Spelling(frozenset(match[1].split()), match[2]))
        yield spellings, level <= _MAX_LEVEL and "(-)" not in note


_SIGNS = _SPACE, _JOINED = "␣", "⁀"  # U+2423, U+2040
_OPENING = frozenset("([{<“‘‚„«‹¿¡$£€#")
_CLOSING = frozenset(")]}>”’»›,.;:!?…%")
_TOKEN = regex.compile(r"[\p{L}\p{M}\p{N}_]++(?:['’.,:/@&-][\p{L}\p{M}\p{N}_]++)*+|(\S)\1*+")
_DOTTED = regex.compile(r"(?:\p{L}{1,2}\.)++\p{L}{1,2}")


class EnglishPunctuation(Step):
    """Spaces between words and punctuation marks.

    Marks within a word stay in it (`don’t`, `well-known`, `3.14`), as does the dot of an
    abbreviation: words listed by Moses for English (`Mr.`), and words with dots in them (`U.S.`).
    Several of the same mark stay together.

    `invert` joins closing marks with the word before them and opening ones with the word after
    them. Where a sentence has a space, or none, against this rule, `apply` writes the word `␣` or
    `⁀`: `invert(apply(text)) == text` holds for every normalized text. n `␣` of the original become
    n + 1.
    """

    splits_words = True

    def __init__(self) -> None:
        # Slow to import, and only this step needs it.
        from sacremoses.corpus import NonbreakingPrefixes

        prefixes = NonbreakingPrefixes().words("en")
        self._abbreviations = frozenset(p for p in prefixes if "#NUMERIC_ONLY#" not in p)

    def apply(self, text: str) -> str:
        result: list[str] = []
        before = ""
        for chunk in text.split():
            for index, token in enumerate(self._tokens(chunk)):
                if before and (is_joined := index > 0) != _joins(before, token):
                    result.append(_JOINED if is_joined else _SPACE)
                result.append(token + token[0] if token[0] in _SIGNS else token)
                before = token
        return " ".join(result)

    def _tokens(self, chunk: str) -> list[str]:
        """Split text without spaces into words and marks."""
        tokens: list[str] = []
        for match in _TOKEN.finditer(chunk):
            token = match[0]
            if token == "." and tokens and self._is_abbreviation(tokens[-1]):
                tokens[-1] += token
            else:
                tokens.append(token)
        return tokens

    def _is_abbreviation(self, word: str) -> bool:
        return word in self._abbreviations or _DOTTED.fullmatch(word) is not None

    def invert(self, text: str) -> str:
        parts: list[str] = []
        before, forced = "", None
        for word in text.split():
            if word in _SIGNS:
                forced = word == _JOINED
                continue
            token = word[1:] if word[0] in _SIGNS and not word.strip(word[0]) else word
            if before and not (_joins(before, token) if forced is None else forced):
                parts.append(" ")
            parts.append(token)
            before, forced = token, None
        return "".join(parts)


def _joins(before: str, after: str) -> bool:
    """Return whether two tokens usually have no space between them."""
    return before[-1] in _OPENING or after[0] in _CLOSING
