"""Scores of discourse phenomena for people to read: tables, and lines to quote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from docmt.output.score_tables import comparison_table, realignment_table
from docmt_research.discourse.discourse_files import DiscourseEvaluation, SystemScores
from docmt_research.discourse.discourse_scores import DiscourseScore
from docmt_research.discourse.scores_by_category import CategoryScore, WhereEvaluation

_MOST_PARTS = 8
"""Maximum number of pronouns, terms or categories in a table; all are in the JSON."""


def print_discourse(evaluation: DiscourseEvaluation, console: Console) -> None:
    """Print the scores of all systems as a table, the scores of each part, the comparisons, and
    each again on a line to quote, with the signature."""
    systems = evaluation.systems
    if evaluation.realignments:
        console.print(realignment_table(evaluation.realignments))
    console.print(score_table(systems))
    if evaluation.comparisons:
        console.print(comparison_table(evaluation.comparisons))
    for score in systems[0].scores:
        if score.parts:
            console.print(part_table(score.name, systems))
    lines = [
        line
        for system in systems
        for score in system.scores
        for line in (
            f"{system.name}: {score}",
            *(f"note: {system.name}: {score.name}: {note}" for note in score.notes),
        )
    ]
    lines += [
        line
        for comparison in evaluation.comparisons
        for line in (
            str(comparison),
            *(f"note: {comparison.name}: {note}" for note in comparison.notes),
        )
    ]
    # These are meant to be copied, so they are not wrapped.
    console.print("\n".join(lines), markup=False, highlight=False, soft_wrap=True)


def print_where(evaluation: WhereEvaluation, console: Console) -> None:
    """Print the scores of translations by category as tables, then the settings of the
    categories."""
    if evaluation.realignments:
        console.print(realignment_table(evaluation.realignments))
    for table in category_tables(evaluation.scores):
        console.print(table)
    lines = [
        f"categories: {evaluation.settings}",
        *evaluation.signatures,
        "intervals and p by bootstrap and approximate randomization over documents",
        *(f"note: {note}" for note in evaluation.notes),
    ]
    console.print("\n".join(lines), markup=False, highlight=False, soft_wrap=True)


def category_tables(scores: Sequence[CategoryScore]) -> Iterator[Table]:
    """For each metric and each translation a table with a line for each category; `higher` is by
    how much the first translation has a higher score than a baseline."""
    first = scores[0].system
    for metric, system in dict.fromkeys((score.metric, score.system) for score in scores):
        scores_of_system = [
            score for score in scores if (score.metric, score.system) == (metric, system)
        ]
        compared = scores_of_system[0].comparison is not None
        title = f"{metric} of {system}" + (f", and how much higher {first} is" if compared else "")
        table = Table(box=box.SIMPLE_HEAD, title=Text(title), padding=(0, 1, 0, 0))
        table.add_column("sentences", no_wrap=True)
        columns = ["higher", "95 % interval", "p"] if compared else ["95 % interval"]
        for column in ("number", metric, *columns):
            table.add_column(column, justify="right", no_wrap=True)
        for score in scores_of_system:
            cells = [score.category, f"{score.sentences:,}", f"{score.score:.2f}"]
            if (c := score.comparison) is None:
                cells.append(f"{score.low:.2f} to {score.high:.2f}")
            else:
                p = "" if c.p is None else f"{c.p:.4f}"
                cells += [f"{c.difference:+.2f}", f"{c.low:+.2f} to {c.high:+.2f}", p]
            table.add_row(*cells)
        yield table


def score_table(systems: Sequence[SystemScores]) -> Table:
    """A table with a line per metric and a column per system."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("metric", no_wrap=True)
    for system in systems:
        table.add_column(system.name, justify="right", overflow="fold")
    for score in systems[0].scores:
        scores = [_named(system, score.name) for system in systems]
        table.add_row(score.name, *(f"{s.score:.2f}" if s else "" for s in scores))
    return table


def part_table(name: str, systems: Sequence[SystemScores]) -> Table:
    """A table with a line for each of the largest parts of a score, such as the most frequent
    pronouns, and a column per system; `count` is the count of the first system."""
    scores = [_named(system, name) for system in systems]
    first = scores[0]
    assert first is not None, "the first system has every score"
    shown = list(first.parts.items())[:_MOST_PARTS]
    left = len(first.parts) - len(shown)
    table = Table(
        box=box.SIMPLE_HEAD,
        caption=f"{left:,} more in JSON" if left else None,
        caption_justify="left",
    )
    table.add_column(name, overflow="fold")
    table.add_column("count", justify="right")
    for system, score in zip(systems, scores, strict=True):
        if score is not None:
            table.add_column(system.name, justify="right", overflow="fold")
    for part, (_, count) in shown:
        values = [score.parts.get(part) for score in scores if score is not None]
        table.add_row(part, f"{count:,}", *("" if v is None else f"{v[0]:.2f}" for v in values))
    return table


def _named(system: SystemScores, name: str) -> DiscourseScore | None:
    """The score of a metric, if the system has it."""
    return next((score for score in system.scores if score.name == name), None)
