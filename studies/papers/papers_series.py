"""The results of several series of runs as one. The runs of a series are in one folder on one
machine, and `papers.py evaluate` compares them sentence by sentence. Of a series that has ended
only its results are left, `SERIES/NAME.json`, so a later one with other seeds is tested on its own,
and this module says what the series say together.

Means are those over all seeds. The ends of intervals are averaged: they say how much depends on the
choice of the test split, which all series share. P-values are combined by twice their mean, which
holds however they depend on each other (Rüschendorf 1982).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from statistics import stdev
from typing import Any

from docmt_files.storage.json_files import read_json
from docmt_nmt.evaluation.comparison import Comparison, compare_statistics
from docmt_nmt.evaluation.statistics import Statistics, as_counts, bleu
from papers_costs import read_costs
from papers_experiments import EXPERIMENTS

FOLDER = Path(__file__).parent / "results" / "data"
"""Where the series are, a folder each."""

Result = Mapping[str, Any]
"""What is known of an experiment."""

Results = Mapping[str, Result]
"""What is known of each experiment, by its name."""


def load_results(folder: Path = FOLDER) -> Results:
    """The results of all experiments that have any, with their costs if these are known.

    The costs of an experiment, `costs`, are by the name of the series that has timed it, each with
    its `machine`.
    """
    found: dict[str, list[Result]] = {}
    costs: dict[str, dict[str, Any]] = {}
    for series in sorted(path for path in folder.glob("*") if path.is_dir()):
        for name in EXPERIMENTS:
            path = series / f"{name}.json"
            if path.exists():
                found.setdefault(name, []).append(read_json(path))
        timed = read_costs(series)
        for name, cost in timed.get("experiments", {}).items():
            own = costs.setdefault(name, {})
            own[series.name] = {**cost, "machine": timed["machine"]}
    return {
        name: {**joined(found[name]), "costs": costs.get(name, {})}
        for name in EXPERIMENTS
        if name in found
    }


def recomputed(system: Result, baseline: Result, metric: str) -> Comparison | None:
    """The test of two experiments of one series by a kind of BLEU, from their counts per document,
    with the seeds that both have; None where the results have no counts, as those of the first four
    series, which kept none."""
    seeds = [seed for seed in system["seeds"] if seed in baseline["seeds"]]
    counts = [one.get("counts", {}).get(metric) for one in (system, baseline)]
    if None in counts or not seeds:
        return None
    ours, theirs = (
        [Statistics(as_counts(each[one["seeds"].index(seed)]), bleu, metric) for seed in seeds]
        for one, each in zip((system, baseline), counts, strict=True)
        if each is not None
    )
    return compare_statistics(
        metric,
        ours,
        theirs,
        unit="document",
        resampled="document",
        baseline_name=baseline["experiment"],
    )


def joined(results: Sequence[Result]) -> Result:
    """The results of an experiment in several series as one.

    Args:
        results: of each series. Of those that have a seed in common, only the one with the most
            seeds counts, or the last of these.
    """
    kept: list[Result] = []
    order = sorted(enumerate(results), key=lambda pair: (-len(pair[1]["seeds"]), -pair[0]))
    for _, result in order:
        if not any({*result["seeds"]} & {*other["seeds"]} for other in kept):
            kept.append(result)
    kept.sort(key=lambda result: min(result["seeds"]))
    if len(kept) == 1:
        return kept[0]
    lists = {key: _chained(one[key] for one in kept) for key in ("seeds", "runs", "curves")}
    merged = {key: value for key, value in kept[0].items() if key != "counts"} | lists
    if "scores" not in merged:
        return merged
    return {
        **merged,
        "scores": {name: _score(name, kept, lists["runs"]) for name in merged["scores"]},
        "comparisons": _grouped(kept, "comparisons", ("baseline", "metric"), _test),
        "likelihood": _grouped(kept, "likelihood", ("baseline",), _likelihood),
        "context": _context([one["context"] for one in kept]),
    }


def _chained(lists: Iterable[Iterable[Any]]) -> list[Any]:
    return [*chain.from_iterable(lists)]


def _mean(values: Sequence[Mapping[str, Any]], key: str, weights: Sequence[int]) -> float:
    """The mean of a value, which each of some series has, over all their seeds."""
    pairs = zip((value[key] for value in values), weights, strict=True)
    return float(sum(value * weight for value, weight in pairs) / sum(weights))


def _score(name: str, results: Sequence[Result], runs: Sequence[Result]) -> Result:
    """A score of all seeds."""
    scores, weights = (
        [one["scores"][name] for one in results],
        [len(one["seeds"]) for one in results],
    )
    score = {**scores[0], "mean": _mean(scores, "mean", weights)}
    if "low" in score:
        each = [run["scores"][name] for run in runs]
        score |= {key: _mean(scores, key, weights) for key in ("low", "high")}
        score["deviation"] = stdev(each)
    return score


def _grouped(
    results: Sequence[Result],
    key: str,
    names: Sequence[str],
    join: Callable[[Sequence[Result]], Result],
) -> list[Result]:
    """The items of all series, those that agree in some keys joined."""
    groups: dict[Hashable, list[Result]] = {}
    for one in _chained(result[key] for result in results):
        groups.setdefault(tuple(one[name] for name in names), []).append(one)
    return [join(group) if len(group) > 1 else group[0] for group in groups.values()]


def _test(tests: Sequence[Result]) -> Result:
    """The test of one system against another in several series."""
    weights = [one["seeds"] for one in tests]
    means = {key: _mean(tests, key, weights) for key in ("difference", "low", "high")}
    # A series in which the other system is better does not speak for this one.
    same_way = [one["difference"] * means["difference"] > 0 for one in tests]
    counted = [{"p": one["p"] if same else 1.0} for one, same in zip(tests, same_way, strict=True)]
    p = None
    if all(one["p"] is not None for one in counted):
        p = min(1.0, 2 * _mean(counted, "p", weights))
    differences = {seed: d for one in tests for seed, d in one["differences"].items()}
    return {
        **tests[0],
        **means,
        "p": p,
        "seeds_p": None,
        "seeds": sum(weights),
        "differences": differences,
    }


def _bits(values: Sequence[Result]) -> Result:
    """Mean bits per sentence of several series, with their interval."""
    weights = [len(one["seeds"]) for one in values]
    means = {key: _mean(values, key, weights) for key in ("bits", "low", "high")}
    return {**means, "seeds": _chained(one["seeds"] for one in values)}


def _likelihood(values: Sequence[Result]) -> Result:
    """How much more probable references are than to another system."""
    phenomena = [one["phenomena"] for one in values]
    joint = {name: _bits([each[name] for each in phenomena]) for name in phenomena[0]}
    return {"baseline": values[0]["baseline"], **_bits(values), "phenomena": joint}


def _context(contexts: Sequence[Result]) -> Result:
    """What context is worth; the examples are those of the first series."""
    first = contexts[0]
    found: dict[str, Any] = {}
    for key, value in first.items():
        each = [one[key] for one in contexts]
        if key == "phenomena":
            found[key] = {
                name: {
                    kind: own if kind == "sentences" else _bits([one[name][kind] for one in each])
                    for kind, own in kinds.items()
                }
                for name, kinds in value.items()
            }
        else:
            found[key] = value if key == "examples" else _bits(each)
    return found
