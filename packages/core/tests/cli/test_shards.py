"""`docmt translate --shard`: the parts of a corpus are together the whole, each document once."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt_files import Shard
from docmt_files.base.errors import InputError
from docmt_nmt import Document, corpora
from toy import ENGLISH

DOCUMENTS = [Document(f"d{i}", ("one two", f"three {ENGLISH[i]}")) for i in range(5)]


@pytest.fixture
def translate(tiny_run):
    """Runs `docmt translate` with arguments."""

    def run(*arguments):
        command = ["translate", "--run", tiny_run.directory, *arguments]
        return CliRunner().invoke(main, [*map(str, command)])

    return run


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet", ".tsv"])
def test_the_parts_are_together_the_whole(translate, tmp_path, suffix):
    whole, out = tmp_path / f"in{suffix}", tmp_path / "out"
    corpora.write(DOCUMENTS, whole)
    for number in (1, 2):
        result = translate(whole, "-o", f"{out}/", "--shard", f"{number}/2")
        assert result.exit_code == 0, result.output
    assert translate(whole, "-o", tmp_path / f"all{suffix}").exit_code == 0
    parts = [list(corpora.read(path)) for path in sorted(out.iterdir())]
    assert [[d.id for d in part] for part in parts] == [["d0", "d2", "d4"], ["d1", "d3"]]
    together = sorted((d for part in parts for d in part), key=lambda d: d.id)
    assert together == list(corpora.read(tmp_path / f"all{suffix}"))


def test_processes_write_the_same_part(translate, tmp_path):
    corpora.write(DOCUMENTS, tmp_path / "in.jsonl")
    for number in (1, 2):
        out = f"{tmp_path / str(number)}/"
        arguments = "--shard", "1/2", "--processes", number
        result = translate(tmp_path / "in.jsonl", "-o", out, *arguments)
        assert result.exit_code == 0, result.output
    one, two = (tmp_path / str(number) / "in.00001-of-00002.jsonl" for number in (1, 2))
    assert one.read_bytes() == two.read_bytes()


def test_a_part_that_is_there_is_not_translated_again(translate, tmp_path):
    corpora.write(DOCUMENTS, tmp_path / "in.jsonl")
    (tmp_path / "out").mkdir()
    done = tmp_path / "out" / "in.00002-of-00003.jsonl"
    done.write_text(json.dumps({"id": "kept"}))
    result = translate(tmp_path / "in.jsonl", "-o", tmp_path / "out", "--shard", "2/3")
    assert (result.exit_code, "there already" in result.output) == (0, True)
    assert json.loads(done.read_text()) == {"id": "kept"}


def test_a_part_without_documents_is_no_failure(translate, tmp_path):
    corpora.write(DOCUMENTS, tmp_path / "in.jsonl")
    result = translate(tmp_path / "in.jsonl", "-o", tmp_path / "out", "--shard", "7/9")
    assert (result.exit_code, "shard 7 has none" in result.output) == (0, True)
    assert not list((tmp_path / "out").glob("*"))


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "a/b", "1/0", "-1/3", "1/99999999"])
def test_what_is_not_a_part_is_refused(text):
    with pytest.raises(InputError, match="not one of several parts"):
        Shard.parse(text)


def test_only_one_corpus_with_a_folder_for_its_output_has_parts(translate, tmp_path):
    corpora.write(DOCUMENTS, tmp_path / "in.jsonl")
    (tmp_path / "a.txt").write_text("Open the file.\n")
    for arguments in (
        [tmp_path / "in.jsonl"],
        [tmp_path / "in.jsonl", tmp_path / "in.jsonl", "-o", tmp_path / "out"],
        [tmp_path / "a.txt", "-o", tmp_path / "out"],
        [tmp_path / "in.jsonl", "-o", tmp_path / "a.txt"],
    ):
        assert translate(*arguments, "--shard", "1/2").exit_code == 2
