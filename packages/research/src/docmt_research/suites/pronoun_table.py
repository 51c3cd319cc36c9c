"""Tables of pronouns for a pair of languages: the pronouns of the source and of the target, and
rules of exchange for the target, with words in agreement (`docmt_nmt.text.word_exchange`). Values
in rows of words may have `^`, `$` and `@name`, too.
"""

from __future__ import annotations

import tomllib
from functools import cached_property
from importlib.resources import files
from pathlib import Path

from pydantic import Field, model_validator

from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language
from docmt_files.storage.files import PathLike, read_bytes
from docmt_nmt.base.settings import Settings
from docmt_nmt.text.word_exchange import Pattern, Rule, word_lists

_TABLES = files("docmt_research.suites").joinpath("tables")


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
        return word_lists(self.source.pronouns)

    @cached_property
    def target_forms(self) -> dict[str, frozenset[str]]:
        """The forms of each pronoun of the target."""
        return word_lists(self.target.pronouns)

    @cached_property
    def left_out(self) -> tuple[Pattern, ...]:
        """Sequences of words that exclude a sentence."""
        return tuple(Pattern.parse(text, self._lists) for text in self.target.left_out)

    @cached_property
    def ungrammatical(self) -> tuple[Pattern, ...]:
        """Sequences of words that an exchange must not produce."""
        return tuple(Pattern.parse(text, self._lists) for text in self.target.ungrammatical)

    @cached_property
    def rules(self) -> dict[tuple[str, str], tuple[Rule, ...]]:
        """The rules of each exchange."""
        return {
            (one.from_, one.to): tuple(Rule.parse(text, self._lists) for text in one.rules)
            for one in self.exchanges
        }

    @cached_property
    def _lists(self) -> dict[str, frozenset[str]]:
        """The lists of words for rules."""
        return word_lists(self.target.lists)


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
