"""Commands that are killed at any moment leave their output whole or not at all, and can be run
again."""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt.interop import import_fairseq
from docmt_nmt.data.parallel_corpus import PreparedCorpus
from docmt_nmt.recipes import dump
from docmt_nmt.runs.system_run import SystemRun
from killed_commands import kill_again_and_again, run_command_in_a_group
from killing import begin
from toy import toy_recipe

GOLDEN = Path(__file__).parents[3] / "nmt" / "tests" / "golden" / "g_transformer"
CHECKPOINT, DICTIONARY = GOLDEN / "checkpoint.pt", GOLDEN / "dict.en.txt"

a_few_times = pytest.mark.parametrize("times", [2, pytest.param(24, marks=pytest.mark.slow)])


@pytest.mark.slow
@a_few_times
def test_an_import_leaves_a_whole_run_or_nothing(
    forkserver: Any, tmp_path: Path, times: int
) -> None:
    whole = import_fairseq(CHECKPOINT, DICTIONARY, tmp_path / "whole", languages=("en", "de"))
    run = tmp_path / "runs" / "imported"
    run.parent.mkdir()
    command = (
        "import",
        "fairseq",
        "--checkpoint",
        str(CHECKPOINT),
        "--dictionary",
        str(DICTIONARY),
        "--run",
        str(run),
    )

    def check() -> None:
        loaded = SystemRun.load(run)
        loaded.system()
        assert loaded.weights.read_bytes() == whole.weights.read_bytes()
        names = [{p.name for p in directory.iterdir()} for directory in (run, whole.directory)]
        assert names[0] == names[1]

    kill_again_and_again(
        forkserver, command, run, check, times=times, seed=1, remove=lambda: shutil.rmtree(run)
    )


@a_few_times
def test_preparing_leaves_a_whole_corpus_or_nothing(
    forkserver: Any, tinier_corpus: Path, tmp_path: Path, times: int
) -> None:
    recipe, corpus = tmp_path / "recipe.yaml", tmp_path / "prepared" / "corpus"
    corpus.parent.mkdir()
    recipe.write_text(dump(toy_recipe(tinier_corpus)))

    def check() -> None:
        loaded = PreparedCorpus.load(corpus)
        assert [len(loaded.split(name)) for name in ("train", "valid", "test")] == [30, 6, 6]

    command = ("prepare", str(recipe), "--output", str(corpus))
    kill_again_and_again(
        forkserver,
        command,
        corpus,
        check,
        times=times,
        seed=2,
        remove=lambda: shutil.rmtree(corpus),
    )


@a_few_times
def test_a_prepared_corpus_is_replaced_whole_or_stays(
    forkserver: Any, tinier_corpus: Path, tmp_path: Path, times: int
) -> None:
    recipe, corpus = tmp_path / "recipe.yaml", tmp_path / "prepared" / "corpus"
    corpus.parent.mkdir()
    recipe.write_text(dump(toy_recipe(tinier_corpus)))

    def check() -> None:
        assert len(PreparedCorpus.load(corpus).split("train")) == 30

    command = ("prepare", str(recipe), "--output", str(corpus))
    kill_again_and_again(forkserver, command, corpus, check, times=times, seed=3)


@a_few_times
def test_a_translation_is_written_whole_or_not_at_all(
    forkserver: Any, tiny_run, tiny_corpus: Path, tmp_path: Path, times: int
) -> None:
    output = tmp_path / "out" / "test.de"
    output.parent.mkdir()
    command = (
        "translate",
        "--run",
        str(tiny_run.directory),
        "--segmented",
        str(tiny_corpus / "test.en"),
        "-o",
        str(output),
    )
    lines = len((tiny_corpus / "test.en").read_text().splitlines())

    def check() -> None:
        assert len(output.read_text().splitlines()) == lines

    kill_again_and_again(
        forkserver, command, output, check, times=times, seed=4, remove=output.unlink
    )


def command(run, source, output, processes):
    return [
        "translate",
        "--run",
        str(run),
        "--segmented",
        "--processes",
        str(processes),
        source,
        "-o",
        output,
    ]


def is_gone(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)]
)
def test_an_interrupted_command_leaves_no_process_and_goes_on(
    tiny_run, tmp_path, forkserver, number
):
    source, output = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("".join(f"{'a b c d e ' * (1 + i % 12)}\n" for i in range(350)))
    arguments = command(tiny_run.directory, str(source), str(output), 2)
    process = begin(forkserver, run_command_in_a_group, *arguments)
    journal = tmp_path / ".out.txt.unfinished"
    while process.is_alive() and not (journal.exists() and journal.stat().st_size):
        time.sleep(0.01)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)
    else:
        os.kill(process.pid, number)
    process.join()
    assert process.exitcode == (130 if number == signal.SIGINT else -signal.SIGKILL)
    assert not output.exists()
    for _ in range(1000):
        if is_gone(process.pid):
            break
        time.sleep(0.01)
    assert is_gone(process.pid)
    resumed = CliRunner().invoke(main, arguments)
    assert "resumed after an interruption" in resumed.stderr
    alone = command(tiny_run.directory, str(source), str(tmp_path / "alone.txt"), 1)
    assert CliRunner().invoke(main, alone).exit_code == 0
    assert output.read_bytes() == (tmp_path / "alone.txt").read_bytes()
