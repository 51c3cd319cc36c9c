"""Scores for people to read: tables, and lines to quote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from docmt.evaluation.files import Evaluation
from docmt.evaluation.scores import Score
from docmt.evaluation.significance import Comparison


def print_evaluation(evaluation: Evaluation, console: Console) -> None:
    """Print all scores as tables, and each again on a line to quote with its signature."""
    for table in _tables(evaluation):
        console.print(table)
    lines = full_lines(evaluation.scores, evaluation.comparisons)
    # These are meant to be copied, so they are not wrapped.
    console.print(lines, markup=False, highlight=False, soft_wrap=True)


def full_lines(scores: Sequence[Score], comparisons: Sequence[Comparison] = ()) -> str:
    """Each score and comparison on a line with its signature, then the notes on them."""
    values: list[Score | Comparison] = [*scores, *comparisons]
    notes = [f"note: {value.name}: {note}" for value in values for note in value.notes]
    return "\n".join([*map(str, values), *notes])


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
    them. `sign p` is that of the sign test."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("metric")
    named = any(comparison.baseline_name for comparison in comparisons)
    if named:
        table.add_column("compared with", overflow="fold")
    for column in ("score", "baseline", "diff.", "95 % interval", "p", "sign p"):
        table.add_column(column, justify="right", no_wrap=True)
    for c in comparisons:
        table.add_row(
            c.name, *([c.baseline_name] if named else []), f"{c.score:.2f}",
            f"{c.baseline:.2f}", f"{c.difference:+.2f}", f"{c.low:+.2f} to {c.high:+.2f}",
            "–" if c.p is None else f"{c.p:.4f}", "–" if c.sign is None else f"{c.sign.p:.4f}",
        )  # fmt: skip
    return table


def _tables(evaluation: Evaluation) -> Iterator[Table]:
    yield score_table(evaluation.scores)
    if evaluation.comparisons:
        yield comparison_table(evaluation.comparisons)
    if evaluation.positions:
        yield position_table(evaluation.positions)
