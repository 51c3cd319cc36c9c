"""The required answers of a judge, and the strict reading of answers. An answer in any other form
says nothing, and no score is made from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from docmt_files.storage.json_files import parse_json
from docmt_research.judging.judge_prompts import CATEGORIES
from docmt_research.judging.judged_passages import Passage

Severity = Literal["critical", "major", "minor"]
"""Severities of errors."""

PENALTIES: Mapping[Severity, float] = {"critical": 25, "major": 5, "minor": 1}
"""Points for an error (after Freitag et al. 2021, "Experts, Errors, and Context": 25 for a sentence
not translated at all, 5 for a major and 1 for a minor error)."""

MAX_PENALTY = 25.0
"""Maximum points for a sentence: the points for a sentence not translated at all."""

Preference = Literal["A", "B", "neither"]
"""Which of two translations is better."""

_SEVERITIES = get_args(Severity)
_PREFERENCES = get_args(Preference)


class UnreadableAnswerError(ValueError):
    """An answer is not in the requested form."""


@dataclass(frozen=True, slots=True)
class ErrorSpan:
    """An error in a translation.

    Attributes:
        sentence: the index of the sentence in the document.
        span: the words of the translation.
        category: of the error.
        severity: of the error.
    """

    sentence: int
    span: str
    category: str
    severity: Severity


def errors_schema(passage: Passage) -> dict[str, Any]:
    """The JSON schema of the errors of a passage."""
    error = _object(
        id=_one_of(passage.ids),
        span={"type": "string", "minLength": 1},
        category=_one_of(CATEGORIES),
        severity=_one_of(_SEVERITIES),
    )
    return _object(errors={"type": "array", "items": error})


ASSESSMENT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"score": {"type": "integer", "minimum": 0, "maximum": 100}},
    "required": ["score"],
    "additionalProperties": False,
}
"""The JSON schema of a direct assessment."""

COMPARISON_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"better": {"type": "string", "enum": list(_PREFERENCES)}},
    "required": ["better"],
    "additionalProperties": False,
}
"""The JSON schema of a comparison."""


def read_errors(answer: str, passage: Passage, target: Sequence[str]) -> list[ErrorSpan]:
    """The errors of a passage.

    Args:
        answer: the answer.
        passage: the passage.
        target: the translation of the document.

    Raises:
        UnreadableAnswerError: the answer does not match `errors_schema`, or a span is not in the
            sentence of the error.
    """
    (listed,) = _values(_json(answer), "errors")
    if not isinstance(listed, list):
        raise UnreadableAnswerError("errors is not a list")
    indices = dict(zip(passage.ids, passage.indices, strict=True))
    errors = []
    for value in listed:
        name, span, category, severity = _values(value, "id", "span", "category", "severity")
        if not all(isinstance(text, str) for text in (name, span, category, severity)):
            raise UnreadableAnswerError("a value of an error is not text")
        if name not in indices:
            raise UnreadableAnswerError(f"no sentence has the id {name!r}")
        if severity not in _SEVERITIES or category not in CATEGORIES:
            raise UnreadableAnswerError(f"no error is {severity} {category}")
        # An empty sentence has no words, and any words may name it.
        sentence = target[indices[name]]
        if sentence.strip() and (not span.strip() or span not in sentence):
            raise UnreadableAnswerError(f"{span!r} is not in the translation")
        errors.append(ErrorSpan(indices[name], span, category, cast(Severity, severity)))
    return errors


def read_assessment(answer: str) -> float:
    """The number of a direct assessment, from 0 to 100.

    Raises:
        UnreadableAnswerError: it is not as `ASSESSMENT_SCHEMA`.
    """
    (score,) = _values(_json(answer), "score")
    if type(score) is not int or not 0 <= score <= 100:
        raise UnreadableAnswerError(f"{score!r} is not a whole number from 0 to 100")
    return float(score)


def read_comparison(answer: str) -> Preference:
    """Which of two translations is better.

    Raises:
        UnreadableAnswerError: it is not as `COMPARISON_SCHEMA`.
    """
    (better,) = _values(_json(answer), "better")
    if better not in _PREFERENCES:
        raise UnreadableAnswerError(f"{better!r} is not A, B or neither")
    return cast(Preference, better)


def penalties(errors: Sequence[ErrorSpan], passage: Passage) -> list[float]:
    """The points for each sentence of a passage."""
    points = dict.fromkeys(passage.indices, 0.0)
    for error in errors:
        points[error.sentence] += PENALTIES[error.severity]
    return [min(value, MAX_PENALTY) for value in points.values()]


def _object(**properties: Any) -> dict[str, Any]:
    """The JSON schema of an object with these keys and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _one_of(texts: Sequence[str]) -> dict[str, Any]:
    """The JSON schema of one of some texts."""
    return {"type": "string", "enum": list(texts)}


def _json(answer: str) -> Any:
    try:
        return parse_json(answer)
    except ValueError:
        raise UnreadableAnswerError("it is not JSON") from None


def _values(value: Any, *keys: str) -> list[Any]:
    """The values of an object with exactly these keys."""
    if not isinstance(value, dict) or value.keys() != set(keys):
        raise UnreadableAnswerError(f"it is not an object with {', '.join(keys)}")
    return [value[key] for key in keys]
