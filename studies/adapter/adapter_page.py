"""The criteria and the tables, from the records alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapter_records import METRICS, MOST_CHANGED, SEEDS, by_group, statistics_of
from adapter_tasks import TASKS, Task
from docmt_files.storage.files import write_text
from docmt_nmt.evaluation.statistics import Scores

MOST_PEOPLE_LOST = 1.0
"""Points of *he* and of *she* that may be lost in net: criterion A of *it*."""

MOST_DIFFERENCE = 0.3
"""Points between which the intervals of BLEU and chrF must lie: criterion B."""

DRAWS = 2_000

OTHER = "another film's context"

Flags = NDArray[np.float64]


def write_page(folder: Path, task: Task = TASKS["ellipsis"]) -> None:
    """Write `results.md`.

    Args:
        folder: the folder of the results.
        task: the task that they are of.
    """
    write_text(folder / "results.md", page(folder, task))


def page(folder: Path, task: Task = TASKS["ellipsis"]) -> str:
    """The tables of all seeds."""
    lines = ["# Results", "", "Made by `adapter_study.py report` from the files beside it.", ""]
    texts = _read(folder, "texts")
    for seed in SEEDS:
        arm = f"context-{seed}"
        known = [name for name in task.texts if _is_there(folder, f"{arm}.{name}")]
        if not known and not _is_there(folder, f"{arm}.test"):
            continue
        lines += [
            f"## Seed {seed}, τ = {_read(folder, 'thresholds')[str(seed)]['threshold']:g}",
            "",
        ]
        if _is_there(folder, f"{arm}.test"):
            lines += _better(folder, seed, texts, task)
        if known:
            lines += _worse_nowhere(folder, arm, known, task.texts)
    return "\n".join(lines).rstrip() + "\n"


def _better(folder: Path, seed: int, texts: dict[str, Any], task: Task) -> list[str]:
    """The shares of expected forms, the differences and criterion A."""
    record = _read(folder, f"context-{seed}.test")
    alone, made = (_flags(record[f"right {where}"]) for where in ("alone", "in context"))
    switch = _switched(record)
    columns = {"start": alone, "context": switch, "context without switch": made}
    if _is_there(folder, f"own-{seed}.test"):
        columns["own"] = _flags(_read(folder, f"own-{seed}.test")["right"])
    if _is_there(folder, f"context-{seed}.test-other"):
        columns[OTHER] = _switched(_read(folder, f"context-{seed}.test-other"))
    near, groups = _flags(texts["test"]["near"]) == 1, texts["test"]["groups"]
    lines = [
        "| arm | cases | right | near | far | context over it |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    holds, required = True, ("start", "own", OTHER)
    for name, values in columns.items():
        size = min(len(values), len(switch))
        is_near = near[:size]
        shares = [values[:size], values[:size][is_near], values[:size][~is_near]]
        shown = " | ".join(f"{100 * each.mean():.1f}" if len(each) else "" for each in shares)
        gap = ""
        if name != "context":
            more = 100 * (switch[:size] - values[:size])
            low, high = _interval(more, groups[:size], 95)
            gap = f"{more.mean():+.1f} ({low:.1f} to {high:.1f})"
            if name in required:
                holds &= bool(more.mean() >= task.least_gain and low > task.least_bound)
        lines.append(f"| {name} | {size:,} | {shown} | {gap} |")
    right, lost = int(alone.sum()), int(((alone == 1) & (switch == 0)).sum())
    missing = [name for name in required if name not in columns]
    people: list[str] = []
    if task.people:
        people, is_kept = _people(folder, seed, texts["people"]["groups"])
        holds &= is_kept
    return [
        *lines,
        "",
        f"Of {right:,} cases that the start has right, {lost} are lost.",
        "",
        *people,
        f"Criterion A: {verdict(holds, missing)}.",
        "",
    ]


def _people(folder: Path, seed: int, groups: Sequence[int]) -> tuple[list[str], bool]:
    """The table of *he* and *she*, and whether neither is lost in net."""
    record = _read(folder, f"context-{seed}.people")
    alone, switch, she = _flags(record["right alone"]), _switched(record), _flags(record["she"])
    lines = [
        "| people | sentences | right alone | with the switch | lost | gained | difference |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    holds = True
    of_each = {name: she == value for name, value in (("he", 0), ("she", 1)) if value in she}
    for name, is_own in of_each.items():
        old, new = alone[is_own], switch[is_own]
        gap = 100 * (new - old)
        own = np.unique(np.array(groups)[is_own], return_inverse=True)[1].tolist()
        low, high = _interval(gap, own, 95)
        holds &= low > -MOST_PEOPLE_LOST
        lines.append(
            f"| {name} | {is_own.sum():,} | {100 * old.mean():.1f} | {100 * new.mean():.1f} "
            f"| {(gap < 0).sum()} | {(gap > 0).sum()} "
            f"| {gap.mean():+.1f} ({low:+.1f} to {high:+.1f}) |"
        )
    return [*lines, ""], holds


def _switched(record: dict[str, Any]) -> Flags:
    """Whether each case is right with the switch."""
    alone, made = (_flags(record[f"right {where}"]) for where in ("alone", "in context"))
    taken = np.array([decided == "+" for decided in record["decided"]])
    return np.where(taken, made, alone)


def _worse_nowhere(
    folder: Path, arm: str, names: Sequence[str], wanted: Sequence[str]
) -> list[str]:
    """The tables of other texts, and criterion B."""
    lines = [
        "| text | sentences | changed | of those without a cue | BLEU | ΔBLEU | chrF | ΔchrF |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    holds = True
    for name in names:
        rows, is_within = text_rows(name, _read(folder, f"{arm}.{name}"))
        lines += rows
        holds &= is_within
    missing = [name for name in wanted if name not in names]
    return [*lines, "", f"Criterion B: {verdict(holds, missing)}.", ""]


def text_rows(name: str, record: dict[str, Any]) -> tuple[list[str], bool]:
    """The rows of a text, one for each reference, and whether criterion B holds on it."""
    taken = np.array([decided == "+" for decided in record["decided"]])
    without = taken[_flags(record["cue"]) == 0]
    holds = bool(without.mean() <= MOST_CHANGED)
    lines = []
    for number, counts in enumerate(record["counts"]):
        cells = []
        for metric in METRICS:
            old, new = (np.array(side, float) for side in counts[metric])
            scores = _scores(metric)
            gap = float(scores(new.sum(0)) - scores(old.sum(0)))
            both = _drawn(np.concatenate([old, new], axis=1))
            size = old.shape[1]
            low, high = _ends(scores(both[:, size:]) - scores(both[:, :size]), 90)
            holds &= low > -MOST_DIFFERENCE and high < MOST_DIFFERENCE
            cells += [f"{float(scores(new.sum(0))):.2f}", f"{gap:+.2f} ({low:+.2f} to {high:+.2f})"]
        label = name if number == 0 else f"{name}, second reference"
        lines.append(
            f"| {label} | {len(taken):,} | {taken.sum()} ({100 * taken.mean():.2f} %) "
            f"| {without.sum()} ({100 * without.mean():.2f} %) | {' | '.join(cells)} |"
        )
    return lines, holds


def verdict(holds: bool, missing: Sequence[str]) -> str:
    """A criterion in words. What failed has failed, whatever is missing."""
    if holds and missing:
        verb = "is" if len(missing) == 1 else "are"
        return f"not decided, as {' and '.join(missing)} {verb} missing"
    return "holds" if holds else "does not hold"


@cache
def _scores(metric: str) -> Scores:
    """The function from sums of counts to scores."""
    return statistics_of(metric, ["x"], ["x"]).scores


def share_of(digits: str, groups: Sequence[int]) -> str:
    """A share in words, with the interval of 95 % over groups."""
    values = 100 * _flags(digits)
    low, high = _interval(values, groups, 95)
    return f"{values.mean():.1f} % of {len(digits):,} ({low:.1f} to {high:.1f})"


def _interval(values: Flags, groups: Sequence[int], percent: int) -> tuple[float, float]:
    """The interval of a mean, by bootstrap over groups."""
    drawn = _drawn(by_group(np.stack([values, np.ones(len(values))], axis=1), groups))
    return _ends(drawn[:, 0] / drawn[:, 1], percent)


def _drawn(sums: Flags) -> Flags:
    """The sums of groups drawn with replacement."""
    generator = np.random.default_rng(1)
    weights = generator.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), size=DRAWS)
    return np.asarray(weights @ sums)


def _ends(values: Flags, percent: int) -> tuple[float, float]:
    edge = (100 - percent) / 2
    low, high = np.percentile(values, [edge, 100 - edge])
    return float(low), float(high)


def _flags(digits: str) -> Flags:
    return np.array([digit == "1" for digit in digits], float)


def _is_there(folder: Path, name: str) -> bool:
    return (folder / f"{name}.json").exists()


def _read(folder: Path, name: str) -> Any:
    return json.loads((folder / f"{name}.json").read_text("utf-8"))
