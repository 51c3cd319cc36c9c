"""`docmt review`, `docmt merge` and what they give to a memory."""

from __future__ import annotations

import re
from importlib import import_module

import pytest
from typer.testing import CliRunner

from docmt.cli import main
from shouting_translator import Shouting

TEXT = "# Share\n\nOpen the file. Wait 20 seconds.\n\nSelect **OK**.\n"


def _run(*arguments, code=0):
    """Run a command. Returns what it printed and what it noted."""
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code == code, result.output
    return result.stdout, result.stderr


@pytest.fixture(autouse=True)
def _shouting(monkeypatch):
    """Commands translate into capitals, without a model."""
    translate, terms = (import_module(f"docmt.cli.{name}") for name in ("translate", "terms"))
    monkeypatch.setenv("DOCMT_RUN", "bundled:en-de")
    monkeypatch.setattr(translate, "load_translators", lambda *_: [Shouting("en", "de")])
    monkeypatch.setattr(terms, "load_translator", lambda *_: Shouting("en", "de"))


@pytest.fixture
def source(tmp_path):
    (tmp_path / "a.md").write_text(TEXT)
    return tmp_path / "a.md"


def test_a_review_goes_out_and_comes_back_and_is_remembered(source, tmp_path):
    _run("review", source)
    review = tmp_path / "a.xlf"
    _run("merge", review, "-o", tmp_path / "b.md", "--strict")
    translated, _ = _run("translate", source)
    assert (tmp_path / "b.md").read_text() == translated
    review.write_text(review.read_text().replace("OPEN THE FILE.", "Datei auf!"))
    memory = tmp_path / "m.db"
    _, notes = _run("merge", review, "-o", tmp_path / "b.md", "--memory", memory)
    assert "4 sentences merged, 0 of them approved and 1 edited" in notes
    assert "1 unit new or changed" in notes
    assert "Datei auf!" in (tmp_path / "b.md").read_text()
    languages = ("--source-language", "en", "--target-language", "de")
    _, notes = _run("memory", "add", tmp_path / "n.db", review, *languages)
    assert "1 unit new or changed" in notes
    assert _run("translate", source, "--memory", memory)[0] == (tmp_path / "b.md").read_text()
    assert _run("translate", source, "--memory", review)[0] == (tmp_path / "b.md").read_text()


def test_the_name_of_the_output_chooses_the_form(source, tmp_path):
    _run("review", source, "-o", tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text().startswith("<!DOCTYPE html>")
    _run("review", source, "-o", tmp_path / "a.xliff", "--xliff", "1.2")
    assert 'version="1.2"' in (tmp_path / "a.xliff").read_text()


def test_strict_merging_ends_with_a_code(source, tmp_path):
    _run("review", source)
    review = tmp_path / "a.xlf"
    review.write_text(re.sub(r'(?s)<unit id="u2".*?</unit>', "", review.read_text()))
    _, notes = _run("merge", review, "-o", tmp_path / "b.md", "--strict", code=3)
    assert "1 unit missing from the review, and left as in the source: u2" in notes
    assert "docmt: 1 problem (--strict)" in notes


def test_mistakes_are_named_without_a_traceback(source, tmp_path):
    _run("review", source)
    review = tmp_path / "a.xlf"
    _, notes = _run("merge", review, "-o", source, code=2)
    assert "input" in notes
    review.write_text(review.read_text()[:-20])
    _, notes = _run("merge", review, "-o", tmp_path / "b.md", code=2)
    assert re.search(r"a\.xlf, line \d+: ", notes)
    (tmp_path / "a.json").write_text("{}")
    _, notes = _run("merge", tmp_path / "a.json", "-o", tmp_path / "b.md", code=2)
    assert "is not a review of docmt" in notes
    assert not (tmp_path / "b.md").exists()


def test_standard_input_has_no_review(tmp_path):
    _, notes = _run("review", "-", "-o", tmp_path / "a.xlf", code=2)
    assert "a file that can be read again" in notes


def test_terms_are_proposed_and_given_back(tmp_path):
    text = "".join(f"Open it {n} times with Acme.\n\n" for n in range(4))
    (tmp_path / "a.md").write_text(text)
    table = tmp_path / "terms.tsv"
    _, notes = _run("terms", tmp_path / "a.md", "-o", table)
    assert "to be reviewed, the most frequent first" in notes
    assert "Acme\tACME\t\tname\t4" in table.read_text()
    _, notes = _run("terms", tmp_path / "a.md", "-o", tmp_path / "b.tsv", "--glossary", table)
    assert "0 names" in notes
