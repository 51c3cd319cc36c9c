"""The place of a block, in words that lead a person there."""

from __future__ import annotations

import pytest

from docmt_files.core.scopes import Scope, place_of


@pytest.mark.parametrize(
    ("scope", "place"),
    [
        (None, ""),
        (Scope("cell", "B4", Scope("sheet", "Prices")), "Prices!B4"),
        (Scope("key", "b", Scope("key", "a")), "a.b"),
        (
            Scope("time", "00:01", Scope("part", "notes", Scope("slide", "3"))),
            "slide 3, notes, 00:01",
        ),
        (Scope("element", "p"), ""),
    ],
)
def test_a_place_is_named_from_the_outside(scope, place):
    assert place_of(scope) == place
