"""Tables and lines of scores."""

from __future__ import annotations

from dataclasses import replace

from rich.console import Console

from docmt.output.score_tables import comparison_table, full_lines, score_table
from docmt_files.base.documents import Document
from docmt_nmt.evaluation import Evaluation, MetricSettings, SignificanceTest, compare, evaluate
from docmt_nmt.evaluation.metrics import METRICS

REFERENCE = [Document("a", ("x",), ("so it shall be now",))]
OURS = [Document("a", ("x",), ("so it shall be",))]
NAMES = [name for name, kind in METRICS.items() if kind.family != "COMET"]
SCORES = evaluate(OURS, REFERENCE, MetricSettings(metrics=NAMES, instances=[1], language="en"))
COMPARISONS = compare(OURS, REFERENCE, REFERENCE, test=SignificanceTest(trials=9))


def shown(table) -> str:
    console = Console(width=80)
    with console.capture() as capture:
        console.print(table)
    return capture.get()


def test_the_table_of_all_scores_fits_a_terminal_one_line_per_score():
    rows = [" ".join(line.split()) for line in shown(score_table(SCORES)).splitlines()[3:-1]]
    assert [row.split()[0] for row in rows] == [score.name for score in SCORES]
    # exp(1 - 5/4), all n-grams match.
    assert rows[0] == "s-BLEU 77.88 100.0 100.0 100.0 100.0 0.779 4 of 5"
    assert rows[-1] == "TER ↓ 20.00"


def test_the_table_of_comparisons_names_both_scores():
    rows = [
        " ".join(line.split()) for line in shown(comparison_table(COMPARISONS)).splitlines()[3:-1]
    ]
    assert rows[1] == "d-BLEU 77.88 100.00 -22.12 -22.12 to -22.12 1.0000 1.0000"


def test_the_table_of_comparisons_with_named_baselines_fits_a_terminal():
    named = [replace(one, baseline_name="theirs.de") for one in COMPARISONS]
    rows = [" ".join(line.split()) for line in shown(comparison_table(named)).splitlines()]
    assert rows[-2] == "d-BLEU theirs.de 77.88 100.00 -22.12 -22.12 to -22.12 1.0000 1.0000"


def test_lines_to_quote_are_whole_and_followed_by_notes():
    lines = full_lines(Evaluation(SCORES, COMPARISONS, [])).splitlines()
    assert lines[: len(SCORES)] == [str(score) for score in SCORES]
    assert lines[-1] == "note: d-BLEU: with 1 document, p cannot be less than 1"
