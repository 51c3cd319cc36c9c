"""The results: JSON without text, tables, and the criterion of the protocol."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docmt_files.storage.files import write_text
from docmt_files.storage.json_files import read_json
from docmt_research.analysis.proportions import mean_interval
from ellipsis_arms import ARMS, TWIN
from ellipsis_data import load_cases
from ellipsis_measures import START

RESULTS = Path(__file__).resolve().parent / "results"

JUDGED = ("copied", "concatenation")
"""The arms that the criterion is about."""

LEAST_GAIN, MOST_BLEU_LOST, SEEDS = 5.0, 0.5, 3
"""The criterion, in points of the share of expected forms and of BLEU, and the seeds it needs."""

_RESAMPLES = 10_000

Measures = dict[str, Any]


@dataclass(frozen=True)
class Gain:
    """A difference of shares of expected forms, in points.

    Attributes:
        by_seed: of each seed.
        low, high: the ends of the 95 % interval of their mean, by bootstrap over films.
    """

    by_seed: tuple[float, ...]
    low: float
    high: float

    @property
    def holds(self) -> bool:
        """Return whether the difference is what the criterion asks, in the seeds that there are."""
        return min(self.by_seed) >= LEAST_GAIN and self.low > 0

    def __str__(self) -> str:
        seeds = ", ".join(f"{one:+.1f}" for one in self.by_seed)
        return f"{seeds} ({self.low:+.1f} to {self.high:+.1f})"


def gain(
    own: Sequence[str], others: Sequence[str], films: Sequence[int], keep: NDArray[np.bool_]
) -> Gain:
    """How much more often decisions are right than others.

    Args:
        own, others: for each seed a digit for each case.
        films: the film of each case, from 0.
        keep: the cases that count.
    """
    right, other = _flags(own)[:, keep], _flags(others)[:, keep]
    differences = 100 * (right - other)  # (seeds, cases)
    groups = np.unique(np.asarray(films)[keep], return_inverse=True)[1]
    low, high = mean_interval(differences.mean(0), groups, resamples=_RESAMPLES)
    return Gain(tuple(float(one) for one in differences.mean(1)), low, high)


def verdict(seeing: Sequence[Measures], twins: Sequence[Measures], films: Sequence[int]) -> str:
    """The verdict of the protocol on an arm.

    Args:
        seeing, twins: the measures of each seed, with and without context.
        films: the film of each case.
    """
    keep = np.ones(len(films), bool)
    own = [one["own"] for one in seeing]
    over_twin = gain(own, [one["own"] for one in twins], films, keep)
    over_shuffled = gain(own, [one["shuffled"] for one in seeing], films, keep)
    lost = np.mean([b["bleu"] - a["bleu"] for a, b in zip(seeing, twins, strict=True)])
    holds = over_twin.holds and over_shuffled.holds and lost <= MOST_BLEU_LOST
    if len(seeing) < SEEDS:
        return f"not decided: seeds {len(seeing)} of {SEEDS}; in these it {_HOLDS[holds]}"
    return _HOLDS[holds]


_HOLDS = {True: "holds", False: "does not hold"}


def write_report(work: Path) -> None:
    """Keep the measures, and write `results/results.md`.

    Args:
        work: the folder of the study's data and runs.
    """
    cases = load_cases(work / "data/test.jsonl")
    films = np.unique([case.film for case in cases], return_inverse=True)[1].tolist()
    near = [case.distance == 1 for case in cases]
    measured = {
        path.name.removesuffix(".measures.json"): read_json(path)
        for path in sorted((work / "runs").glob("*.measures.json"))
    }
    RESULTS.mkdir(exist_ok=True)
    kept = {"films": films, "antecedent one before": "".join("01"[one] for one in near)}
    write_text(RESULTS / "cases.json", json.dumps(kept) + "\n")
    write_text(RESULTS / "measures.json", json.dumps(measured, indent=1) + "\n")
    write_text(RESULTS / "data.json", (work / "data/data.json").read_text("utf-8"))
    write_text(RESULTS / "results.md", page(measured, films, near))


def page(measured: dict[str, Measures], films: Sequence[int], near: Sequence[bool]) -> str:
    """The tables.

    Args:
        measured: the measures of each run.
        films: the film of each case.
        near: whether the antecedent of each case is in the sentence before.
    """
    at, everywhere = np.asarray(near), np.ones(len(films), bool)
    lines = [
        "# Results",
        "",
        "Made by `ellipsis_study.py report`. Shares of expected forms in percent, in the context",
        "of the case and in another; *near*: the antecedent is in the sentence before; loss of",
        "validation.",
        "",
        "| run | all | near | far | other context | BLEU | loss | gates pass |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for name, one in measured.items():
        own, gates = _flags([one["own"]])[0], one.get("gates", {}).values()
        cells = [f"{100 * own[keep].mean():.1f}" for keep in (everywhere, at, ~at)]
        cells.append(_percent(one["shuffled"]) if "shuffled" in one else "")
        cells += [f"{one['bleu']:.2f}", f"{one['loss']:.3f}" if "loss" in one else ""]
        lines.append(f"| `{name}` | {' | '.join(cells)} | {', '.join(f'{g:.2f}' for g in gates)} |")
    if START in measured:
        lines.append(f"| the rule that copies | {_percent(measured[START]['rule'])} | | | | | | |")
    lines += [
        "",
        "Differences in points by seed, with the 95 % interval by bootstrap over films:",
        "",
        "| arm | over `blind` | near | far | over the other context | criterion |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for arm in (arm for arm in ARMS if arm != TWIN):
        seeing, twins = _seeds(measured, arm)
        if seeing:
            own, shuffled = ([one[key] for one in seeing] for key in ("own", "shuffled"))
            blind = [one["own"] for one in twins]
            gains = [gain(own, blind, films, keep) for keep in (everywhere, at, ~at)]
            gains.append(gain(own, shuffled, films, everywhere))
            judged = verdict(seeing, twins, films) if arm in JUDGED else ""
            lines.append(f"| `{arm}` | {' | '.join([*map(str, gains), judged])} |")
    return "\n".join(lines) + "\n"


def _seeds(measured: dict[str, Measures], arm: str) -> tuple[list[Measures], list[Measures]]:
    """The measures of an arm and of its twin, of the seeds that both have."""
    seeds = [name.removeprefix(f"{arm}-") for name in measured if name.startswith(f"{arm}-")]
    both = [seed for seed in seeds if f"{TWIN}-{seed}" in measured]
    return [measured[f"{arm}-{s}"] for s in both], [measured[f"{TWIN}-{s}"] for s in both]


def _percent(digits: str) -> str:
    return f"{100 * digits.count('1') / len(digits):.1f}"


def _flags(digits: Sequence[str]) -> NDArray[np.float64]:
    """(seeds, cases)"""
    return np.array([[float(digit) for digit in one] for one in digits])
