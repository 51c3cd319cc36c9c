"""The page of the results, from the measures alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from context_experiments import Experiment
from context_results import (
    Gain,
    Measures,
    accuracy,
    gain,
    interval,
    is_gendered,
    sanity,
    select,
    verdict,
)

_DISTANCES = (1, 2, 3, 4)

Pair = tuple[Sequence[Measures], Sequence[Measures]]
"""The measures of each seed, with context and of its twin."""


def page(pairs: Mapping[str, Pair], missing: Sequence[str]) -> str:
    """The page.

    Args:
        pairs: those that have been measured, by name; `parts` is the primary one.
        missing: the names of what has not been measured.
    """
    lines = ["# Where context decides: results", ""]
    if missing:
        lines += [f"Not measured: {', '.join(f'`{name}`' for name in missing)}.", ""]
    if "parts" in pairs:
        lines += [*_criterion(*pairs["parts"]), ""]
    for name, (seeing, twins) in pairs.items():
        lines += [f"## `{name}`", "", *_sanity(seeing, twins), ""]
        lines += [*_accuracies(seeing, twins), "", *_others(seeing, twins), ""]
    return "\n".join(lines).rstrip() + "\n"


def grouped(experiments: Sequence[Experiment], measured: Mapping[str, Measures]) -> dict[str, Pair]:
    """The pairs of which both members have been measured, by name, with a place for each seed.

    Args:
        experiments: both members of all pairs.
        measured: the measures of runs, by name.
    """
    pairs: dict[str, tuple[list[Measures], list[Measures]]] = {}
    for one in experiments:
        if one.twin is not None and {one.name, one.twin} <= set(measured):
            seeing, twins = pairs.setdefault(one.name.rsplit("-", 1)[0], ([], []))
            seeing.append(measured[one.name])
            twins.append(measured[one.twin])
    return dict(pairs)


def _criterion(seeing: Sequence[Measures], twins: Sequence[Measures]) -> list[str]:
    """Whether the criterion holds."""
    found = verdict(seeing, twins)
    return [
        f"The criterion {'holds' if found.holds else 'does not hold'}.",
        "",
        f"- over the twin: {_gain(found.over_twin)} points",
        f"- over shuffled context: {_gain(found.over_shuffled)} points",
        f"- s-BLEU against the twin: {found.bleu:+.2f}",
    ]


def _sanity(seeing: Sequence[Measures], twins: Sequence[Measures]) -> list[str]:
    """What must hold for the figures to mean something."""
    return [
        f"- {text}: {value:.1f} ({'as it should be' if holds else '**not as it should be**'})"
        for text, (value, holds) in sanity(seeing, twins).items()
    ]


def _accuracies(seeing: Sequence[Measures], twins: Sequence[Measures]) -> list[str]:
    """Contrastive accuracy, by pair of pronouns and by distance of the same pronoun."""
    lines = [
        "| cases | number | in context | shuffled | none | twin | over the twin | over shuffled |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    names = sorted({"/".join(sorted(c["pair"].split(":"))) for c in seeing[0]["dropped"]})
    groups: list[tuple[str, Any]] = [("all", lambda _: True)]
    groups += [
        (name, lambda c, name=name: "/".join(sorted(c["pair"].split(":"))) == name)
        for name in names
    ]
    distances: list[tuple[str, Any]] = [
        *((f"distance {d}", lambda c, d=d: c["distance"] == d) for d in _DISTANCES),
        ("pronoun not in the context", lambda c: c["distance"] is None),
    ]
    groups += distances
    groups += [
        (f"he/she, {name}", lambda c, keep=keep: is_gendered(c) and keep(c))
        for name, keep in distances
    ]
    for name, keep in groups:
        own, others = ([select(m["dropped"], keep) for m in each] for each in (seeing, twins))
        if not own[0]:
            continue
        cells = [
            f"{np.mean([accuracy(cases, condition) for cases in side]):.1f}"
            for side, condition in (
                (own, "context"),
                (own, "shuffled context"),
                (own, "no context"),
                (others, "context"),
            )
        ]
        gains = gain(own, others), gain(own, own, "shuffled context")
        row = [name, str(len(own[0])), *cells, *map(_gain, gains)]
        lines.append(f"| {' | '.join(row)} |")
    return lines


def _others(seeing: Sequence[Measures], twins: Sequence[Measures]) -> list[str]:
    """Bits, pronouns in free output, and scores, with and without context."""
    lines = ["| measure | with context | twin |", "| --- | --- | --- |"]
    sides = (seeing, twins)
    free = [np.array([_flat(m["free"]) for m in side]) for side in sides]
    rows: dict[str, list[list[float]]] = {
        "accuracy of dropped pronouns in free output": [
            [100 * float(one) for one in found.mean(1)] for found in free
        ],
        "APT": [[m["apt"] for m in side] for side in sides],
        **{
            name: [[m["scores"][name]["score"] for m in side] for side in sides]
            for name in seeing[0]["scores"]
        },
    }
    if all("official" in m for side in sides for m in side):
        rows |= {
            f"{name}, official test set": [
                [m["official"][name]["score"] for m in side] for side in sides
            ]
            for name in seeing[0]["official"]
        }
    for name, values in rows.items():
        lines.append(f"| {name} | {' | '.join(_each(one) for one in values)} |")
    gained = np.array(
        [
            np.array(_flat(b["bits"])) - np.array(_flat(a["bits"]))
            for a, b in zip(seeing, twins, strict=True)
        ]
    )
    owners = np.repeat(np.arange(len(seeing[0]["bits"])), [len(e) for e in seeing[0]["bits"]])
    low, high = interval(gained, owners)
    bits = f"Bits per sentence over the twin: {gained.mean():+.2f} ({low:+.2f} to {high:+.2f})."
    of_free = 100.0 * (free[0].astype(float) - free[1])
    owners = np.repeat(np.arange(len(seeing[0]["free"])), [len(e) for e in seeing[0]["free"]])
    low, high = interval(of_free, owners)
    text = (
        f"Accuracy of dropped pronouns in free output over the twin: {of_free.mean():+.1f} "
        f"({low:+.1f} to {high:+.1f}) points, {of_free.shape[1]:,} sentences."
    )
    return [*lines, "", bits, "", text]


def _flat(episodes: Sequence[Sequence[Any]]) -> list[Any]:
    return [value for episode in episodes for value in episode]


def _each(values: Sequence[float]) -> str:
    """The mean over seeds, and each."""
    text = f"{np.mean(values):.2f}"
    return text if len(values) == 1 else f"{text} ({', '.join(f'{v:.2f}' for v in values)})"


def _gain(found: Gain) -> str:
    """A gain with its interval and its seeds."""
    each = ", ".join(f"{one:+.1f}" for one in found.by_seed)
    return f"{found.mean:+.1f} ({found.low:+.1f} to {found.high:+.1f}; by seed {each})"
