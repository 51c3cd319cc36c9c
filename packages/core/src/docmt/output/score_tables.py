"""Scores for people to read: tables, and lines to quote."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from docmt_nmt.evaluation.comparison import Comparison
from docmt_nmt.evaluation.file_evaluation import Evaluation
from docmt_nmt.evaluation.realignment_record import Realignment
from docmt_nmt.evaluation.scores import Score
from docmt_nmt.evaluation.systems import SystemScore, SystemsEvaluation


def print_evaluation(evaluation: Evaluation, console: Console) -> None:
    """Print all scores as tables, and each score again on a line to quote, with the signature."""
    console.print(score_table(evaluation.scores))
    if evaluation.realignments:
        console.print(realignment_table(evaluation.realignments))
    if evaluation.comparisons:
        console.print(comparison_table(evaluation.comparisons))
    if evaluation.positions:
        console.print(position_table(evaluation.positions))
    # These are meant to be copied, so they are not wrapped.
    console.print(full_lines(evaluation), markup=False, highlight=False, soft_wrap=True)


def full_lines(evaluation: Evaluation | SystemsEvaluation) -> str:
    """Each score and comparison on a line with the signature, then all notes."""
    notes = (f"note: {text}" for text in evaluation.all_notes)
    return "\n".join([*map(str, (*evaluation.scores, *evaluation.comparisons)), *notes])


def score_table(scores: Sequence[Score]) -> Table:
    """A table with a line per score; an arrow marks scores of which lower is better."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("metric", no_wrap=True)
    for column in ("score", "precisions", "brevity", "length"):
        table.add_column(column, justify="right")
    for score in scores:
        cells = [score.name + (" ↓" if score.lower_is_better else ""), f"{score.score:.2f}"]
        if score.brevity_penalty is not None:
            cells += [
                " ".join(f"{precision:.1f}" for precision in score.precisions),
                f"{score.brevity_penalty:.3f}",
                f"{score.hypothesis_length} of {score.reference_length}",
            ]
        table.add_row(*cells)
    return table


REALIGNMENT_COLUMNS = ("sentences", "merged", "split", "lost (moved)", "added (repeated)", "order")
"""The counts of a free translation, and the rank correlation of the order."""


def realignment_table(realignments: Sequence[Realignment]) -> Table:
    """A table with a line per free translation: the sentences of the reference that were merged,
    split and lost, and the sentences that were added."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("free translation", overflow="fold")
    for column in REALIGNMENT_COLUMNS:
        table.add_column(column, justify="right")
    for one in realignments:
        table.add_row(Text(one.name), *realignment_cells(one))
    return table


def realignment_cells(realignment: Realignment) -> tuple[str, ...]:
    """The counts of `REALIGNMENT_COLUMNS`."""
    counts = realignment.counts
    return (
        f"{counts.translated:,} for {counts.sentences:,}",
        f"{counts.merged:,}",
        f"{counts.split:,}",
        f"{counts.lost:,} ({counts.moved:,})",
        f"{counts.added:,} ({counts.repeated:,})",
        "–" if counts.order is None else f"{counts.order:.2f}",
    )


def position_table(by_position: Sequence[Sequence[Score]]) -> Table:
    """A table with a line per position in a sliding window, from the first (Zhang et al. 2020,
    Figure 2)."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("position in window", justify="right")
    for score in by_position[0]:
        table.add_column(score.name, justify="right")
    for position, scores in enumerate(by_position, start=1):
        table.add_row(str(position), *(f"{score.score:.2f}" for score in scores))
    return table


def comparison_table(comparisons: Sequence[Comparison]) -> Table:
    """A table with a line per comparison with a baseline; baselines with names have a column for
    them. `sign p` is the p-value of the sign test."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("metric")
    named = any(comparison.baseline_name for comparison in comparisons)
    if named:
        table.add_column("compared with", overflow="fold")
    for column in ("score", "baseline", "diff.", "95 % interval", "p", "sign p"):
        table.add_column(column, justify="right", no_wrap=True)
    for c in comparisons:
        table.add_row(
            c.name,
            *([c.baseline_name] if named else []),
            f"{c.score:.2f}",
            f"{c.baseline:.2f}",
            *_difference_cells(c),
        )
    return table


def _difference_cells(comparison: Comparison) -> list[str]:
    """A difference, the interval, p, and p of the sign test."""
    return [
        f"{comparison.difference:+.2f}",
        f"{comparison.low:+.2f} to {comparison.high:+.2f}",
        _p_value(comparison.p),
        _p_value(None if comparison.sign is None else comparison.sign.p),
    ]


def _p_value(value: float | None) -> str:
    """Return a p-value as text; a dash where there is none."""
    if value is None:
        return "–"
    return f"{value:.4f}" if value >= 0.00005 else "<0.0001"


def print_systems(evaluation: SystemsEvaluation, console: Console) -> None:
    """Print systems side by side as tables, and each score again on a line to quote."""
    console.print(system_table(evaluation))
    if evaluation.realignments:
        console.print(realignment_table(evaluation.realignments))
    if evaluation.comparisons:
        console.print(system_comparison_table(evaluation.comparisons))
    console.print(full_lines(evaluation), markup=False, highlight=False, soft_wrap=True)


def system_table(evaluation: SystemsEvaluation) -> Table:
    """A table with a line per system and a column per metric; of several seeds, the mean and the
    standard deviation."""
    table = Table(box=box.SIMPLE_HEAD)
    names = [score.system for score in evaluation.scores]
    table.add_column("system", overflow="fold", min_width=_width(names))
    table.add_column("seeds", justify="right")
    by_system: dict[str, list[SystemScore]] = {}
    for score in evaluation.scores:
        by_system.setdefault(score.system, []).append(score)
    for score in next(iter(by_system.values())):
        arrow = " ↓" if score.scores[0].lower_is_better else ""
        table.add_column(score.scores[0].name + arrow, justify="right", no_wrap=True)
    for name, scores in by_system.items():
        cells = [name, str(len(scores[0].scores)), *(score.spread for score in scores)]
        table.add_row(*map(Text, cells))
    return table


def _width(names: Sequence[str]) -> int:
    """The characters of names that are not folded while other columns can be."""
    return min(24, max(map(len, names), default=0))


def system_comparison_table(comparisons: Sequence[Comparison]) -> Table:
    """A table with a line per comparison of a system with a baseline. A single baseline is named in
    the title; `seeds p` is there if any system has it."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("metric")
    table.add_column(
        "system", overflow="fold", min_width=_width([c.system_name for c in comparisons])
    )
    names = {c.baseline_name for c in comparisons}
    seeds = any(c.seeds_p is not None for c in comparisons)
    if len(names) == 1:
        table.title = Text(f"compared with {comparisons[0].baseline_name}")
    else:
        table.add_column("baseline", overflow="fold")
    for column in ("diff.", "95 % interval", "p", "sign p", *(["seeds p"] if seeds else [])):
        table.add_column(column, justify="right", no_wrap=True)
    for c in comparisons:
        table.add_row(
            c.name,
            Text(c.system_name),
            *([Text(c.baseline_name)] if len(names) > 1 else []),
            *_difference_cells(c),
            *([_p_value(c.seeds_p)] if seeds else []),
        )
    return table
