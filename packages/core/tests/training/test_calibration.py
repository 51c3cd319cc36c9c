"""How probable the translations of a run usually are."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt_files.base.documents import Document
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.training.calibration import calibrate
from docmt_nmt.translators import translate


@pytest.fixture
def copied_run(tiny_run, tmp_path):
    """A run that may be written."""
    shutil.copytree(tiny_run.directory, tmp_path / "run")
    return SystemRun.load(tmp_path / "run")


def documents(count):
    words = ("one", "two", "three", "four", "five", "six")
    sentences = [f"{words[i % 6]} {words[i // 6 % 6]} {words[i // 36 % 6]}" for i in range(count)]
    return [Document(f"d{i}", tuple(sentences[i : i + 10])) for i in range(0, count, 10)]


def test_three_in_a_hundred_translations_are_less_probable(copied_run):
    threshold = calibrate(copied_run, documents(120))
    assert copied_run.thresholds().min_log_probability == threshold
    translations = translate(BeamSearchTranslator.of(copied_run), documents(120))
    values = [value for each in translations for value in each.log_probabilities]
    assert np.mean(np.array(values) < threshold) == pytest.approx(0.03, abs=0.01)


def test_the_other_thresholds_stay(copied_run):
    before = copied_run.thresholds()
    calibrate(copied_run, documents(120))
    after = copied_run.thresholds()
    assert after.model_copy(update={"min_log_probability": None}) == before


def test_too_few_sentences_change_nothing(copied_run):
    assert calibrate(copied_run, documents(90)) is None
    assert copied_run.thresholds().min_log_probability is None


def test_the_command_writes_the_threshold_and_refuses_too_little_text(copied_run, tmp_path):
    def run(text, *arguments):
        (tmp_path / "text.txt").write_text(text)
        source = str(tmp_path / "text.txt")
        return CliRunner().invoke(main, ["calibrate", *arguments, "--source", source])

    directory = str(copied_run.directory)
    text = "".join(f"{each}\n" for d in documents(120) for each in d.source)
    result = run(text, "--run", directory)
    assert result.exit_code == 0, result.output
    threshold = copied_run.thresholds().min_log_probability
    assert f"translations below {threshold:.2f} per token are improbable" in result.stderr
    result = run("one two\n" * 20, "--run", directory)
    assert result.exit_code == 2
    assert "fewer than 100 sentences" in result.stderr
    result = run(text, "--run", "bundled:en-de")
    assert result.exit_code == 2
    assert "comes with docmt, and is not changed" in result.stderr
