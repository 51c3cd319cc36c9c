"""Answers of a judge are read strictly, and points follow from severities."""

from __future__ import annotations

import json

import pytest

from docmt_research.judging.judge_answers import (
    ErrorSpan,
    UnreadableAnswerError,
    penalties,
    read_assessment,
    read_comparison,
    read_errors,
)
from docmt_research.judging.judged_passages import Passage

SOURCE = ("It is late.", "", "She sleeps.", "Who knows?")
TARGET = ("Er ist spät.", "", "Sie schläft.", "")
PASSAGE = Passage(0, SOURCE, None, (2, 3), (0,))


def error(**changes):
    return {
        "id": "s3",
        "span": "schläft",
        "category": "mistranslation",
        "severity": "major",
        **changes,
    }


def test_errors_are_read_with_their_sentences():
    answer = json.dumps({"errors": [error(), error(id="s4", span="x", severity="critical")]})
    assert read_errors(answer, PASSAGE, TARGET) == [
        ErrorSpan(2, "schläft", "mistranslation", "major"),
        ErrorSpan(3, "x", "mistranslation", "critical"),
    ]
    assert read_errors('{"errors": []}', PASSAGE, TARGET) == []


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "no errors",
        '```json\n{"errors": []}\n```',
        '{"errors": []} I hope this helps.',
        "[]",
        '{"errors": null}',
        '{"errors": [], "score": 90}',
        '{"errors": [{}]}',
        json.dumps({"errors": [error(id="s1")]}),
        json.dumps({"errors": [error(severity="neutral")]}),
        json.dumps({"errors": [error(category="tone")]}),
        json.dumps({"errors": [error(span="schlief")]}),
        json.dumps({"errors": [error(span=" ")]}),
        json.dumps({"errors": [error(span=7)]}),
        json.dumps({"errors": [error(more=1)]}),
        "[" * 100_000,
    ],
)
def test_what_is_not_exactly_a_list_of_errors_is_not_read(answer):
    with pytest.raises(UnreadableAnswerError):
        read_errors(answer, PASSAGE, TARGET)


def test_points_are_those_of_severities_and_at_most_25_for_a_sentence():
    def found(*severities):
        return [ErrorSpan(2, "s", "style", severity) for severity in severities]

    assert penalties(found("minor", "major", "minor"), PASSAGE) == [7, 0]
    assert penalties(found("critical", "major"), PASSAGE) == [25, 0]
    assert penalties(found(*["major"] * 6), PASSAGE) == [25, 0]
    assert penalties([], PASSAGE) == [0, 0]


@pytest.mark.parametrize("score", [0, 73, 100])
def test_an_assessment_is_a_whole_number(score):
    assert read_assessment(json.dumps({"score": score})) == score


@pytest.mark.parametrize(
    "score", ["101", "-1", '"80"', "80.5", "true", "NaN", "null", '80, "why": ""', "[80]"]
)
def test_no_other_assessment_is_read(score):
    with pytest.raises(UnreadableAnswerError):
        read_assessment(f'{{"score": {score}}}')


@pytest.mark.parametrize("answer", ['{"better": "a"}', '{"better": "both"}', "A", '{"better": []}'])
def test_no_other_preference_is_read(answer):
    assert read_comparison('{"better": "B"}') == "B"
    with pytest.raises(UnreadableAnswerError):
        read_comparison(answer)
