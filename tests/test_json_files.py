"""JSON that docmt writes."""

from __future__ import annotations

import json
from math import inf, nan

import pytest

from docmt.json_files import json_text


def _refuse(constant):
    raise AssertionError(constant)


@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_a_number_that_json_lacks_is_null_wherever_it_is(value):
    text = json_text({"a": [1.5, (value, {"b": value})], "c": "NaN"}, indent=1)
    assert json.loads(text, parse_constant=_refuse) == {"a": [1.5, [None, {"b": None}]], "c": "NaN"}


def test_finite_values_are_written_as_they_are():
    assert json_text({"ä": [0.1, 1, True, None]}) == '{"ä": [0.1, 1, true, null]}'
