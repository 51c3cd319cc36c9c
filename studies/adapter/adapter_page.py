"""The choice of τ, the criteria and the tables. Results have decisions and scores of each sentence,
and no text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapter_measures import START, final, is_right, is_taken, sentences
from docmt_files.storage.files import write_text
from docmt_nmt.evaluation.metric_settings import MetricSettings
from docmt_nmt.evaluation.metrics import build_metric, metric_kind
from docmt_nmt.evaluation.statistics import Statistics
from docmt_nmt.runs.adapter_names import ADAPTER
from docmt_nmt.runs.context_adapters import ContextAdapter

THRESHOLDS = (4.0, 6.0, 8.0, 10.0)

MOST_CHANGED = 0.01
"""Share of ordinary sentences that may be changed."""

LEAST_GAIN, LEAST_BOUND = 15.0, 10.0
"""Points over each other arm, and over which the lower bound must lie: criterion A."""

MOST_DIFFERENCE = 0.3
"""Points between which the intervals of BLEU and chrF must lie: criterion B."""

DRAWS = 2_000

SEEDS = (1, 2, 3)

_TEXTS = ("subtitles", "news", "chats")

Row = dict[str, Any]


def choose_threshold(work: Path, seed: int) -> None:
    """Choose τ by the development texts, and write it with the hash of the adapter's file."""
    arm = f"context-{seed}"
    dev, ordinary = (list(sentences(work, arm, name)) for name in ("dev", "ordinary"))
    found = {
        tau: (
            _share(is_right(s, final(s, tau)) for s in dev),
            _share(is_taken(s, tau) for s in ordinary),
        )
        for tau in THRESHOLDS
    }
    allowed = {tau: right for tau, (right, changed) in found.items() if changed <= MOST_CHANGED}
    chosen = max(allowed, key=lambda tau: allowed[tau]) if allowed else max(THRESHOLDS)
    path = work / "thresholds.json"
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    adapter = work / "runs" / arm / ADAPTER
    known[str(seed)] = {
        "threshold": chosen,
        "sha256": hashlib.sha256(adapter.read_bytes()).hexdigest(),
        "identity": ContextAdapter.read(adapter).identity,
        "cases": len(dev),
        "lines": len(ordinary),
        "right and changed": {
            f"{tau:g}": [round(100 * v, 2) for v in both] for tau, both in found.items()
        },
    }
    write_text(path, json.dumps(known, indent=1) + "\n")


def write_report(work: Path) -> None:
    """Write `results/` beside this file: what was decided for each sentence, and the tables."""
    folder = Path(__file__).parent / "results"
    folder.mkdir(exist_ok=True)
    thresholds = json.loads((work / "thresholds.json").read_text("utf-8"))
    write_text(folder / "thresholds.json", json.dumps(thresholds, indent=1) + "\n")
    write_text(folder / "data.json", (work / "data/data.json").read_text("utf-8"))
    lines = ["# Results", "", "Made by `adapter_study.py report`.", ""]
    for seed in SEEDS:
        if str(seed) in thresholds:
            lines += _of_seed(work, folder, seed, thresholds[str(seed)]["threshold"])
    write_text(folder / "results.md", "\n".join(lines) + "\n")


def _of_seed(work: Path, folder: Path, seed: int, tau: float) -> list[str]:
    """The tables of a seed."""
    arm = f"context-{seed}"
    lines = [f"## Seed {seed}, τ = {tau:g}", ""]
    if _is_there(work, arm, "test"):
        lines += _better(work, folder, seed, tau)
    rows = [name for name in _TEXTS if _is_there(work, arm, name)]
    if rows:
        lines += [
            "| text | sentences | changed | of those without a cue | BLEU | ΔBLEU | chrF | ΔchrF |"
        ]
        lines += ["| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    holds = True
    for name in rows:
        found = list(sentences(work, arm, name))
        _store(folder, arm, name, found, tau)
        table, is_within = _worse_nowhere(name, found, tau)
        lines += table
        holds &= is_within
    if rows:
        missing = [name for name in _TEXTS if name not in rows]
        lines += ["", f"Criterion B: {_verdict(holds, missing)}."]
    return [*lines, ""]


def _verdict(holds: bool, missing: Sequence[str]) -> str:
    """A criterion in words. What failed has failed, whatever is missing."""
    if holds and missing:
        return f"not decided, as {' and '.join(missing)} is missing"
    return "holds" if holds else "does not hold"


def _is_there(work: Path, arm: str, name: str) -> bool:
    return all((work / "made" / f"{each}.{name}.jsonl").exists() for each in (START, arm))


def _better(work: Path, folder: Path, seed: int, tau: float) -> list[str]:
    """The shares of expected forms, and the differences."""
    arm = f"context-{seed}"
    found = list(sentences(work, arm, "test"))
    _store(folder, arm, "test", found, tau)
    start = np.array([is_right(s, s["alone"]) for s in found], float)
    switch = np.array([is_right(s, final(s, tau)) for s in found], float)
    columns = {
        "start": start,
        "context": switch,
        "context without switch": np.array([is_right(s, s["made"]) for s in found], float),
    }
    if _is_there(work, f"own-{seed}", "test"):
        own = list(sentences(work, f"own-{seed}", "test"))
        columns["own"] = np.array([is_right(s, s["made"]) for s in own], float)
    if _is_there(work, arm, "test-other"):
        other = list(sentences(work, arm, "test-other"))
        _store(folder, arm, "test-other", other, tau)
        columns["another film's context"] = np.array(
            [is_right(s, final(s, tau)) for s in other], float
        )
    near = np.array([s["distance"] == 1 for s in found])
    films = [s["group"] for s in found]
    lines = [
        "| arm | cases | right | near | far | context over it |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    holds, required = True, ("start", "own", "another film's context")
    for name, values in columns.items():
        size = min(len(values), len(switch))
        shares = [values[:size], values[:size][near[:size]], values[:size][~near[:size]]]
        shown = " | ".join(f"{100 * each.mean():.1f}" if len(each) else "" for each in shares)
        gap = ""
        if name != "context":
            more = switch[:size] - values[:size]
            low, high = _interval(100 * more, films[:size], 95)
            gap = f"{100 * more.mean():+.1f} ({low:.1f} to {high:.1f})"
            if name in required:
                holds &= bool(100 * more.mean() >= LEAST_GAIN and low > LEAST_BOUND)
        lines.append(f"| {name} | {size:,} | {shown} | {gap} |")
    lost = int(((start == 1) & (switch == 0)).sum())
    lines += ["", f"Of {int(start.sum()):,} cases that the start has right, {lost} are lost.", ""]
    missing = [name for name in required if name not in columns]
    return [*lines, f"Criterion A: {_verdict(holds, missing)}.", ""]


def _worse_nowhere(name: str, found: Sequence[Row], tau: float) -> tuple[list[str], bool]:
    """The rows of a text, one for each reference, and whether criterion B holds on it."""
    taken = [is_taken(s, tau) for s in found]
    without = [t for s, t in zip(found, taken, strict=True) if not s["cue"]]
    firsts = [s for s in found if s["first"] and final(s, tau) != s["alone"]]
    assert not firsts, "a first sentence is the start's"
    lines = []
    holds = _share(without) <= MOST_CHANGED
    groups = [s["group"] for s in found]
    for number in range(len(found[0]["references"])):
        references = [s["references"][number] for s in found]
        cells = []
        for metric in ("s-bleu", "s-chrf"):
            old = _counts(metric, [s["alone"] for s in found], references)
            new = _counts(metric, [final(s, tau) for s in found], references)
            low, high = _interval_of_scores(old, new, groups)
            holds &= low > -MOST_DIFFERENCE and high < MOST_DIFFERENCE
            cells += [
                f"{new.score:.2f}",
                f"{new.score - old.score:+.2f} ({low:+.2f} to {high:+.2f})",
            ]
        label = name if number == 0 else f"{name}, second reference"
        lines.append(
            f"| {label} | {len(found):,} | {sum(taken)} ({100 * _share(taken):.2f} %) "
            f"| {sum(without)} ({100 * _share(without):.2f} %) | {' | '.join(cells)} |"
        )
    return lines, holds


def _counts(metric: str, translations: Sequence[str], references: Sequence[str]) -> Statistics:
    """The counts of a metric for each sentence."""
    settings = MetricSettings(metrics=(metric,), language="pt")
    return build_metric(metric_kind(metric), settings).statistics(translations, [references])


def _interval(
    values: NDArray[np.float64], groups: Sequence[str], percent: int
) -> tuple[float, float]:
    """The interval of a mean, by bootstrap over groups."""
    sums = _by_group(np.stack([values, np.ones(len(values))], axis=1), groups)
    drawn = _drawn(sums)
    return _ends(drawn[:, 0] / drawn[:, 1], percent)


def _interval_of_scores(
    old: Statistics, new: Statistics, groups: Sequence[str]
) -> tuple[float, float]:
    """The interval of 90 % of the difference of two scores, by bootstrap over groups."""
    both = _drawn(_by_group(np.concatenate([old.counts, new.counts], axis=1), groups))
    size = old.counts.shape[1]
    return _ends(new.scores(both[:, size:]) - old.scores(both[:, :size]), 90)


def _by_group(values: NDArray[np.float64], groups: Sequence[str]) -> NDArray[np.float64]:
    names = {name: index for index, name in enumerate(dict.fromkeys(groups))}
    sums = np.zeros((len(names), values.shape[1]))
    np.add.at(sums, [names[group] for group in groups], values)
    return sums


def _drawn(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums of groups drawn with replacement."""
    generator = np.random.default_rng(1)
    weights = generator.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), size=DRAWS)
    return np.asarray(weights @ sums)


def _ends(values: NDArray[np.float64], percent: int) -> tuple[float, float]:
    edge = (100 - percent) / 2
    low, high = np.percentile(values, [edge, 100 - edge])
    return float(low), float(high)


def _share(flags: Iterable[bool]) -> float:
    kept = list(flags)
    return sum(kept) / len(kept) if kept else 0.0


def _store(folder: Path, arm: str, name: str, found: Sequence[Row], tau: float) -> None:
    """Store what was decided for each sentence: nothing differs (`.`), refused (`-`), or taken
    (`+`); whether the expected form is there alone and in context; and the margins."""

    def digits(flag: Callable[[Row], bool]) -> str:
        return "".join("01"[flag(s)] for s in found)

    decided = "".join(
        "." if s["made"] == s["alone"] else "+" if is_taken(s, tau) else "-" for s in found
    )
    record: dict[str, Any] = {
        "threshold": tau,
        "decided": decided,
        "cue": digits(lambda s: s["cue"]),
        "lost": digits(lambda s: s["lost"]),
        "margins": [round(s["margin"], 2) for s in found if s["made"] != s["alone"]],
    }
    if found and found[0]["expected"]:
        record["right alone"] = digits(lambda s: is_right(s, s["alone"]))
        record["right in context"] = digits(lambda s: is_right(s, s["made"]))
    write_text(folder / f"{arm}.{name}.json", json.dumps(record) + "\n")
