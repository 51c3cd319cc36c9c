"""CXMI by category of the source sentence."""

from __future__ import annotations

import json
from io import StringIO

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from docmt.cli import main
from docmt_files.base.documents import Document
from docmt_nmt import corpora
from docmt_research.analysis import CategoryValue, ContextValue, context_value, value_by_category
from docmt_research.analysis.analysis_tables import category_value_tables
from docmt_research.analysis.categories import FIRST, OTHER, categorize
from docmt_research.analysis.proportions import mean_difference_interval
from docmt_research.forced_decoding.system_forced_decoder import SystemForcedDecoder


def test_values_are_those_of_the_sentences_of_a_category():
    documents = [
        Document("1", ("A dog.", "", "It did.", "Well, I slept.")),
        Document("2", ("A cat.", "It slept there.", "We saw many others.")),
    ]
    bits = (0.0, 3.0, 0.5, 0.0, 5.0, -0.5)
    value = ContextValue(1, "", 6, 30, bits, 0.0, 1.0)
    found = {
        v.category: v for v in value_by_category([value], documents, categorize(documents, "en"))
    }
    pronouns = found["ambiguous pronoun"]
    assert (pronouns.sentences, pronouns.documents, pronouns.cxmi) == (2, 2, 4.0)
    assert (pronouns.low, pronouns.high) == (3.0, 5.0)
    assert pronouns.more == 4.0 and pronouns.more_low <= 4.0 <= pronouns.more_high
    assert found["ellipsis"].cxmi == 3.0 and found["ellipsis"].sentences == 1
    assert found[OTHER].cxmi == 0.0 and found[OTHER].more is None
    assert found[FIRST].sentences == 2 and found[FIRST].more is None
    assert "repeated term" not in found


def test_the_interval_of_a_difference_is_that_of_whole_groups():
    # Every group has the difference 2, whatever its level, so all samples have it.
    values, others = np.array([5.0, 9.0, 3.0]), np.array([3.0, 7.0, 1.0])
    assert mean_difference_interval(values, others, [0, 1, 2], [0, 1, 2]) == pytest.approx((2, 2))
    # A group without others may be drawn alone: that sample says nothing.
    low, high = mean_difference_interval([5.0, 9.0], [3.0], [0, 1], [0])
    assert 2.0 <= low <= high <= 6.0


def test_context_is_worth_most_where_a_pronoun_is_ambiguous(pronoun_run, pronouns, tmp_path):
    documents = list(corpora.read(pronouns / "test.en", pronouns / "test.de"))
    values = context_value(SystemForcedDecoder.load(pronoun_run.directory), documents)
    own = value_by_category(values, documents, categorize(documents, "en"))
    first = {(v.category, v.control): v for v in own}
    assert first["ambiguous pronoun", ""].cxmi > 1
    assert abs(first[FIRST, ""].cxmi) < 1e-3
    assert first["ambiguous pronoun", "shuffled"].cxmi < first["ambiguous pronoun", ""].cxmi

    files = ["--source", pronouns / "test.en", "--target", pronouns / "test.de"]
    command = ["cxmi", "--run", pronoun_run.directory, *files, "--where", "-o", tmp_path / "c.json"]
    result = CliRunner().invoke(main, list(map(str, command)))
    assert result.exit_code == 0, result.output
    assert "ambiguous pronoun" in result.stdout and "categories: lists:docmt-en" in result.stdout
    state = json.loads((tmp_path / "c.json").read_text())["categories"]
    by_category = {(v["category"], v["control"]): v for v in state["values"]}
    assert by_category["ambiguous pronoun", ""]["cxmi"] == pytest.approx(
        first["ambiguous pronoun", ""].cxmi
    )
    assert len(state["members"]["ellipsis"]) == 18


def test_the_tables_fit_a_terminal():
    values = [
        CategoryValue("ambiguous pronoun", 1, "", 1234, 20, -0.1, -10.25, 10.5, 0.2, -10.5, 10.5),
        CategoryValue(FIRST, 1, "", 20, 20, 0.0, 0.0, 0.0),
    ]
    console = Console(width=80, file=StringIO())
    for table in category_value_tables(values):
        console.print(table)
    text = console.file.getvalue()
    assert "-10.25 to +10.50" in text and "first in document" in text and "…" not in text
