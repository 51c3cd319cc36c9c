"""The figures of a sweep: means over seeds, with their spread. Each is drawn by matplotlib as PNG
and SVG, and the drawn values are written beside it as JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from statistics import fmean
from typing import Any

from docmt_files.storage.files import whole_path, write_text
from docmt_files.storage.json_files import json_text
from docmt_nmt.runs.training_logs import minutes_by_update, read_log
from docmt_research.sweeps.folder import SweepFolder
from docmt_research.sweeps.results import Result, Spread, combinations
from docmt_research.sweeps.sweep_settings import FigureSettings

_FORMATS = ("png", "svg")
_PANEL_INCHES = (4.6, 3.6)
_LABEL_CHARACTERS = 30
"""So many characters of labels stand side by side under a panel."""
_NAMES = {
    "instances.max_tokens": "input length (tokens)",
    "data.sample.size": "training data (instances)",
    "data.sample.share": "share of the training data",
    "instances.window": "sentences in a window",
    "system.preset": "model size",
    "train.loss": "training loss",
    "train.nll": "training loss (nats per token)",
    "valid.loss": "validation loss (nats per token)",
    "valid.perplexity": "validation perplexity",
    "valid.attention_entropy.cross.*": "entropy of cross-attention (bits)",
    "valid.attention_entropy.encoder.*": "entropy of encoder self-attention (bits)",
    "valid.attention_entropy.decoder.*": "entropy of decoder self-attention (bits)",
    "tokens_per_second": "training tokens per second",
    "training_seconds": "training time (seconds)",
    "evaluation_seconds": "time of translating and scoring (seconds)",
}
"""Names of axes and measures in figures."""

_VALUES = {
    "instances.max_tokens": "{:,} tokens",
    "data.sample.size": "{:,} instances",
    "instances.window": "k = {}",
}
"""Form of the values of an axis in a figure."""

_STYLES = ("-", "--", ":", "-.")


@dataclass(frozen=True, slots=True)
class Series:
    """A line of a figure.

    Attributes:
        panel: the title of the line's panel; "" if there is one alone.
        line: the value of the line; "" if the figure has no axis `lines`.
        measure: the drawn measure; "" where all lines draw the same.
        x: the horizontal positions: numbers, or texts. None for a horizontal line.
        y: the values over the seeds, one for each of `x`.
    """

    panel: str
    line: str
    measure: str
    x: list[Any] | None
    y: list[Spread]

    @property
    def label(self) -> str:
        """The name in the legend."""
        return ", ".join(filter(None, [self.line, self.measure]))


def series_of_figure(
    figure: FigureSettings, folder: SweepFolder, results: Sequence[Result]
) -> list[Series]:
    """The lines of a figure of the results so far.

    Raises:
        InputError: the log of a run is damaged.
    """
    shown = [result for result in results if _matches(result, figure.where)]
    if figure.kind == "curves":
        return list(_curves(figure, folder, shown))
    if figure.kind == "positions":
        return list(_positions(figure, shown))
    return list(_scores(figure, shown))


def _matches(result: Result, values: Mapping[str, Any]) -> bool:
    """Return whether a result has these values; a list of values stands for any of them."""
    return all(
        axis in result.values
        and result.values[axis] in (value if isinstance(value, list) else [value])
        for axis, value in values.items()
    )


def _place(figure: FigureSettings, result: Result, y: str) -> tuple[str, str, str]:
    """The panel, the line and the measure of a result."""
    panel, line = (
        "" if axis is None else _value_name(axis, result.values)
        for axis in (figure.panels, figure.lines)
    )
    return panel, line, _without_unit(y) if len(figure.y) > 1 or not line else ""


def _without_unit(y: str) -> str:
    """The name of a measure in a legend."""
    return _NAMES.get(y, y).partition(" (")[0]


def _value_name(axis: str, values: Mapping[str, Any]) -> str:
    """A value of an axis as shown in a legend: a number needs the name of the axis."""
    value = values.get(axis, "")
    if not isinstance(value, int | float):
        return str(value)
    name = axis.rpartition(".")[2].replace("_", " ")
    return _VALUES.get(axis, name + " {:,}").format(value)


def _scores(figure: FigureSettings, results: Sequence[Result]) -> Iterator[Series]:
    """Measures over an axis, and baselines."""
    lines: dict[tuple[str, str, str], list[tuple[Any, Spread]]] = {}
    horizontal: dict[tuple[str, str, str], Spread] = {}
    for y in figure.y:
        for group in combinations(results):
            values = [result.measures[y] for result in group if y in result.measures]
            key = _place(figure, group[0], y)
            if not values:
                continue
            if figure.baseline and _matches(group[0], figure.baseline):
                horizontal[key] = Spread.of(values)
            elif figure.x in group[0].values:
                lines.setdefault(key, []).append((group[0].values[figure.x], Spread.of(values)))
    for key, pairs in lines.items():
        if all(isinstance(x, int | float) for x, _ in pairs):
            pairs.sort(key=lambda pair: pair[0])
        yield Series(*key, [x for x, _ in pairs], [spread for _, spread in pairs])
    for key, spread in horizontal.items():
        yield Series(*key, None, [spread])


def _positions(figure: FigureSettings, results: Sequence[Result]) -> Iterator[Series]:
    """The scores of the j-th sentence of a window over j; the score of a baseline is a horizontal
    line in every panel."""
    groups = combinations(results)
    baselines = [g for g in groups if figure.baseline and _matches(g[0], figure.baseline)]
    shown = [group for group in groups if group not in baselines]
    panels = list(dict.fromkeys(_place(figure, group[0], "")[0] for group in shown)) or [""]
    for y in figure.y:
        for group in baselines:
            values = [result.measures[y] for result in group if y in result.measures]
            panel, line, measure = _place(figure, group[0], y)
            for name in panels if values else ():
                yield Series(
                    name, line or panel, measure if line else "", None, [Spread.of(values)]
                )
        for group in shown:
            count = min(len(result.positions) for result in group)
            if not count:
                # A window of one sentence has a single position.
                each = [[result.measures.get(y)] for result in group]
            else:
                each = [[scores.get(y) for scores in r.positions[:count]] for r in group]
            columns = [[v for v in column if v is not None] for column in zip(*each, strict=True)]
            spreads = [Spread.of(column) for column in columns if column]
            if spreads:
                yield Series(*_place(figure, group[0], y), [*range(1, len(spreads) + 1)], spreads)


def _curves(
    figure: FigureSettings, folder: SweepFolder, results: Sequence[Result]
) -> Iterator[Series]:
    """Numbers of the log over updates or minutes, as far as the runs of all seeds go."""
    directories = {point.name: folder.run(point) for point in folder.points}
    for group in combinations(results):
        logs = [read_log(directories[result.name] / "log.jsonl") for result in group]
        for y in figure.y:
            kind, _, field = y.partition(".")
            each = [_by_step(log, kind, field) for log in logs]
            steps = sorted(set[int].intersection(*(set(values) for values in each)))
            if steps:
                spreads = [Spread.of([values[step] for values in each]) for step in steps]
                x: list[Any] = [*steps]
                if figure.over == "minutes":
                    clocks = [minutes_by_update(log) for log in logs]
                    x = [fmean(minutes[step] for minutes in clocks) for step in steps]
                yield Series(*_place(figure, group[0], y), x, spreads)


def _by_step(log: Sequence[Mapping[str, Any]], kind: str, field: str) -> dict[int, float]:
    """A number of the lines of one kind, by update; `a.PATTERN` is the mean of the numbers with
    matching names in the object `a`."""
    name, _, pattern = field.partition(".")
    numbers = {}
    for line in log:
        value = line.get(name) if line["kind"] == kind else None
        if pattern and isinstance(value, dict):
            matching = [number for key, number in value.items() if fnmatchcase(key, pattern)]
            value = fmean(matching) if matching else None
        if isinstance(value, int | float):
            numbers[line["step"]] = float(value)
    return numbers


def draw_figure(figure: FigureSettings, series: Sequence[Series], path: Path) -> None:
    """Draw a figure and write the drawn values.

    Args:
        figure: the settings of the figure.
        series: the lines of the figure.
        path: the path of the files without suffix.

    Raises:
        InputError: they cannot be written.
    """
    import matplotlib
    from matplotlib.figure import Figure

    data = {"figure": figure.model_dump(mode="json"), "series": [asdict(line) for line in series]}
    write_text(path.with_suffix(".json"), json_text(data, indent=1) + "\n")
    panels = list(dict.fromkeys(line.panel for line in series))
    width, height = _PANEL_INCHES
    drawing = Figure(figsize=(width * len(panels), height), layout="constrained")
    axes = drawing.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    looks = _looks(figure, series)
    names = _names_on_axis(series)
    for panel, plot in zip(panels, axes, strict=True):
        for line in series:
            if line.panel != panel:
                continue
            if names and line.x is not None:
                _draw_bars(plot, line, figure, names, looks)
            else:
                _draw_line(plot, line, figure, looks[line.label])
        _describe_axes(plot, figure, [line for line in series if line.panel == panel], names)
        plot.set_title(panel)
    _add_legend(drawing, axes, list(looks), _caption(figure, series))
    axes[0].set_ylabel(figure.y_label or " / ".join(_NAMES.get(y, y) for y in figure.y))
    drawing.suptitle(figure.title)
    # Without a date, and with the same names, an unchanged figure is the same file.
    with matplotlib.rc_context({"svg.hashsalt": "docmt"}):
        for form in _FORMATS:
            with whole_path(path.with_suffix(f".{form}")) as part:
                metadata = {"Date": None} if form == "svg" else None
                drawing.savefig(part, format=form, dpi=160, metadata=metadata)


def _looks(figure: FigureSettings, series: Sequence[Series]) -> dict[str, dict[str, str]]:
    """The color and the style of each label, the same in all panels. Where lines are of several
    measures, color tells the line and style the measure."""
    both = figure.lines is not None and len(figure.y) > 1
    colors = list(dict.fromkeys(line.line if both else line.label for line in series))
    styles = list(dict.fromkeys(line.measure for line in series)) if both else []
    return {
        line.label: {
            "color": f"C{colors.index(line.line if both else line.label) % 10}",
            "linestyle": _STYLES[styles.index(line.measure) % len(_STYLES)] if both else "-",
        }
        for line in series
    }


def _add_legend(drawing: Any, axes: Sequence[Any], labels: Sequence[str], caption: str) -> None:
    """Add one legend for all panels below them, with a caption."""
    handles: dict[str, Any] = {}
    for plot in axes:
        shown, names = plot.get_legend_handles_labels()
        handles |= dict(zip(names, shown, strict=True))
    drawing.legend(
        [handles[label] for label in labels],
        labels,
        fontsize="small",
        title=caption,
        title_fontsize="small",
        loc="outside lower center",
        ncols=2 * len(axes),
    )


def _draw_line(plot: Any, line: Series, figure: FigureSettings, look: Mapping[str, str]) -> None:
    """Draw one line, with the spread over seeds."""
    means = [spread.mean for spread in line.y]
    low, high = zip(*(_interval(spread, figure) for spread in line.y), strict=True)
    if line.x is None:
        plot.axhline(means[0], label=line.label, color=look["color"], linestyle="--")
        plot.axhspan(low[0], high[0], color=look["color"], alpha=0.12, linewidth=0)
    elif figure.kind == "curves":
        plot.plot(line.x, means, label=line.label, **look)
        plot.fill_between(line.x, low, high, color=look["color"], alpha=0.2, linewidth=0)
    else:
        below = [mean - value for mean, value in zip(means, low, strict=True)]
        above = [value - mean for mean, value in zip(means, high, strict=True)]
        plot.errorbar(
            line.x,
            means,
            [below, above],
            label=line.label,
            marker="o",
            markersize=4,
            capsize=3,
            **look,
        )


def _names_on_axis(series: Sequence[Series]) -> list[str]:
    """The values of a horizontal axis with names, in order; none if it has numbers alone. Nothing
    lies between names, so no line may suggest it."""
    values = list(dict.fromkeys(x for line in series for x in line.x or ()))
    numbers = all(isinstance(x, int | float) and not isinstance(x, bool) for x in values)
    return [] if numbers else list(map(str, values))


def _draw_bars(
    plot: Any, line: Series, figure: FigureSettings, names: Sequence[str], looks: Mapping[str, Any]
) -> None:
    """Draw a series as bars beside the bars of the other series, with the spread over seeds."""
    labels = list(looks)
    width = 0.8 / len(labels)
    offset = (labels.index(line.label) - (len(labels) - 1) / 2) * width
    means = [spread.mean for spread in line.y]
    low, high = zip(*(_interval(spread, figure) for spread in line.y), strict=True)
    plot.bar(
        [names.index(str(x)) + offset for x in line.x or ()],
        means,
        width,
        yerr=[
            [mean - value for mean, value in zip(means, low, strict=True)],
            [value - mean for mean, value in zip(means, high, strict=True)],
        ],
        capsize=3,
        label=line.label,
        color=looks[line.label]["color"],
        alpha=1 if looks[line.label]["linestyle"] == "-" else 0.6,
    )


def _interval(spread: Spread, figure: FigureSettings) -> tuple[float, float]:
    """The lower and the upper end of the interval of the spread."""
    if figure.spread == "range":
        return spread.low, spread.high
    return spread.mean - spread.deviation, spread.mean + spread.deviation


def _describe_axes(
    plot: Any, figure: FigureSettings, series: Sequence[Series], values: Sequence[str]
) -> None:
    """Label the horizontal axis of a panel, with the names below the bars if there are any."""
    from matplotlib.ticker import MaxNLocator, NullLocator, StrMethodFormatter

    names = {"curves": figure.over, "positions": "position in the window"}
    name = names.get(figure.kind) or _NAMES.get(figure.x or "", figure.x)
    plot.set_xlabel(figure.x_label or name)
    if values:
        long = sum(len(value) + 2 for value in values) > _LABEL_CHARACTERS
        plot.set_xticks(range(len(values)), values, rotation=45 if long else 0)
        plot.grid(alpha=0.3, axis="y")
        return
    places = sorted({x for line in series for x in line.x or () if isinstance(x, int | float)})
    if figure.kind == "positions":
        plot.xaxis.set_major_locator(MaxNLocator(integer=True))
    elif figure.log_x and places and places[0] > 0:
        plot.set_xscale("log", base=2 if figure.kind == "scores" else 10)
    if figure.kind == "scores" and places:
        plot.set_xticks(places)
        plot.xaxis.set_minor_locator(NullLocator())
        plot.xaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))
        plot.tick_params(axis="x", labelrotation=45 if _are_long(places) else 0)
    plot.grid(alpha=0.3)


def _are_long(numbers: Sequence[float]) -> bool:
    """Return whether numbers are too long to stand side by side."""
    return sum(len(f"{number:,.10g}") + 2 for number in numbers) > _LABEL_CHARACTERS


def _caption(figure: FigureSettings, series: Sequence[Series]) -> str:
    """The meaning of lines and bars, in words."""
    counts = sorted({spread.seeds for line in series for spread in line.y})
    if counts == [1]:
        return "one seed each"
    seeds = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    interval = "lowest and highest" if figure.spread == "range" else "± one standard deviation"
    return f"mean of {seeds} seeds, {interval}"
