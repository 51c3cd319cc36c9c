"""`docmt prepare`: what it prints, what it leaves in its folder, and errors in a corpus."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from docmt.cli import main
from docmt_nmt import corpora
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.data.parallel_corpus import PreparedCorpus
from docmt_nmt.recipes import load

RECIPE = """\
extends: g-transformer
data:
  source_language: en
  target_language: de
  train: {source: talks.en, target: talks.de, boundaries: blank}
  valid: {source: talks.jsonl}
  filter: {max_length_ratio: 3, duplicates: true}
text:
  merges: 100
"""


@pytest.fixture
def talks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recipe for the first documents of real text, in two formats."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    source, target, docids = (corpus_file(f"dev.{part}.xz") for part in ("en", "de", "docids"))
    documents = islice(corpora.read(source, target, docids=docids), 4)
    corpora.write(documents, "talks.jsonl")
    corpora.write(corpora.read("talks.jsonl"), "talks.en", "talks.de", boundaries="blank")
    Path("talks.yaml").write_text(RECIPE)
    return tmp_path


def prepare(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["prepare", "talks.yaml", *arguments, "--output", "talks"])


@pytest.mark.usefixtures("talks")
def test_it_prints_the_sizes_of_the_splits_and_what_is_left_out():
    result = prepare()
    assert result.exit_code == 0, result.output
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    assert lines[0] == "Instances: up to 512 tokens"
    assert "removed from train (max_length_ratio): 1 sentence pair" in lines
    assert "removed from train (duplicates): nothing" in lines
    assert lines[-1].startswith("Prepared. Train with: docmt train talks.yaml data.prepared=talks")
    start = "in training and in valid: "
    (overlap,) = (line.removeprefix(start) for line in lines if line.startswith(start))

    corpus = PreparedCorpus.load("talks")
    corpus.check(load("talks.yaml"))
    sentences = sum(map(len, corpora.read("talks.jsonl")))
    assert overlap.startswith(f"{sentences - 1} sentence pairs, {sentences - 1} sources, ")
    for name, expected in (("train", sentences - 1), ("valid", sentences)):
        (row,) = (line.split() for line in lines if line.startswith(f"{name} "))
        split, instances = corpus.split(name), int(row[3])
        tokens = sum(len(s) + 2 for i in range(len(split)) for s in split.document(i).source)
        sizes = f"{expected / instances:.1f}", f"{tokens / instances:.1f}"
        assert row[1:] == [str(len(split)), str(expected), row[3], *sizes]
        assert len(split) == 4 < instances


@pytest.mark.usefixtures("talks")
def test_a_lost_line_ends_with_code_2_and_names_the_line():
    lines = Path("talks.de").read_text("utf-8").splitlines(keepends=True)
    Path("short.de").write_text("".join(lines[:4] + lines[5:]), "utf-8")
    result = prepare("data.train.target=short.de")
    assert result.exit_code == 2
    assert "talks.en, line" in result.stderr
    assert "the line is blank in the target only" in result.stderr
    assert not Path("talks").exists()


def test_a_fault_of_the_corpus_ends_with_code_2_and_no_folder(tmp_path):
    (tmp_path / "a.tsv").write_text("1\tone\n")
    data = f"data.train={{source: {tmp_path / 'a.tsv'}}}"
    call = ["prepare", "g-transformer", data, "--output", str(tmp_path / "out")]
    result = CliRunner().invoke(main, call)
    assert result.exit_code == 2
    assert "document '1' has no target side" in result.stderr
    assert not (tmp_path / "out").exists()
