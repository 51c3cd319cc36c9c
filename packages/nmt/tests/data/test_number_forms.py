"""Quantities in the form of the source language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_nmt.translators.checks.number_forms import foreign_numbers


def found(source, target, source_language="en", target_language="de"):
    return list(foreign_numbers(source, target, (source_language, target_language)))


@pytest.mark.parametrize(
    ("source", "target", "numbers"),
    [
        ("1.5 kg", "1.5 kg", ["1.5"]),
        ("about 1,500 km away", "etwa 1,500 km weit", ["1,500"]),
        ("$1,500.00", "1,500.00 $", ["1,500.00"]),
        ("3.500 m and 2.5%", "3.500 m und 2,5 %", ["3.500"]),
        ("1.5 kg", "1,5 kg", []),
        ("1,500 km", "1.500 km", []),
        ("Version 1.5 needs 2.5 GB", "Version 1.5 braucht 2,5 GB", []),
        ("1.2.3 kg", "1.2.3 kg", []),
        ("Section 1.5", "Abschnitt 1.5", []),
        ("1.5kgs", "1.5kgs", []),
    ],
)
def test_a_quantity_is_written_as_in_the_target_language(source, target, numbers):
    assert found(source, target) == numbers


def test_languages_with_the_same_forms_or_unknown_ones_are_not_checked():
    assert found("1.5 kg", "1.5 kg", "en", "zh") == found("1.5 kg", "1.5 kg", "en", "xx") == []
    assert found("1,5 kg", "1,5 kg", "de", "en") == ["1,5"]
    assert found("1.5 kg", "1.5 кг", "en", "ru") == ["1.5"]


@given(st.text(alphabet="0123456789.,$% kg", max_size=30), st.text(max_size=20))
def test_any_text_can_be_checked(source, target):
    assert set(found(source, source + target)) <= set(found(source, source))
    assert found(source, source, "en", "en") == []
