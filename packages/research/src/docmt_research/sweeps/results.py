"""All results of a sweep in one JSON file and one table, with the spread over seeds."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import mean, stdev
from typing import Any

from docmt_files.storage.files import write_text
from docmt_files.storage.json_files import json_text
from docmt_research.sweeps.folder import SweepFolder


@dataclass(frozen=True, slots=True)
class Spread:
    """A measure over the seeds of a combination.

    Attributes:
        mean: the mean of the measure.
        low: the lowest value.
        high: the highest value.
        deviation: the standard deviation of the sample; 0 for one seed.
        seeds: number of seeds.
    """

    mean: float
    low: float
    high: float
    deviation: float
    seeds: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of one value per seed."""
        deviation = stdev(values) if len(values) > 1 else 0.0
        return cls(mean(values), min(values), max(values), deviation, len(values))


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a finished point.

    Attributes:
        name: the name of the point.
        values: the value, or the label, on each axis.
        seed: the seed of the point.
        measures: scores and other numbers, by name.
        positions: the scores at each position of a sliding window.
        signatures: the settings of each score, by score name.
        notes: notes for the reader of the scores.
    """

    name: str
    values: dict[str, Any]
    seed: int
    measures: dict[str, float]
    positions: list[dict[str, float]]
    signatures: dict[str, str]
    notes: tuple[str, ...] = ()


def read_results(folder: SweepFolder) -> list[Result]:
    """The results of all finished points, in the order of the points.

    Raises:
        InputError: a file is damaged.
    """
    return [
        Result(
            point.name,
            point.values,
            point.seed,
            _numbers(state.measures),
            [_numbers(scores) for scores in state.positions],
            state.signatures,
            tuple(state.notes),
        )
        for point in folder.points
        if (state := folder.result(point)) is not None
    ]


def _numbers(measures: Mapping[str, float | None]) -> dict[str, float]:
    """The computed measures; JSON has null for the others."""
    return {name: value for name, value in measures.items() if value is not None}


def combinations(results: Iterable[Result]) -> list[list[Result]]:
    """The results by combination of values: results with different seeds alone are together."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(json.dumps(result.values, sort_keys=True), []).append(result)
    return list(groups.values())


def write_results(folder: SweepFolder, results: Sequence[Result]) -> None:
    """Write `results.json` and `results.tsv`: a line for each finished point.

    Raises:
        InputError: they cannot be written.
    """
    spreads = []
    for group in combinations(results):
        names = dict.fromkeys(name for result in group for name in result.measures)
        measures = {
            name: asdict(Spread.of([r.measures[name] for r in group if name in r.measures]))
            for name in names
        }
        spreads.append({"values": group[0].values, "measures": measures})
    failures = {
        point.name: failure.error
        for point in folder.points
        if folder.result(point) is None and (failure := folder.failure(point)) is not None
    }
    value = {
        "split": folder.split,
        "points": [asdict(result) for result in results],
        "over_seeds": spreads,
        "failures": failures,
    }
    text = json_text(value, indent=1) + "\n"
    write_text(folder.directory / "results.json", text)
    write_text(folder.directory / "results.tsv", _table(results))


def _table(results: Sequence[Result]) -> str:
    """The results as tab-separated values, with a heading."""
    axes = list(dict.fromkeys(axis for result in results for axis in result.values))
    measures = list(dict.fromkeys(name for result in results for name in result.measures))
    stream = io.StringIO()
    table = csv.writer(stream, dialect="excel-tab", lineterminator="\n")
    table.writerow(["point", *axes, "seed", *measures])
    for result in results:
        values = [result.values.get(axis, "") for axis in axes]
        numbers = [result.measures.get(name, "") for name in measures]
        table.writerow([result.name, *values, result.seed, *numbers])
    return stream.getvalue()
