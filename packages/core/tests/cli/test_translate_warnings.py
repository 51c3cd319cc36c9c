"""What `docmt translate` says of suspicious translations."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from docmt.cli import main
from docmt_files.core.blocks import Blocks
from docmt_files.markup import markdown
from docmt_nmt.runs.system_run import SystemRun

LETTER = "one two\n\n   three four\n\n\nfive\n"


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    path = tmp_path / "letter.txt"
    path.write_text(LETTER)
    return path


def translate(run, *arguments: str | Path, standard_input: str | None = None) -> Result:
    command = ["translate", "--run", str(run.directory), *map(str, arguments)]
    return CliRunner().invoke(main, command, input=standard_input)


@pytest.fixture
def suspicious_run(tiny_run, tmp_path: Path):
    """The tiny run with thresholds by which every translation is too long."""
    thresholds = tiny_run.thresholds()
    longest = (0.01,) * len(thresholds.lengths)
    thresholds = thresholds.model_copy(update={"max_length_ratio": longest})
    run = SystemRun.create(tmp_path / "run", tiny_run.recipe, tiny_run.pipeline, thresholds)
    shutil.copy(tiny_run.weights, run.weights)
    return run


def test_suspicious_sentences_are_noted_once_per_document(suspicious_run, letter: Path) -> None:
    result = translate(suspicious_run, letter)
    assert result.exit_code == 0
    expected = (
        f"{letter}: document '{letter}': check 3 of 3 sentences: too long for the source (3): "
        "1, 2, 3\n"
    )
    assert result.stderr.count("check") == 1
    assert expected in result.stderr


def test_the_documents_with_suspicious_sentences_that_a_note_lists_are_few(
    suspicious_run, tmp_path: Path
) -> None:
    path = tmp_path / "many.txt"
    path.write_text("<d>\none two\nthree\n" * 12)
    result = translate(suspicious_run, "--segmented", path)
    assert result.stderr.count("check 2 of 2 sentences") == 10
    assert "2 more documents: check 4 sentences (--output-format jsonl lists them)" in result.stderr


def test_jsonl_marks_suspicious_sentences(suspicious_run, letter: Path) -> None:
    result = translate(suspicious_run, letter, "--output-format", "jsonl")
    warnings = json.loads(result.stdout)["warnings"]
    assert [(w["sentence"], w["kind"]) for w in warnings] == [(i, "too-long") for i in range(3)]
    assert warnings[0]["detail"].endswith("characters for 7")


def test_a_text_of_improbable_sentences_is_noted(tiny_run, tmp_path: Path) -> None:
    run = SystemRun.create(tmp_path / "run", tiny_run.recipe, tiny_run.pipeline)
    shutil.copy(tiny_run.weights, run.weights)
    run.save_thresholds(run.thresholds().model_copy(update={"min_log_probability": 0.0}))
    (text := tmp_path / "text.txt").write_text("one two\n\n" * 10)
    result = translate(run, "--strict", text)
    assert result.exit_code == 3
    assert "improbable to the system itself (10): 1, 2, 3" in result.stderr
    assert "10 of 10 sentences are improbable: the text is not like the text" in result.stderr
    text.write_text("one two\n\n" * 9)
    assert "not like the text" not in translate(run, text).stderr


def test_strict_translation_writes_all_files_and_exits_with_3_on_a_warning(
    suspicious_run, tiny_run, letter: Path, tmp_path: Path
) -> None:
    (other := tmp_path / "other.txt").write_text("seven\n")
    result = translate(suspicious_run, "--strict", letter, other, "-o", tmp_path / "out")
    assert result.exit_code == 3
    assert "docmt: 4 suspicious sentences (--strict)" in result.stderr
    assert len(list((tmp_path / "out").iterdir())) == 2
    fine = translate(tiny_run, "--strict", letter)
    assert (fine.exit_code, "check" in fine.stderr) == (0, False)


def test_blocks_that_are_left_as_they_were_count_for_strict_translation(
    tiny_run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = markdown.read

    def read_as_no_format_does(*arguments: Any) -> Any:
        """As if every translation changed the structure of the file."""
        documents, skeleton = read(*arguments)
        return documents, replace(skeleton, find=lambda _: Blocks([]))

    monkeypatch.setattr(markdown, "read", read_as_no_format_does)
    (guide := tmp_path / "guide.md").write_text("# one two\n\nthree\n")
    output = tmp_path / "out.md"
    result = translate(tiny_run, guide, "-o", output)
    assert result.exit_code == 0
    assert "2 blocks not translated" in result.stderr
    strict = translate(tiny_run, guide, "-o", output, "--strict")
    assert (strict.exit_code, output.read_text()) == (3, guide.read_text())
    assert "docmt: 2 untranslated blocks (--strict)" in strict.stderr
