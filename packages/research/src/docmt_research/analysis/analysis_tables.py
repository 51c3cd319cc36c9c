"""Results of analysis for people to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.table import Table

from docmt_files.base.wording import counted
from docmt_research.analysis.attention_statistics import AttentionEntropy, GateStatistics
from docmt_research.analysis.context_value import ContextValue
from docmt_research.analysis.contrastive_evaluation import SuiteResult
from docmt_research.analysis.value_by_category import CategoryValue

NOT_MEASURABLE = "not measurable"
"""In the place of a number that a control does not have."""


def signed(value: float | None, decimals: int = 3) -> str:
    """A number with the sign; nothing for None.

    >>> signed(0.12345), signed(None)
    ('+0.123', '')
    """
    return "" if value is None else f"{value:+.{decimals}f}"


def interval_text(value: ContextValue | CategoryValue, decimals: int = 3) -> str:
    """The 95 % interval of a value of context; nothing if it is not measurable."""
    if value.low is None:
        return ""
    return f"{signed(value.low, decimals)} to {signed(value.high, decimals)}"


def suite_table(result: SuiteResult) -> Table:
    """A table of accuracies in percent: of all cases, each phenomenon and each distance, a line
    for the system in context and for each control and baseline, with the p-value of McNemar's test
    of the first against it."""
    table = Table(box=box.SIMPLE_HEAD, title=result.suite.name, padding=(0, 1, 0, 0))
    table.add_column("cases")
    table.add_column("number", justify="right")
    table.add_column("system", overflow="fold")
    for column in ("accuracy", "95 % interval", "p"):
        table.add_column(column, justify="right", no_wrap=True)
    for name, cases in result.groups().items():
        for decisions in (result.decisions, *result.controls):
            is_main = decisions is result.decisions
            value, p = result.accuracy(decisions, cases), result.p(decisions, cases)
            cells = [name, f"{len(cases):,}"] if is_main else ["", ""]
            cells += [decisions.name, f"{100 * value.share:.1f}" if value.total else NOT_MEASURABLE]
            if value.total:
                cells.append(f"{100 * value.low:.1f} to {100 * value.high:.1f}")
            if p is not None and not is_main:
                cells.append(f"{p:.4f}")
            table.add_row(*cells)
    return table


def suite_lines(result: SuiteResult) -> Iterator[str]:
    """Return notes on the table."""
    cases = len(result.suite.cases)
    chance = 100 * sum(1 / len(case.candidates) for case in result.suite.cases) / cases
    contexts = {
        None: "reads no translation of the context",
        "reference": "reads the context's translation as the suite gives it",
        "own": "reads its own translation of the context",
    }
    yield f"{counted(cases, 'case')} · chance {chance:.1f} % · {contexts[result.target_context]}"
    for text in result.notes:
        yield f"note: {text}"
    yield f"signature: {result.signature}"


def context_value_table(values: Sequence[ContextValue]) -> Table:
    """A table with a line for each size of context."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("previous sentences")
    for column in ("bits per sentence", "95 % interval", "bits per token"):
        table.add_column(column, justify="right", no_wrap=True)
    for value in values:
        table.add_row(
            value.label,
            signed(value.cxmi) or NOT_MEASURABLE,
            interval_text(value),
            signed(value.per_token, 4),
        )
    return table


def category_value_tables(values: Sequence[CategoryValue]) -> Iterator[Table]:
    """For each context a table with a line for each category; `more` is against the sentences of no
    category."""
    for context, control in dict.fromkeys((value.context, value.control) for value in values):
        title = f"context of {counted(context, 'sentence')}{', ' if control else ''}{control}"
        table = Table(box=box.SIMPLE_HEAD, title=title, padding=(0, 1, 0, 0))
        table.add_column("sentences", no_wrap=True)
        for column in ("n", "bits", "95 % interval", "more", "95 % interval"):
            table.add_column(column, justify="right", no_wrap=True)
        for value in values:
            if (value.context, value.control) != (context, control):
                continue
            cells = ["", ""]
            if value.more is not None:
                cells = [f"{value.more:+.3f}", f"{value.more_low:+.2f} to {value.more_high:+.2f}"]
            table.add_row(
                value.category,
                f"{value.sentences:,}",
                signed(value.cxmi) or NOT_MEASURABLE,
                interval_text(value, 2),
                *cells,
            )
        yield table


def entropy_table(entropies: Sequence[AttentionEntropy]) -> Table:
    """A table with a line for each attention: the entropy, and the entropy of uniform weights."""
    table = Table(box=box.SIMPLE_HEAD, title="Entropy of attention", title_justify="left")
    for column in ("kind", "layer", "scope"):
        table.add_column(column, no_wrap=True)
    for column in ("bits", "if uniform", "queries"):
        table.add_column(column, justify="right", no_wrap=True)
    groups = list(dict.fromkeys((one.kind, one.scope) for one in entropies))
    for one in sorted(entropies, key=lambda one: groups.index((one.kind, one.scope))):
        table.add_row(
            one.kind,
            "" if one.layer is None else str(one.layer),
            one.scope,
            f"{one.bits:.3f}",
            f"{one.uniform_bits:.3f}",
            f"{one.queries:,}",
        )
    return table


def gate_table(gates: Sequence[GateStatistics]) -> Table:
    """A table with a line for each gate: the mean and the standard deviation of the values, and the
    share of the context passed."""
    table = Table(box=box.SIMPLE_HEAD, title="Gates", title_justify="left")
    table.add_column("gate", overflow="fold")
    for column in ("mean", "deviation", "share of context", "tokens"):
        table.add_column(column, justify="right", no_wrap=True)
    for one in gates:
        table.add_row(
            one.key,
            f"{one.mean:.3f}",
            f"{one.standard_deviation:.3f}",
            f"{one.context_share:.3f}",
            f"{one.tokens:,}",
        )
    return table
