"""The figures of `results/claims.md`, from the results alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from textwrap import fill
from typing import TYPE_CHECKING, Any

from docmt_files.storage.files import whole_path
from docmt_research.analysis.categories import FIRST
from papers_experiments import EXPERIMENTS, LENGTHS
from papers_series import FOLDER, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIGURES = FOLDER.parent / "figures"

_CURVES = ("sentence", "document", "document-aligned", "g-transformer", "g-transformer-finetuned")
_STYLES = {"group": "-", "global": "--"}
_TICKS = (-30, -10, -3, -1, -0.5, 0, 0.5, 1, 3, 10)
_CONTEXT_BITS = (-0.6, 3.0)
"""What the panels of `context` show; an arrow stands for more."""

_VARIANT = "g-transformer-finetuned-sentence-positions-no-word-dropout"
_TWINS = {_VARIANT: 512, f"{_VARIANT}-128-tokens": 128}
"""The systems with a twin, with their tokens at once."""

VISIBLE_BITS = 0.005
"""Fewer bits per sentence are not shown as more than none."""

_BEYOND_CHANCE, _CHANCE = "C0", "0.6"
"""Colors of what an interval leaves no doubt of, and of what it does."""


def _figure(width: float, height: float, panels: int = 1, *, shared: bool = False) -> Any:
    """A figure and its panels, with the same rows in all if they are shared."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(1, panels, squeeze=False, sharey=shared)[0]


def curves(results: Results) -> Figure | None:
    """Validation loss and the entropy of cross-attention by update, the first seed of each, and
    the entropy of equal weights."""
    names = [name for name in _CURVES if "curves" in results.get(name, {})]
    if not names:
        return None
    figure, (loss, entropy) = _figure(10, 4.2, 2)
    for name in names:
        curve, color = results[name]["curves"][0], f"C{_CURVES.index(name)}"
        title = EXPERIMENTS[name].title
        loss.plot(curve["step"], curve["loss"], color=color, label=title)
        scopes = [scope for scope in _STYLES if f"cross_{scope}" in curve]
        for scope in scopes:
            label = f"{title}, {scope}" if len(scopes) > 1 else title
            style = _STYLES[scope] if len(scopes) > 1 else "-"
            values = curve[f"cross_{scope}"]
            entropy.plot(curve["step"], values, color=color, linestyle=style, label=label)
    uniform = {
        one["uniform_bits"] for name in names for one in results[name]["runs"][0]["cross_attention"]
    }
    for index, bits in enumerate(sorted(uniform)):
        text = None if index else "equal weights (test split)"
        entropy.axhline(bits, color="0.5", linestyle=":", linewidth=1, label=text)
    loss.set(xlabel="updates", ylabel="validation loss (nats per token)")
    entropy.set(xlabel="updates", ylabel="entropy of cross-attention (bits)")
    for axes in (loss, entropy):
        axes.grid(alpha=0.3)
        axes.legend(
            fontsize="x-small",
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            ncols=2,
            frameon=False,
        )
    return figure  # type: ignore[no-any-return]


def differences(results: Results) -> Figure | None:
    """Every system against the first that it is compared with: d-BLEU, and bits per sentence."""
    labels: list[str] = []
    values: list[list[Mapping[str, Any] | None]] = [[], []]
    for name in EXPERIMENTS:
        baseline = next(iter(EXPERIMENTS[name].compare), None)
        result = results.get(name, {})
        bleu, bits = (
            next(
                (
                    one
                    for one in result.get(key, ())
                    if one["baseline"] == baseline and one.get("metric", "d-BLEU") == "d-BLEU"
                ),
                None,
            )
            for key in ("comparisons", "likelihood")
        )
        if baseline is not None and bleu is not None:
            titles = (EXPERIMENTS[one].title for one in (name, baseline))
            labels.append("\nagainst ".join(titles))
            values[0].append({**bleu, "mean": bleu["difference"]})
            values[1].append(None if bits is None else {**bits, "mean": bits["bits"]})
    if not labels:
        return None
    figure, panels = _figure(10, 1.2 + 0.42 * len(labels), 2, shared=True)
    for axes, own in zip(panels, values, strict=True):
        _intervals(axes, own, labels)
        axes.set_xscale("symlog", linthresh=1, linscale=1)
        axes.set_xticks(_TICKS, [f"{tick:+g}" if tick else "0" for tick in _TICKS])
    panels[0].set_xlabel("difference of d-BLEU")
    panels[1].set_xlabel("difference of bits per sentence")
    return figure  # type: ignore[no-any-return]


def context(results: Results) -> Figure | None:
    """What their own context is worth more than that of another sentence to all systems, over all
    sentences and by phenomenon."""
    names = [name for name in EXPERIMENTS if results.get(name, {}).get("context")]
    if not names:
        return None
    phenomena = [p for p in results[names[0]]["context"]["phenomena"] if p != FIRST]
    width, height = 5 + 1.7 * len(phenomena), 1.5 + 0.32 * len(names)
    figure, panels = _figure(width, height, 1 + len(phenomena), shared=True)
    labels = [EXPERIMENTS[name].title for name in names]
    for axes, phenomenon in zip(panels, [None, *phenomena], strict=True):
        values = []
        for name in names:
            found = results[name]["context"]
            own = (found if phenomenon is None else found["phenomena"][phenomenon])["own-shuffled"]
            values.append({**own, "mean": own["bits"]})
        _intervals(axes, values, labels)
        lowest, highest = _CONTEXT_BITS
        axes.set_xlim(lowest, highest)
        for row, value in enumerate(values):
            if value["mean"] > highest:
                axes.plot([highest], [row], ">", color=_BEYOND_CHANCE, clip_on=False)
        axes.set_title(fill(phenomenon or "all sentences", 18), fontsize="small")
    figure.supxlabel("bits per sentence, own context − shuffled context", fontsize="small")
    return figure  # type: ignore[no-any-return]


def twins(results: Results) -> Figure | None:
    """Bits per sentence that a system gains over its twin without any context, and that its own
    context is worth more than another sentence's."""
    rows: list[tuple[str, Any]] = []
    for name, tokens in _TWINS.items():
        result, twin = results.get(name, {}), f"{name}-no-context"
        gains = [one for one in result.get("likelihood", ()) if one["baseline"] == twin]
        if gains:
            title = f"parts of {tokens} tokens"
            rows.append((f"{title}: over the twin without context", gains[0]))
            rows.append((f"{title}: own over shuffled context", result["context"]["own-shuffled"]))
    if not rows:
        return None
    figure, (axes,) = _figure(7, 2.2)
    values = [{**value, "mean": value["bits"]} for _, value in rows]
    _intervals(axes, values, [label for label, _ in rows])
    axes.set_xlabel("bits per sentence, of some 81", fontsize="small")
    return figure  # type: ignore[no-any-return]


def _intervals(
    axes: Axes, values: Sequence[Mapping[str, Any] | None], labels: Sequence[str]
) -> None:
    """A mean with its interval in each row that has one, from above."""
    axes.axvline(0, color="0.3", linewidth=0.8)
    for row, value in enumerate(values):
        if value is None:
            continue
        is_clear = value["low"] >= VISIBLE_BITS or value["high"] <= -VISIBLE_BITS
        color = _BEYOND_CHANCE if is_clear else _CHANCE
        axes.plot([value["low"], value["high"]], [row, row], color=color, linewidth=1.5)
        axes.plot([value["mean"]], [row], "o", color=color, markersize=4)
    axes.set_yticks(range(len(labels)), labels, fontsize="x-small")
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.tick_params(axis="x", labelsize="x-small")
    axes.grid(alpha=0.3, axis="x")


def lengths(results: Results) -> Figure | None:
    """The d-BLEU of the G-Transformer by the length of its instances."""
    found = {
        tokens: results[name]["scores"]["d-BLEU"]
        for tokens, name in LENGTHS.items()
        if name in results
    }
    if len(found) < 2:
        return None
    figure, (axes,) = _figure(5, 3.4)
    tokens, means = list(found), [one["mean"] for one in found.values()]
    errors = [
        [one["mean"] - one["low"] for one in found.values()],
        [one["high"] - one["mean"] for one in found.values()],
    ]
    axes.errorbar(tokens, means, errors, marker="o", color="C3", capsize=3)
    axes.set_xscale("log", base=2)
    axes.set_xticks(tokens, list(map(str, tokens)))
    axes.set(xlabel="tokens of an instance", ylabel="d-BLEU")
    axes.grid(alpha=0.3)
    return figure  # type: ignore[no-any-return]


def positions(results: Results) -> Figure | None:
    """The s-BLEU of the sentence at each position of sliding windows."""
    figure, (axes,) = _figure(5, 3.4)
    for name in EXPERIMENTS:
        each = [one["positions"] for one in results.get(name, {}).get("runs", ())]
        if any(each):
            means = [fmean(column) for column in zip(*filter(None, each), strict=True)]
            axes.plot(range(1, len(means) + 1), means, "o-", label=EXPERIMENTS[name].title)
            axes.set_xticks(range(1, len(means) + 1))
    if not axes.lines:
        return None
    axes.set(xlabel="position in the window", ylabel="s-BLEU")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="x-small")
    return figure  # type: ignore[no-any-return]


_FIGURES: dict[str, tuple[Callable[[Results], Any], str]] = {
    "curves": (curves, "Validation loss and entropy of cross-attention by update"),
    "differences": (differences, "Each system against the first that it is compared with"),
    "context": (context, "Own context against shuffled context, by phenomenon"),
    "lengths": (lengths, "d-BLEU by tokens of an instance"),
    "positions": (positions, "s-BLEU by position in the window"),
    "twins": (twins, "What context is worth, against a twin and against shuffled context"),
}


def draw_figures(results: Results) -> dict[str, Figure]:
    """All figures that there is something to draw for, by name."""
    drawn = {name: draw(results) for name, (draw, _) in _FIGURES.items()}
    return {name: figure for name, figure in drawn.items() if figure is not None}


def write_figures(figures: Mapping[str, Figure], folder: Path) -> None:
    """Write figures into a folder."""
    for name, figure in figures.items():
        with whole_path(folder / _file(name)) as part:
            figure.savefig(part, format="png", dpi=110)


def image(name: str) -> str:
    """A figure in Markdown."""
    return f"![{_FIGURES[name][1]}](figures/{_file(name)})"


def _file(name: str) -> str:
    return f"papers-{name}.png"
