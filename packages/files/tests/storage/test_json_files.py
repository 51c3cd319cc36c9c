"""JSON that docmt writes."""

from __future__ import annotations

import json
from math import inf, nan

import pytest
from pydantic import BaseModel

from docmt_files.base.errors import InputError
from docmt_files.storage.json_files import json_text, read_model


def _refuse(constant):
    raise AssertionError(constant)


@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_a_number_that_json_lacks_is_null_wherever_it_is(value):
    text = json_text({"a": [1.5, (value, {"b": value})], "c": "NaN"}, indent=1)
    assert json.loads(text, parse_constant=_refuse) == {"a": [1.5, [None, {"b": None}]], "c": "NaN"}


def test_finite_values_are_written_as_they_are():
    assert json_text({"ä": [0.1, 1, True, None]}) == '{"ä": [0.1, 1, true, null]}'


def test_half_of_a_surrogate_pair_is_written_as_an_escape():
    text = json_text({"a": "x\ud800y"})
    assert text == '{"a": "x\\ud800y"}' and json.loads(text) == {"a": "x\ud800y"}


class _Point(BaseModel):
    scores: dict[str, float | None]


def test_a_model_says_what_a_file_must_hold(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"scores": {"x": null, "y": 1}, "more": 2}')
    assert read_model(path, _Point, what="a point").scores == {"x": None, "y": 1.0}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "does not hold a JSON object"),
        ("{}", r"is not a point \(scores: Field required\)"),
        ('{"scores": {"x": "high"}}', r"is not a point \(scores.x: "),
        ('{"scores": {"\\ud800": 1}}', "holds text that is not Unicode"),
    ],
)
def test_another_object_is_an_error_that_names_the_key(tmp_path, text, problem):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(InputError, match=problem):
        read_model(tmp_path / "a.json", _Point, what="a point")
