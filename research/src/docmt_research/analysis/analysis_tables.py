"""Results of analysis for people to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.table import Table

from docmt.ground.wording import counted
from docmt_research.analysis.attention_statistics import AttentionEntropy, GateStatistics
from docmt_research.analysis.context_value import ContextValue
from docmt_research.analysis.contrastive_evaluation import SuiteResult
from docmt_research.analysis.value_by_category import CategoryValue


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
            value = result.accuracy(decisions, cases)
            table.add_row(
                name if is_main else "",
                f"{len(cases):,}" if is_main else "",
                decisions.name,
                f"{100 * value.share:.1f}",
                f"{100 * value.low:.1f} to {100 * value.high:.1f}",
                "" if is_main else f"{result.p(decisions, cases):.4f}",
            )
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
    if result.suite.repeated:
        candidates = counted(result.suite.repeated, "candidate")
        yield f"note: {candidates} left out, the same as another one of their case"
    if result.suite.left_out:
        left_out = counted(result.suite.left_out, "case")
        yield f"note: {left_out} left out, of which all candidates are the same"
    yield f"signature: {result.signature}"


def context_value_table(values: Sequence[ContextValue]) -> Table:
    """A table with a line for each size of context."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("previous sentences")
    for column in ("bits per sentence", "95 % interval", "bits per token"):
        table.add_column(column, justify="right", no_wrap=True)
    for value in values:
        table.add_row(
            ", ".join(filter(None, [str(value.context), value.control])),
            f"{value.cxmi:+.3f}",
            f"{value.low:+.3f} to {value.high:+.3f}",
            f"{value.per_token:+.4f}",
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
                f"{value.cxmi:+.3f}",
                f"{value.low:+.2f} to {value.high:+.2f}",
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
