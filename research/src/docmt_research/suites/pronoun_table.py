"""Tables of pronouns for a pair of languages: the pronouns of the source and of the target, and
rules of exchange for the target, with words in agreement.

A rule `you are = I am` exchanges the words on the left for the words on the right. `^` stands for
the beginning of a clause, `$` for the end of a clause, and `@name` for any word of the list of this
name, which stays as it is. Values in rows of words may have them, too.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, model_validator

from docmt.ground.errors import InputError
from docmt.ground.languages import primary_language
from docmt.ground.settings import Settings
from docmt.storage.files import PathLike, read_bytes

_TABLES = files("docmt_research.suites").joinpath("tables")

_BORDERS = ("^", "$")


class Pattern(NamedTuple):
    """Words in a row, within one clause.

    Attributes:
        words: for each word the set of matching words, in lower case.
        at_start, at_end: whether a clause must begin before them, or end after them.
    """

    words: tuple[frozenset[str], ...]
    at_start: bool
    at_end: bool


class Rule(NamedTuple):
    """A rule of exchange.

    Attributes:
        pattern: the words to exchange.
        replacement: the replacement of each word; None for a word that stays.
    """

    pattern: Pattern
    replacement: tuple[str | None, ...]


class _Source(Settings):
    """The pronouns of the source language."""

    spaces: bool = True
    """Whether words stand between spaces; if not, a pronoun is found anywhere in a sentence."""

    pronouns: dict[str, str]
    """The forms of each pronoun, between spaces, by pronoun name. Two may share a form."""

    not_pronouns: tuple[str, ...] = ()
    """Words with the form of a pronoun in them, other than pronouns."""


class _Target(Settings):
    """The pronouns of the target language."""

    pronouns: dict[str, str]
    """The forms of each pronoun, between spaces, by pronoun name."""

    not_pronouns: tuple[str, ...] = ()
    """Words that are no pronouns if they are written exactly like this, such as `US`."""

    left_out: tuple[str, ...] = ()
    """Sequences of words that exclude a sentence."""

    ungrammatical: tuple[str, ...] = ()
    """Sequences of words that an exchange must not produce."""

    lists: dict[str, str] = Field(default_factory=dict)
    """Lists of words for rules, by name."""


class _Exchange(Settings):
    """How a pronoun is exchanged for another."""

    from_: str = Field(alias="from")
    """The name of the pronoun."""

    to: str
    """The name of the other one."""

    rules: tuple[str, ...]
    """Rules; the first matching rule is used."""


class PronounTable(Settings):
    """The pronouns of two languages, and the exchange of the target pronouns."""

    source: _Source
    """The source language."""

    target: _Target
    """The target language."""

    exchanges: tuple[_Exchange, ...]
    """The exchanges, each in both directions."""

    @model_validator(mode="after")
    def _check(self) -> PronounTable:
        """Check the exchanges: known pronouns, both directions, and valid rules."""
        names = self.target.pronouns
        for one in self.exchanges:
            for name in (one.from_, one.to):
                if name not in names:
                    raise ValueError(f"exchanges: {name!r} is not among target.pronouns")
            if (one.to, one.from_) not in {(e.from_, e.to) for e in self.exchanges}:
                raise ValueError(
                    f"exchanges: {one.from_!r} becomes {one.to!r}, and the way back is missing"
                )
        _ = self.rules, self.left_out, self.ungrammatical
        return self

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of pronouns to exchange, each once."""
        return [
            (one.from_, one.to)
            for index, one in enumerate(self.exchanges)
            if (one.to, one.from_) not in {(e.from_, e.to) for e in self.exchanges[:index]}
        ]

    @cached_property
    def source_forms(self) -> dict[str, frozenset[str]]:
        """The forms of each pronoun of the source."""
        return _forms(self.source.pronouns)

    @cached_property
    def target_forms(self) -> dict[str, frozenset[str]]:
        """The forms of each pronoun of the target."""
        return _forms(self.target.pronouns)

    @cached_property
    def left_out(self) -> tuple[Pattern, ...]:
        """Sequences of words that exclude a sentence."""
        return tuple(_pattern(text, self._lists) for text in self.target.left_out)

    @cached_property
    def ungrammatical(self) -> tuple[Pattern, ...]:
        """Sequences of words that an exchange must not produce."""
        return tuple(_pattern(text, self._lists) for text in self.target.ungrammatical)

    @cached_property
    def rules(self) -> dict[tuple[str, str], tuple[Rule, ...]]:
        """The rules of each exchange."""
        return {
            (one.from_, one.to): tuple(_rule(text, self._lists) for text in one.rules)
            for one in self.exchanges
        }

    @cached_property
    def _lists(self) -> dict[str, frozenset[str]]:
        """The lists of words for rules."""
        return _forms(self.target.lists)


def _forms(words: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Words by name, in lower case."""
    return {name: frozenset(each.lower().split()) for name, each in words.items()}


def _rule(text: str, lists: Mapping[str, frozenset[str]]) -> Rule:
    """Read a rule.

    Raises:
        ValueError: it is not one.
    """
    left, equals, right = text.partition("=")
    words, replacement = (
        [word for word in side.split() if word not in _BORDERS] for side in (left, right)
    )
    if not equals or not words or len(words) != len(replacement):
        raise ValueError(f"rule {text!r} needs as many words on both sides of =")
    if any(a != b and "@" in (a[0], b[0]) for a, b in zip(words, replacement, strict=True)):
        raise ValueError(f"rule {text!r} needs its lists at the same places on both sides of =")
    return Rule(_pattern(left, lists), tuple(None if w.startswith("@") else w for w in replacement))


def _pattern(text: str, lists: Mapping[str, frozenset[str]]) -> Pattern:
    """Read words in a row.

    Raises:
        ValueError: there are none, or a list is missing.
    """
    row = text.split()
    words = [word.lower() for word in row if word not in _BORDERS]
    if not words:
        raise ValueError(f"{text!r} has no words")
    for word in words:
        if word.startswith("@") and word[1:] not in lists:
            raise ValueError(f"{text!r}: there is no list {word[1:]!r} in target.lists")
    return Pattern(
        tuple(lists[w[1:]] if w.startswith("@") else frozenset((w,)) for w in words),
        at_start=row[0] == "^",
        at_end=row[-1] == "$",
    )


def read_table(languages: tuple[str, str], path: PathLike | None = None) -> PronounTable:
    """Read the table of a pair of languages.

    Args:
        languages: codes of the source and the target language.
        path: a TOML file. Default: the table bundled with docmt.

    Raises:
        InputError: docmt has no such table, or the file is not a valid one.
    """
    if path is not None:
        return _parse(read_bytes(path), path)
    pair = "-".join(primary_language(code) for code in languages)
    known = sorted(Path(table.name).stem for table in _TABLES.iterdir())
    if pair not in known:
        raise InputError(
            f"docmt has no table of pronouns for {pair}, only for {', '.join(known)}",
            cure="Name a file with one: `table`",
            parameters=("table",),
        )
    return _parse(_TABLES.joinpath(f"{pair}.toml").read_bytes(), f"{pair}.toml")


def _parse(content: bytes, path: PathLike) -> PronounTable:
    """The table in a TOML file."""
    try:
        values = tomllib.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"is not valid TOML ({error})", path=path) from None
    return PronounTable.read(values, path=path)
