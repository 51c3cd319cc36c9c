"""Plots of curves, entropies, gates and attention maps, by matplotlib (extra `plots`).

The same numbers give the same file.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from docmt_research.analysis.attention_maps import AttentionMap, DocumentMaps, Side
from docmt_research.analysis.attention_statistics import (
    HISTOGRAM_BINS,
    AttentionEntropy,
    GateStatistics,
)
from docmt_research.analysis.training_curves import Curve, Over, Quantity, mean_over_layers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PlotFormat = Literal["png", "svg"]

_SCRIPTS = ("Noto Sans CJK SC", "Noto Sans CJK JP", "WenQuanYi Zen Hei", "Noto Sans Arabic")
"""Fonts for characters missing from matplotlib's own font."""

_MAX_LABELS = 60
"""Maximum number of tokens with names beside a map."""

_STYLES = ("-", "--", ":", "-.")

_UNITS: dict[Quantity, str] = {
    "training loss": "nats per label",
    "validation loss": "nats per label",
    "BLEU": "BLEU",
    "attention entropy": "bits",
    "context share": "share of the context",
}


def plot_curves(
    runs: Mapping[str, Sequence[Curve]], form: PlotFormat, over: Over = "updates"
) -> bytes:
    """The curves of runs: the loss and, where the logs have them, BLEU, the entropy of attention
    and the share of the context in gates, both as means over layers.

    Args:
        runs: the curves of each run, by name.
        form: the file format.
        over: the horizontal axis of the curves.
    """
    panels: list[tuple[str, Quantity, str]] = [("loss", "validation loss", "")]
    quantities = {curve.quantity for curves in runs.values() for curve in curves}
    if "BLEU" in quantities:
        panels.append(("BLEU", "BLEU", ""))
    for quantity in ("attention entropy", "context share"):
        means = [mean_over_layers(curves, quantity) for curves in runs.values()]
        kinds = dict.fromkeys(
            name.rpartition(".")[0] for curves_of_run in means for name in curves_of_run
        )
        panels += [(f"{quantity}: {kind}", quantity, kind) for kind in kinds]
    with _matplotlib():
        figure, axes = _grid(len(panels), 5.2, 3.6)
        for plot, (title, quantity, kind) in zip(axes, panels, strict=True):
            styles: dict[str, str] = {}
            for index, curves in enumerate(runs.values()):
                _draw_curves(plot, curves, quantity, kind, f"C{index % 10}", styles)
            plot.set(title=title, xlabel=over, ylabel=_UNITS[quantity])
            if quantity == "context share":
                plot.set_ylim(0, 1)
            elif quantity == "attention entropy":
                plot.set_ylim(bottom=0)
            lines, labels = plot.get_legend_handles_labels()
            if labels:
                legend = plot.legend(lines, labels, fontsize="small")
                # Color tells runs.
                for line in legend.get_lines():
                    line.set_color("0.3")
        if len(runs) > 1:
            _legend_of_runs(figure, list(runs))
        else:
            figure.suptitle(next(iter(runs)))
        return _rendered(figure, form)


def _draw_curves(
    plot: Axes,
    curves: Sequence[Curve],
    quantity: Quantity,
    kind: str,
    color: str,
    styles: dict[str, str],
) -> None:
    """Draw the curves of a run in a panel. `styles` has the line style of each label, and gets new
    ones; they are the same for all runs."""
    if quantity in ("attention entropy", "context share"):
        means = mean_over_layers(curves, quantity)
        curves_of_kind = [curve for name, curve in means.items() if name.rpartition(".")[0] == kind]
        labels = [curve.name.rpartition(".")[2] for curve in curves_of_kind]
    else:
        curves_of_kind = [curve for curve in curves if curve.quantity == quantity]
        labels = [""] * len(curves_of_kind)
        if quantity == "validation loss":
            labels = ["validation"] * len(curves_of_kind)
            for curve in (curve for curve in curves if curve.quantity == "training loss"):
                plot.plot(
                    *zip(*curve.points, strict=True),
                    color=color,
                    alpha=0.35,
                    linewidth=1,
                    label=_once(plot, "training"),
                )
    for curve, label in zip(curves_of_kind, labels, strict=True):
        style = styles.setdefault(label, _STYLES[len(styles) % len(_STYLES)])
        plot.plot(
            *zip(*curve.points, strict=True),
            style,
            color=color,
            marker="o" if len(curve.points) < 40 else None,
            markersize=3,
            label=_once(plot, label),
        )


def _once(plot: Axes, label: str) -> str | None:
    """A label, unless the legend has it."""
    return None if not label or label in plot.get_legend_handles_labels()[1] else label


def plot_entropies(entropies: Sequence[AttentionEntropy], form: PlotFormat) -> bytes:
    """The entropy of each attention by layer, in a panel for each kind, and the entropy of uniform
    attention above it."""
    kinds = list(dict.fromkeys(one.kind for one in entropies))
    top = max(one.uniform_bits for one in entropies)
    with _matplotlib():
        figure, axes = _grid(len(kinds), 3.6, 3.2)
        for plot, kind in zip(axes, kinds, strict=True):
            of_kind = [one for one in entropies if one.kind == kind]
            for index, scope in enumerate(dict.fromkeys(one.scope for one in of_kind)):
                line = [one for one in of_kind if one.scope == scope]
                layers = [_layer(one.layer) for one in line]
                color = f"C{index}"
                plot.plot(layers, [one.bits for one in line], "o-", color=color, label=scope)
                plot.plot(
                    layers,
                    [one.uniform_bits for one in line],
                    "_:",
                    color=color,
                    alpha=0.6,
                    markersize=12,
                    label=f"{scope}, if uniform",
                )
            plot.set(title=kind, xlabel="layer", ylabel="entropy of attention, bits")
            plot.set_ylim(0, 1.08 * top)
            plot.set_xticks(sorted({_layer(one.layer) for one in of_kind}))
            plot.margins(x=0.15)
            plot.legend(fontsize="small")
        return _rendered(figure, form)


def plot_gates(gates: Sequence[GateStatistics], form: PlotFormat) -> bytes:
    """Share of the context passed by each gate: a row for each gate, with the density and the mean
    of the values."""
    with _matplotlib():
        figure, (plot,) = _grid(1, 6.4, 1.2 + 0.36 * len(gates))
        rows = [_context_histogram(one) for one in gates]
        image = plot.imshow(
            rows, aspect="auto", cmap="Blues", vmin=0, extent=(0, 1, len(gates) - 0.5, -0.5)
        )
        means = [one.context_share for one in gates]
        plot.plot(means, range(len(gates)), "o", color="C3", label="mean")
        plot.set_yticks(range(len(gates)), [one.key for one in gates])
        plot.set(xlabel="share of the context that the gate lets through", xlim=(0, 1))
        plot.legend(fontsize="small", loc="upper right")
        figure.colorbar(image, label="share of values in the bin")
        return _rendered(figure, form)


def _context_histogram(gate: GateStatistics) -> list[float]:
    """The histogram of the share of the context, as shares."""
    counts = gate.histogram if gate.passes == "context" else gate.histogram[::-1]
    assert len(counts) == HISTOGRAM_BINS
    return [count / max(sum(counts), 1) for count in counts]


def plot_maps(document: DocumentMaps, form: PlotFormat) -> dict[str, bytes]:
    """A heat map for each layer, in a plot for each kind and scope, with lines between sentences;
    the plots by name, such as `cross-global`."""
    groups: dict[str, list[AttentionMap]] = {}
    for one in document.maps:
        groups.setdefault(f"{one.kind}-{one.scope}", []).append(one)
    return {
        name: _plot_group(document, name, maps_of_group, form)
        for name, maps_of_group in groups.items()
    }


def _plot_group(
    document: DocumentMaps, name: str, maps: Sequence[AttentionMap], form: PlotFormat
) -> bytes:
    """The maps of all layers of a kind and scope."""
    from matplotlib.colors import PowerNorm

    keys, queries = document.side(maps[0].keys), document.side(maps[0].queries)
    shown = max(len(keys.tokens), len(queries.tokens))
    size = max(4.2, 0.17 * shown + 1) if shown <= _MAX_LABELS else 4.8
    # Most weights are small. The square root of the weights, up to a rarely exceeded maximum, shows
    # more of them.
    norm = PowerNorm(0.5, vmin=0, vmax=_top_weight(maps))
    with _matplotlib():
        figure, axes = _grid(len(maps), size, size)
        image: Any = None
        for plot, one in zip(axes, maps, strict=True):
            image = plot.imshow(one.weights, cmap="Blues", norm=norm, aspect="equal")
            _mark_sentences(plot.xaxis, keys, document.first_sentence)
            _mark_sentences(plot.yaxis, queries, document.first_sentence)
            for draw, side in ((plot.axvline, keys), (plot.axhline, queries)):
                for offset in side.offsets[1:-1]:
                    draw(offset - 0.5, color="C1", linewidth=0.5, alpha=0.6)
            plot.set_title("" if one.layer is None else f"layer {one.layer}")
            plot.set(xlabel=f"{one.keys} (keys)", ylabel=f"{one.queries} (queries)")
        figure.colorbar(image, ax=axes, label="attention weight", shrink=0.6, extend="max")
        head = "mean of all heads" if document.head is None else f"head {document.head}"
        last = document.first_sentence + len(document.source.offsets) - 2
        figure.suptitle(
            f"{name.replace('-', ', ')}: {head}\ndocument {document.document}, sentences "
            f"{document.first_sentence} to {last}"
        )
        return _rendered(figure, form)


def _top_weight(maps: Sequence[AttentionMap]) -> float:
    """The weight of the darkest color: one in two hundred of the weights above 0 is larger."""
    weights = np.concatenate([one.weights[one.weights > 0] for one in maps])
    return float(np.quantile(weights, 0.995)) if len(weights) else 1.0


def _mark_sentences(axis: Any, side: Side, first: int) -> None:
    """Label an axis by tokens or, if they are too many, by the numbers of sentences as far as there
    is room."""
    if len(side.tokens) <= _MAX_LABELS:
        rotation = 90 if axis.axis_name == "x" else 0
        axis.set_ticks(range(len(side.tokens)), side.tokens, rotation=rotation, fontsize=7)
        return
    places: dict[float, str] = {}
    for number, (begin, end) in enumerate(pairwise(side.offsets), first):
        middle = (begin + end - 1) / 2
        if not places or middle - max(places) > len(side.tokens) / 25:
            places[middle] = str(number)
    axis.set_ticks(list(places), list(places.values()), fontsize=7)


def _layer(layer: int | None) -> int:
    """Return where an attention stands in a plot by layer."""
    return layer or 0


def _grid(panels: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """A figure with so many panels of a size, in inches."""
    from matplotlib.figure import Figure

    columns = min(panels, 3)
    rows = ceil(panels / columns)
    figure = Figure(figsize=(width * columns, height * rows + 0.5), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).flatten().tolist()
    for unused in axes[panels:]:
        unused.remove()
    return figure, axes[:panels]


def _legend_of_runs(figure: Figure, names: Sequence[str]) -> None:
    """The colors of runs, above a figure."""
    from matplotlib.lines import Line2D

    lines = [Line2D([], [], color=f"C{index % 10}") for index in range(len(names))]
    figure.legend(lines, names, loc="outside upper center", ncols=min(len(names), 4))


@contextmanager
def _matplotlib() -> Iterator[None]:
    """matplotlib as it is used here: texts are shown as they are, in any script."""
    import matplotlib
    from matplotlib import font_manager

    installed = set(font_manager.get_font_names())
    style: Any = {
        "text.parse_math": False,
        "svg.hashsalt": "docmt",
        "font.family": ["DejaVu Sans", *(name for name in _SCRIPTS if name in installed)],
    }
    with matplotlib.rc_context(style), warnings.catch_warnings():
        # A character missing from all fonts is drawn as a box.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        yield


def _rendered(figure: Figure, form: PlotFormat) -> bytes:
    """A figure as a file."""
    out = io.BytesIO()
    metadata = {"Date": None} if form == "svg" else {"Software": None}
    figure.savefig(out, format=form, dpi=130, metadata=metadata)
    return out.getvalue()
