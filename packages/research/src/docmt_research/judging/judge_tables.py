"""The results of a judge, for people to read and as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich import box
from rich.table import Table

from docmt_files.base.wording import counted
from docmt_research.judging.judge_statistics import Estimate
from docmt_research.judging.judgments import JudgeResult, Judgment, Judgments, PreferenceResult


def judgment_table(found: Judgments) -> Table:
    """A table of all systems, or of all comparisons."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("system", overflow="fold")
    compares = isinstance(found.results[0], PreferenceResult)
    columns = ("preferred to", "share", "95 % interval", "better", "worse", "p")
    for column in columns if compares else ("score", "95 % interval", "difference", "p"):
        table.add_column(column, justify="left" if column == "preferred to" else "right")
    for result in found.results:
        if isinstance(result, PreferenceResult):
            table.add_row(
                result.system,
                result.baseline,
                f"{100 * result.preference.mean:.1f} %",
                _interval(result.preference, 100),
                str(result.better),
                str(result.worse),
                f"{result.p:.4f}",
            )
        else:
            table.add_row(
                result.system, f"{result.score.mean:.2f}", _interval(result.score), "", ""
            )
            for name, difference in result.against.items():
                table.add_row(
                    f"  against {name}",
                    "",
                    f"{difference.low:+.2f} to {difference.high:+.2f}",
                    f"{difference.difference:+.2f}",
                    f"{difference.p:.4f}",
                )
    return table


def judgment_lines(found: Judgments) -> Iterator[str]:
    """Notes on the table."""
    unreadable = sum(result.unreadable for result in found.results)
    yield (
        f"{counted(found.questions, 'question')} · {counted(unreadable, 'answer')} could not be "
        "read" + (", whose passages are left out" if unreadable else "")
    )
    for result in found.results:
        if result.deviation is not None:
            name = result.system
            if isinstance(result, PreferenceResult):
                name += f" and {result.baseline}"
            yield f"{name}: standard deviation between repeats {result.deviation:.3f}"
        if isinstance(result, PreferenceResult):
            yield _order_line(result)
        elif severities := _severities(result):
            yield f"{result.system}: {severities}"
    yield f"signature: {found.signature}"


def as_dict(found: Judgments) -> dict[str, Any]:
    """Everything as plain values, down to each answer."""
    return {
        "signature": found.signature,
        "questions": found.questions,
        "results": [_result(result) for result in found.results],
    }


def _interval(value: Estimate, scale: float = 1.0) -> str:
    digits = 1 if scale > 1 else 2
    return f"{scale * value.low:.{digits}f} to {scale * value.high:.{digits}f}"


def _order_line(result: PreferenceResult) -> str:
    """The effect of the order of the translations."""
    if result.agreement is None:
        return f"{result.system} and {result.baseline}: no passage was compared in both orders"
    line = (
        f"{result.system} and {result.baseline}: both orders agree on "
        f"{100 * result.agreement:.1f} % of the passages"
    )
    if result.first is not None:
        line += f", and the first translation is preferred {100 * result.first:.1f} % of the time"
    return line


def _severities(result: JudgeResult) -> str:
    """The numbers of errors by severity, in all repeats together."""
    counts = Counter(
        error.severity
        for judgment in result.judgments
        for reply in judgment.replies
        if isinstance(reply.value, list)
        for error in reply.value
    )
    words = (f"{counts[name]} {name}" for name in ("critical", "major", "minor"))
    return "errors: " + ", ".join(words) if counts else ""


def _result(result: JudgeResult | PreferenceResult) -> dict[str, Any]:
    """A result as plain values."""
    if isinstance(result, JudgeResult):
        score, own = result.score, {"system": result.system}
        against = {
            name: {
                "difference": other.difference,
                "low": other.low,
                "high": other.high,
                "p": other.p,
                "scores": other.scores,
            }
            for name, other in result.against.items()
        }
        more: dict[str, Any] = {"against": against}
    else:
        score, own = result.preference, {"system": result.system, "baseline": result.baseline}
        keys = ("better", "worse", "p", "first", "agreement")
        more = {key: getattr(result, key) for key in keys}
    return {
        **own,
        "score": score.mean,
        "low": score.low,
        "high": score.high,
        "scores": score.scores,
        "deviation": result.deviation,
        "unreadable": result.unreadable,
        **more,
        "passages": [_judgment(judgment) for judgment in result.judgments],
    }


def _judgment(judgment: Judgment) -> dict[str, Any]:
    """The answers about a passage as plain values."""
    return {
        "document": judgment.passage.document + 1,
        "sentences": [index + 1 for index in judgment.passage.indices],
        "values": [None if values is None else list(values) for values in judgment.values],
        "answers": [
            {"answer": reply.answer, "problem": reply.problem, **_errors(reply.value)}
            for reply in judgment.replies
        ],
    }


def _errors(value: Any) -> dict[str, Any]:
    """The errors named in an answer, if it names errors."""
    if not isinstance(value, list):
        return {}
    return {"errors": [asdict(error) | {"sentence": error.sentence + 1} for error in value]}
