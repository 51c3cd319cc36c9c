"""The tables of a report for files, as the commands print them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from docmt.output.score_tables import realignment_table, system_comparison_table, system_table
from docmt_research.analysis.analysis_tables import (
    category_value_tables,
    context_value_table,
    entropy_table,
    gate_table,
    suite_table,
)
from docmt_research.report.collect import ReportData
from docmt_research.report.page import sentence_buckets
from docmt_research.report.sentence_buckets import Bucket


def report_tables(data: ReportData) -> Iterator[Table]:
    """Yield the tables of scores, suites, context, buckets of sentences, and attention; the title
    of a table of one run is the name of the run."""
    if data.evaluation.realignments:
        yield realignment_table(data.evaluation.realignments)
    yield system_table(data.evaluation)
    if data.evaluation.comparisons:
        yield system_comparison_table(data.evaluation.comparisons)
    for suite in data.suites:
        for run, result in suite.items():
            yield _titled(suite_table(result), run)
    for run, values in data.context.items():
        if values:
            yield _titled(context_value_table(values), run)
    for run, by_category in data.by_category.items():
        for table in category_value_tables(by_category):
            yield _titled(table, run)
    for title, unit, buckets in sentence_buckets(data):
        yield _bucket_table(title, unit, buckets)
    for run, part in data.attention.items():
        yield _titled(entropy_table(part.statistics.entropies), run)
        if part.statistics.gates:
            yield _titled(gate_table(part.statistics.gates), run)


def _titled(table: Table, run: str) -> Table:
    """The table, with the run in front of the title."""
    title = f": {table.title}" if table.title else ""
    table.title = Text(run + title)
    return table


def _bucket_table(title: str, unit: str, buckets: Sequence[Bucket]) -> Table:
    """A table with a line for each bucket of sentences and a column for each run."""
    table = Table(title=Text(f"s-BLEU {title[0].lower()}{title[1:]}"))
    table.add_column(unit)
    for name in ("sentences", *buckets[0].scores):
        table.add_column(Text(name), justify="right")
    for bucket in buckets:
        scores = (f"{score:.2f}" for score in bucket.scores.values())
        table.add_row(bucket.label, f"{bucket.sentences:,}", *scores)
    return table
