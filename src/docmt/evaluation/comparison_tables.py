"""Comparisons for people to read, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table

from docmt.evaluation.comparison import Comparison


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
            *difference_cells(c),
        )
    return table


def difference_cells(comparison: Comparison) -> list[str]:
    """A difference, the interval, p, and p of the sign test."""
    return [
        f"{comparison.difference:+.2f}",
        f"{comparison.low:+.2f} to {comparison.high:+.2f}",
        p_value(comparison.p),
        p_value(None if comparison.sign is None else comparison.sign.p),
    ]


def p_value(value: float | None) -> str:
    """Return a p-value as text; a dash where there is none."""
    if value is None:
        return "–"
    return f"{value:.4f}" if value >= 0.00005 else "<0.0001"
