"""The curves of a training, read from the log: the loss, BLEU, the entropy of attention, gates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from docmt_files.base.errors import InputError
from docmt_nmt.runs.training_logs import minutes_by_update, read_log
from docmt_research.analysis.run_stages import earlier_minutes

Quantity = Literal["training loss", "validation loss", "BLEU", "attention entropy", "context share"]
"""Quantities of curves. Losses are in nats per label, without label smoothing; the entropy is in
bits; the context share is how much of the context gates let through."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve.

    Attributes:
        quantity: the quantity shown.
        name: of which attention or gate, such as `cross.5.global`; else empty.
        points: updates, or minutes, and values.
    """

    quantity: Quantity
    name: str
    points: tuple[tuple[float, float], ...]

    def as_dict(self) -> dict[str, Any]:
        """The curve as plain values, for JSON."""
        return asdict(self)


Over = Literal["updates", "minutes"]
"""The horizontal axis of curves; see `minutes_by_update`."""


def read_curves(path: Path, over: Over = "updates") -> list[Curve]:
    """The curves of a log.

    Args:
        path: the file `log.jsonl` of a run directory.
        over: the first number of the points; minutes count from the start of the first stage.

    Raises:
        InputError: there is no log, nothing in it yet, or a line is damaged.
    """
    lines = read_log(path)
    values: dict[tuple[Quantity, str], dict[int, float]] = {}
    for line in lines:
        for quantity, name, value in _values(line):
            values.setdefault((quantity, name), {})[line["step"]] = value
    if not values:
        raise InputError(
            "has no curves yet" if path.exists() else "no such file; it is the log of a training",
            path=path,
            cure="Name the directory that was given to `docmt train`",
        )
    at: dict[int, float] = {}
    if over == "minutes":
        before = earlier_minutes(path.parent)
        at = {step: before + minutes for step, minutes in minutes_by_update(lines).items()}
    return [
        Curve(*key, tuple((at.get(step, step), value) for step, value in points.items()))
        for key, points in values.items()
    ]


def _values(line: Mapping[str, Any]) -> Iterable[tuple[Quantity, str, float]]:
    """Return the values in a line of a log."""
    if line["kind"] == "train":
        yield "training loss", "", line["nll"]
    elif line["kind"] == "valid":
        yield "validation loss", "", line["loss"]
        if "bleu" in line:
            yield "BLEU", "", line["bleu"]
        for name, value in line.get("attention_entropy", {}).items():
            yield "attention entropy", name, value
        for name, value in line.get("context_share", {}).items():
            yield "context share", name, value


def mean_over_layers(curves: Iterable[Curve], quantity: Quantity) -> dict[str, Curve]:
    """The curves of a quantity, as means over all layers: by name without the layer, such as
    `cross.global`."""
    groups: dict[str, list[Curve]] = {}
    for curve in curves:
        if curve.quantity == quantity:
            parts = curve.name.split(".")
            name = ".".join(part for part in parts if not part.isdigit())
            groups.setdefault(name, []).append(curve)
    means = {}
    for name, group in groups.items():
        values: dict[float, list[float]] = {}
        for step, value in (point for curve in group for point in curve.points):
            values.setdefault(step, []).append(value)
        points = tuple(
            (step, sum(values_of_step) / len(values_of_step))
            for step, values_of_step in sorted(values.items())
        )
        means[name] = Curve(quantity, name, points)
    return means
