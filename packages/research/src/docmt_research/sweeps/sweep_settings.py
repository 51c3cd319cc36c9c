"""The sweep file: a recipe, the axes along which it varies, seeds, and the figures to draw.

A sweep is the product of the axes, like scikit-learn's `ParameterGrid`, or the union of several
such products; each combination is trained once for each seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from docmt_files.base.errors import InputError
from docmt_files.base.wording import did_you_mean
from docmt_files.storage.files import PathLike
from docmt_nmt.base.choices import EvaluationSplit
from docmt_nmt.base.settings import Settings, describe, locate
from docmt_nmt.recipes.bundle import find
from docmt_nmt.recipes.yaml_source import Locations, nearest_location, parse_override, read, text_of

Seed = Annotated[int, Field(ge=0, le=4_294_967_295)]

_FOLDER = Path(__file__).parent / "bundled"


def _as_list(value: Any) -> Any:
    """A single value as a list of it."""
    return value if isinstance(value, list | tuple) else [value]


class FigureSettings(Settings):
    """A figure drawn from the results."""

    kind: Literal["scores", "curves", "positions"] = "scores"
    """`scores`: a measure of each point over an axis. `curves`: a number of the training log over
    updates or time. `positions`: the BLEU of the j-th sentence of a sliding window over j."""

    title: str = ""
    """Title above the figure."""

    x: str | None = None
    """For `scores`: the axis with the values of the horizontal axis."""

    over: Literal["updates", "minutes"] = "updates"
    """For `curves`: the horizontal axis. `minutes`: the time of the updates up to a log line,
    without validations and interruptions; the mean over seeds."""

    y: Annotated[tuple[str, ...], BeforeValidator(_as_list), Field(min_length=1)]
    """Measures to draw. A measure is for example `d-BLEU`, `s-BLEU` or `valid.loss`. For `curves`,
    a measure is the kind of a log line, a dot and the name of a number, such as `train.loss`, or
    the mean of several numbers, such as `valid.attention_entropy.cross.*`. Several measures are
    separate lines."""

    x_label: str = ""
    """Label of the horizontal axis. Default: the quantity shown."""

    y_label: str = ""
    """Label of the vertical axis. Default: the drawn measure."""

    lines: str | None = None
    """The axis with a line for each value."""

    panels: str | None = None
    """The axis with a panel for each value, side by side."""

    where: dict[str, Any] = Field(default_factory=dict)
    """Draw only the points with these values on these axes."""

    baseline: dict[str, Any] = Field(default_factory=dict)
    """For `scores` and `positions`: draw the points with these values as horizontal lines; of
    `positions`, in every panel."""

    log_x: bool = False
    """Make the horizontal axis logarithmic."""

    spread: Literal["range", "deviation"] = "range"
    """Interval of the spread over seeds around the mean. `range`: the lowest and the highest.
    `deviation`: the standard deviation of the sample."""

    @model_validator(mode="after")
    def _check_x(self) -> FigureSettings:
        """Check `x` and `baseline` against `kind`."""
        if (self.x is not None) != (self.kind == "scores"):
            raise ValueError(
                "kind: scores needs x, the axis to draw over"
                if self.x is None
                else f"x has no effect with kind: {self.kind}"
            )
        if self.over != "updates" and self.kind != "curves":
            raise ValueError(f"over has no effect with kind: {self.kind}")
        if self.baseline and self.kind == "curves":
            raise ValueError(f"baseline has no effect with kind: {self.kind}")
        return self


class TableSettings(Settings):
    """A table of the results, beside the published figures of a paper."""

    title: str = ""
    """Title above the table."""

    rows: str
    """The axis with a row for each value."""

    parts: str | None = None
    """The axis with a part of the table for each value, one above the other. Default: one part."""

    columns: dict[str, str] = Field(min_length=1)
    """The columns by the names in the paper, each with a measure, such as `d-BLEU:
    instance-BLEU`."""

    printed: dict[str, tuple[float | None, ...]] = Field(default_factory=dict)
    """The paper's figures by row, from left to right: for each part, in the order of the axis, one
    of each column; `null` where the paper has none, and then none of the sweep is shown. Rows
    without points are the paper's alone."""


class SweepSettings(Settings):
    """A whole sweep."""

    description: str = ""
    """Purpose of the sweep, in one sentence."""

    recipe: str | None = None
    """The recipe of all points: a bundled name, or a path from the folder of the sweep file. An
    axis may name other recipes."""

    overrides: dict[str, Any] = Field(default_factory=dict)
    """Keys of the recipe to change in all points, for example `training.max_steps: 500`."""

    axes: Annotated[tuple[dict[str, Any], ...], BeforeValidator(_as_list), Field(min_length=1)]
    """The axes by name, or a list of several such mappings, whose products are joined. An axis is a
    key of the recipe with a list of values, or a name of your choice with labels, each with the
    keys for the label (`recipe` among them)."""

    seeds: Annotated[tuple[Seed, ...], Field(min_length=1)] = (1,)
    """The values of `training.seed` with which each combination is trained."""

    split: EvaluationSplit = "test"
    """The split to translate and score."""

    figures: dict[Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")], FigureSettings] = Field(
        default_factory=dict
    )
    """The figures, each under a name of your choice, also used as file name."""

    tables: dict[Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")], TableSettings] = Field(
        default_factory=dict
    )
    """The tables, each under a name of your choice, also used as file name."""

    @model_validator(mode="after")
    def _check_axes(self) -> SweepSettings:
        """Check the values of axes, and the axes named in figures."""
        names = {name for grid in self.axes for name in grid}
        for name in ("training.seed", "seed"):
            if name in names:
                raise ValueError(f"axes: {name} is not an axis; list its values as `seeds`")
        for grid in self.axes:
            for name, values in grid.items():
                _check_axis(name, values)
        for name in names & self.overrides.keys():
            raise ValueError(f"overrides: {name} is an axis, whose values replace it; leave it out")
        if "training.seed" in self.overrides:
            raise ValueError("overrides: training.seed has no effect; list its values as `seeds`")
        if len(set(self.seeds)) < len(self.seeds):
            raise ValueError("seeds: a seed occurs twice")
        used = {
            f"figures.{name}": [f.x, f.lines, f.panels, *f.where, *f.baseline]
            for name, f in self.figures.items()
        }
        used |= {f"tables.{name}": [t.rows, t.parts] for name, t in self.tables.items()}
        for key, axes in used.items():
            for axis in axes:
                if axis is not None and axis not in names:
                    hint = did_you_mean(axis, sorted(names)) or f"axes: {', '.join(sorted(names))}"
                    raise ValueError(f"{key}: there is no axis {axis!r}, {hint}")
        for name, table in self.tables.items():
            self._check_table(name, table)
        return self

    def _check_table(self, name: str, table: TableSettings) -> None:
        """Check the axes of a table, all of which need a place in it, and the paper's figures for
        all parts."""
        others = {axis for grid in self.axes for axis in grid} - {table.rows, table.parts}
        if others:
            raise ValueError(
                f"tables.{name}: {', '.join(sorted(others))} is neither rows nor parts, so that "
                "points of different values would share a cell"
            )
        parts = len(self.values_of(table.parts)) if table.parts else 1
        for row, figures in table.printed.items():
            if len(figures) != parts * len(table.columns):
                raise ValueError(
                    f"tables.{name}: printed: {row} has {len(figures)} figures, not "
                    f"{parts * len(table.columns)}, one for each part and column; write null where "
                    "the paper has none"
                )

    def values_of(self, axis: str) -> list[Any]:
        """The values of an axis, or the labels, in order."""
        given = [grid[axis] for grid in self.axes if axis in grid]
        each = [list(values) if isinstance(values, dict) else _as_list(values) for values in given]
        values = [value for values in each for value in values]
        return [value for i, value in enumerate(values) if value not in values[:i]]


def _check_axis(name: str, values: Any) -> None:
    """Check one axis."""
    if values in (None, [], {}):
        raise ValueError(f"axes: {name} has no values")
    if isinstance(values, dict):
        for label, keys in values.items():
            if not isinstance(keys, dict):
                raise ValueError(
                    f"axes: {name}: {label} has no keys; write the keys of the recipe that it "
                    "stands for, for example {recipe: demo-document}, or {} if it only names the "
                    "recipes of another axis"
                )
    elif isinstance(values, list) and any(values.count(value) > 1 for value in values):
        raise ValueError(f"axes: {name}: a value occurs twice")


@cache
def bundled_sweeps() -> dict[str, Path]:
    """The files of the bundled sweeps, by name."""
    return {path.stem: path for path in sorted(_FOLDER.glob("*.yaml"))}


def describe_sweeps() -> dict[str, str]:
    """The purpose of each bundled sweep, by name."""
    return {name: text_of(path, "description") for name, path in bundled_sweeps().items()}


def find_sweep(name_or_path: PathLike) -> Path:
    """The file of a sweep.

    Args:
        name_or_path: the name of a bundled sweep, or the path of a YAML file.

    Raises:
        InputError: it is neither.
    """
    return find("sweep", str(name_or_path), bundled_sweeps(), listed_by="docmt sweep")


def read_sweep(path: PathLike, overrides: Sequence[str] = ()) -> SweepSettings:
    """Read a sweep file.

    Args:
        path: the file.
        overrides: `key=value` each, with a key of the recipe; they replace values of the file.

    Raises:
        InputError: the file cannot be read, or is not a valid sweep; with the line.
    """
    values, locations = read(path)
    if overrides:
        given = values.get("overrides")
        values["overrides"] = given if isinstance(given, dict) else {}
        for override in overrides:
            path_of_key, value, _ = parse_override(override)
            values["overrides"] = {**values["overrides"], ".".join(path_of_key): value}
    try:
        return SweepSettings.model_validate(values)
    except ValidationError as error:
        problems = error.errors()
        text = "; ".join(describe(SweepSettings, problem) for problem in problems)
        raise InputError(text, path=path, line=_line_of(problems[0], locations)) from None


def _line_of(problem: Any, locations: Locations) -> int | None:
    """The line of the key with a problem, or of the innermost key around it."""
    path, _ = locate(SweepSettings, problem["loc"])
    named = str(problem["msg"]).removeprefix("Value error, ").partition(":")[0]
    path = path or named.split(".")
    location = nearest_location(locations, path)
    return None if location is None else location.line
