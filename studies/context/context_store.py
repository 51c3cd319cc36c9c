"""What the repository keeps of the measures of runs: numbers by case and episode, and no text.

`cases.json` has what is the same for all runs: the episode, the pair, the distance and the place of
each case of a suite. A file for each run has a string for each condition, in which 1 is a case that
was decided right; for each episode the same of its dropped pronouns in free output, and how many
sentences it has and the mean of their bits; and scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from context_measures import SUITES
from context_results import Measures

Stored = dict[str, Any]


def cases_of(found: Measures) -> Stored:
    """What all runs share: for each suite a list for each field of its cases."""
    return {
        name: {key: [case[key] for case in found[name]] for key in _fields(found[name][0])}
        for name in SUITES
    }


def packed(found: Measures) -> Stored:
    """What is kept of the measures of a run."""
    decisions = {
        name: {
            key: _digits(case[key] for case in found[name])
            for key, value in found[name][0].items()
            if isinstance(value, bool)
        }
        for name in SUITES
    }
    return {
        **found,
        **decisions,
        "free": [_digits(episode) for episode in found["free"]],
        "bits": [[len(episode), sum(episode) / len(episode)] for episode in found["bits"]],
    }


def unpacked(stored: Mapping[str, Any], cases: Mapping[str, Any]) -> Measures:
    """The measures of a run, in which a sentence has the mean bits of its episode."""
    suites = {}
    for name in SUITES:
        columns = cases[name] | {key: _flags(text) for key, text in stored[name].items()}
        rows = zip(*columns.values(), strict=True)
        suites[name] = [dict(zip(columns, row, strict=True)) for row in rows]
    return {
        **stored,
        **suites,
        "free": [_flags(episode) for episode in stored["free"]],
        "bits": [[mean] * number for number, mean in stored["bits"]],
    }


def _fields(case: Mapping[str, Any]) -> list[str]:
    return [key for key, value in case.items() if not isinstance(value, bool)]


def _digits(flags: Any) -> str:
    return "".join("01"[flag] for flag in flags)


def _flags(text: str) -> list[bool]:
    return [letter == "1" for letter in text]
