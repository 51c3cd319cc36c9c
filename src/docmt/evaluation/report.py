"""Scores for people: as a table, and in lines to quote."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table

from docmt.evaluation.metrics import METRICS
from docmt.evaluation.scores import Score
from docmt.evaluation.significance import Comparison


def full_lines(scores: Sequence[Score], comparisons: Sequence[Comparison] = ()) -> str:
    """Each score and comparison in a line with its signature, then what must be known of them."""
    values: list[Score | Comparison] = [*scores, *comparisons]
    notes = [f"note: {value.name}: {note}" for value in values for note in value.notes]
    return "\n".join([*map(str, values), *notes])


def score_table(scores: Sequence[Score]) -> Table:
    """One row a score; the arrow says that lower is better."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("metric", no_wrap=True)
    for column in ("score", "precisions", "brevity", "length"):
        table.add_column(column, justify="right")
    for score in scores:
        lower = METRICS[score.name.lower()].family == "TER"
        row = [score.name + (" ↓" if lower else ""), f"{score.score:.2f}"]
        if score.brevity_penalty is not None:
            row += [" ".join(f"{p:.1f}" for p in score.precisions), f"{score.brevity_penalty:.3f}"]
            row.append(f"{score.hypothesis_length} of {score.reference_length}")
        table.add_row(*row)
    return table


def position_table(by_position: Sequence[Sequence[Score]]) -> Table:
    """One row a place in a sliding window, from the first (Zhang et al. 2020, Figure 2)."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("place in window", justify="right")
    for score in by_position[0]:
        table.add_column(score.name, justify="right")
    for place, scores in enumerate(by_position, start=1):
        table.add_row(str(place), *(f"{score.score:.2f}" for score in scores))
    return table


def comparison_table(comparisons: Sequence[Comparison]) -> Table:
    """One row a comparison with the baseline."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("metric")
    for column in ("score", "baseline", "difference", "95 % interval", "p"):
        table.add_column(column, justify="right")
    for c in comparisons:
        table.add_row(
            c.name, f"{c.score:.2f}", f"{c.baseline:.2f}", f"{c.difference:+.2f}",
            f"{c.low:+.2f} to {c.high:+.2f}", f"{c.p:.4f}",
        )  # fmt: skip
    return table
