"""Evaluation sets and memories, translated and written by the command."""

from __future__ import annotations

import pytest

from corpora.test_published_formats import SOURCE, TMX, UNITS, nist, put
from docmt.cli import main
from docmt_nmt import corpora


def translate(*arguments: object) -> int:
    """The exit code of a translation."""
    with pytest.raises(SystemExit) as stopped:
        main(["translate", *map(str, arguments)])
    return int(stopped.value.code or 0)


def test_a_translated_evaluation_set_is_a_tstset(tmp_path, tiny_run):
    source, _ = nist(tmp_path)
    put(source, SOURCE.replace("甲。", "one two").replace("乙。", "three"))
    output = tmp_path / "out.sgm"
    assert translate(source, "--run", tiny_run.directory, "-o", output) == 0
    assert output.read_text().startswith("<tstset")
    assert [d.id for d in corpora.read(output)] == ["a", "b"]


def test_a_translated_memory_is_translated_into_a_new_one(tmp_path, tiny_run, capsys):
    path = put(tmp_path / "a.tmx", TMX.format(header="en"))
    command = [path, "--run", tiny_run.directory, "-o"]
    assert translate(*command, tmp_path / "b.tmx") == 2
    assert "--output-format tmx" in capsys.readouterr().err
    assert translate(*command, tmp_path / "b.jsonl") == 0
    assert [d.source for d in corpora.read(tmp_path / "b.jsonl")] == [d.source for d in UNITS]
