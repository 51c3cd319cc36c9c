"""Where a block stands in a file: in a sheet, a slide, an element, under a key, with a style.

A reader gives a block its `Scope`, a chain from the innermost one outward. Blocks share the outer
scopes, so a deep file needs no more memory than a flat one. Rules choose blocks by their scopes
(`docmt_files.exclusion.exclusion`), and reports name the place of a block (`place_of`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

ScopeKind = Literal[
    "part", "page", "slide", "sheet", "cell", "row", "column", "key", "time", "style", "element",
    "hidden", "note", "max-length",
]  # fmt: skip
"""Kinds of scopes: a part of a package (`footnotes`, `text/chapter1.xhtml`); the page of the last
layout; a slide by its number; a sheet by its name; a cell (`B4`) or a row by its number; a column
by its letters or its name; a key, of which the outer keys are parts of the path; the time of a cue;
a style by its name or its id; an element, as its start tag; hidden content; a note of the author;
the most characters of a translation."""


_MAX_DEPTH = 300
"""The most scopes around a text in a file that is not made to be slow."""

_MAX_NOTES = 1000
"""Maximum characters of the notes on a text."""


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """Something around a block.

    Attributes:
        kind: the kind.
        value: the name or number; empty where the kind says all.
        outer: the scope around it.
    """

    kind: ScopeKind
    value: str = ""
    outer: Scope | None = None

    def within(self, outer: Scope | None) -> Scope:
        """The scope, and all scopes around it, with another scope around them."""
        around = outer if self.outer is None else self.outer.within(outer)
        return Scope(self.kind, self.value, around)

    def chain(self) -> Iterator[Scope]:
        """The scope and the scopes around it, from the inside outward."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def nearest(self) -> Iterator[Scope]:
        """The same up to a depth of sane files, in constant time."""
        return islice(self.chain(), _MAX_DEPTH)


def key_path(scope: Scope) -> str:
    """The path of a key: the keys of a chain, from the outermost, with points between them."""
    keys = [each.value for each in scope.nearest() if each.kind == "key"]
    return ".".join(reversed(keys))


def notes_on(scope: Scope) -> str:
    """The notes for translators in a chain, from the outermost, a line each; cut if very long."""
    notes = [each.value.strip() for each in scope.nearest() if each.kind == "note"]
    text = "\n".join(filter(None, reversed(notes)))
    return text if len(text) <= _MAX_NOTES else f"{text[:_MAX_NOTES]}…"


def value_in_scopes(scope: Scope | None, kind: ScopeKind) -> str | None:
    """The value of the innermost scope of a kind, or None."""
    near = () if scope is None else scope.nearest()
    return next((each.value for each in near if each.kind == kind), None)


def place_of(scope: Scope | None) -> str:
    """The place of a block in words that lead a person there; empty if the scope does not say.

    >>> place_of(Scope("cell", "B4", Scope("sheet", "Prices")))
    'Prices!B4'
    """
    if scope is None:
        return ""
    sheet, cell = value_in_scopes(scope, "sheet"), value_in_scopes(scope, "cell")
    if sheet is not None and cell is not None:
        return f"{sheet}!{cell}"
    named = [
        each.value if each.kind in ("part", "time") else f"{each.kind} {each.value}"
        for each in reversed(list(scope.nearest()))
        if each.kind in ("part", "page", "slide", "sheet", "row", "time")
    ]
    if key := key_path(scope):
        named.append(key)
    return ", ".join(named)
