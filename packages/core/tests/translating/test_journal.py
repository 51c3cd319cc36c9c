"""A translation that was interrupted goes on where it was, and ends as it would have."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from filelock import lock_descriptor

from compiled_systems import traced_only
from docmt.output import Output
from docmt.translating import file_translation
from docmt.translating.file_translation import translate_files
from docmt.translating.finished_files import FinishedFiles
from docmt.translating.folders import translate_folder
from docmt.translating.journal import FileJournal
from docmt_files import Input
from docmt_files.base.errors import InputError
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.decoding.instance_search import InstanceSearch
from docmt_nmt.runs.system_run import SystemRun
from toy import ENGLISH


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with one sentence per line, which takes several batches."""
    draw = random.Random(1)
    lines = [" ".join(draw.choices(ENGLISH, k=draw.randint(1, 6))) for _ in range(44)]
    path = tmp_path_factory.mktemp("book") / "book.en"
    path.write_text("\n".join(lines) + "\n")
    return path


class Killed(BaseException):
    """What ends a process here, instead of a signal."""


def translate(
    run, inputs: Sequence[Path], output: Path, *, after: int | None = None, **search: Any
) -> tuple[int, list[str]]:
    """Translate files with all that is known of them into a folder; how many batches were searched,
    and the notes. `after` is the number of batches after which the process is killed."""
    translator = BeamSearchTranslator.load(run.directory, max_hypotheses=10, **search)
    search_batch, searched = InstanceSearch.search_batch, [0]

    def counted(*arguments: Any) -> Any:
        if searched[0] == after:
            raise Killed
        searched[0] += 1
        return search_batch(*arguments)

    notes: list[str] = []
    form = Output("jsonl", log_probabilities=True, n_best=2)
    outputs = [str(output / f"{path.name}.jsonl") for path in inputs]
    with suppress(Killed), patch.object(InstanceSearch, "search_batch", counted):
        translate_files(
            translator,
            list(map(str, inputs)),
            outputs,
            form=form,
            input_form=Input(segmented=True),
            note=notes.append,
        )
    return searched[0], notes


def hidden(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


def test_an_interrupted_translation_goes_on_and_ends_as_it_would_have(
    tiny_run, book: Path, tmp_path: Path
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    batches, _ = translate(tiny_run, [book], whole)
    assert batches >= 4
    assert hidden(whole) == []
    first, notes = translate(tiny_run, [book], parts, after=2)
    assert [path.name for path in parts.iterdir()] == [".book.en.jsonl.unfinished"]
    assert notes == ["what has been translated is kept; the same command goes on from there"]
    second, _ = translate(tiny_run, [book], parts, after=1)
    third, notes = translate(tiny_run, [book], parts)
    assert (first, second, third) == (2, 1, batches - 3)
    assert any("resumed after an interruption" in text for text in notes)
    assert [path.name for path in parts.iterdir()] == ["book.en.jsonl"]
    name = "book.en.jsonl"
    assert (parts / name).read_bytes() == (whole / name).read_bytes()


def test_finished_files_are_not_translated_again(
    tiny_run, book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_translation, "GROUP", 1)
    other, output = tmp_path / "other.en", tmp_path / "out"
    other.write_text(book.read_text().replace("one", "two"))
    batches, _ = translate(tiny_run, [book], tmp_path / "whole")
    translate(tiny_run, [book, other], output, after=batches + 2)
    assert len(hidden(output)) == 2
    rest, _ = translate(tiny_run, [book, other], output)
    assert rest < batches
    assert sorted(path.name for path in output.iterdir()) == ["book.en.jsonl", "other.en.jsonl"]


def test_files_that_are_translated_together_go_on_together(
    tiny_run, book: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.en"
    other.write_text(book.read_text().replace("one", "two"))
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    batches, _ = translate(tiny_run, [book, other], whole)
    first, _ = translate(tiny_run, [book, other], parts, after=batches - 2)
    assert [path.name for path in parts.iterdir()] == [".book.en.jsonl.unfinished"]
    rest, notes = translate(tiny_run, [book, other], parts)
    assert (first, rest) == (batches - 2, 2)
    assert sum("resumed after an interruption" in text for text in notes) == 2
    assert sorted(path.name for path in parts.iterdir()) == ["book.en.jsonl", "other.en.jsonl"]
    for path in parts.iterdir():
        assert path.read_bytes() == (whole / path.name).read_bytes()


def test_another_translation_does_not_take_what_is_left_of_one(
    tiny_run, book: Path, tmp_path: Path
) -> None:
    retrained = tmp_path / "run"
    shutil.copytree(tiny_run.directory, retrained)
    os.utime(retrained / "weights.safetensors", (1, 1))
    changed = tmp_path / "changed" / "book.en"
    changed.parent.mkdir()
    changed.write_text(book.read_text() + "one\n")
    for number, change in enumerate(
        [{"length_penalty": 0.5}, {"run": SystemRun.load(retrained)}, {"inputs": [changed]}]
    ):
        output = tmp_path / str(number)
        translate(tiny_run, [book], output, after=2)
        values = {"run": tiny_run, "inputs": [book], "output": output, **change}
        batches, _ = translate(**values)
        assert batches == translate(**values | {"output": tmp_path / f"whole {number}"})[0]
        assert hidden(output) == []


def test_the_compiled_form_does_not_continue_what_pytorch_began(
    tiny_run, book: Path, tmp_path: Path
) -> None:
    pytest.importorskip("onnxruntime", reason="compiled runs need onnxruntime")
    batches, _ = translate(tiny_run, [book], tmp_path / "whole")
    translate(tiny_run, [book], tmp_path / "out", after=2)
    compiled = traced_only(tiny_run.system("cpu"))
    chosen = "docmt_nmt.decoding.beam_search_translator.chosen_compiled"
    with patch(chosen, return_value=(compiled, "compiled")):
        assert translate(tiny_run, [book], tmp_path / "out")[0] >= batches
    assert hidden(tmp_path / "out") == []


def test_a_damaged_end_is_translated_again(tiny_run, book: Path, tmp_path: Path) -> None:
    translate(tiny_run, [book], tmp_path / "whole")
    translate(tiny_run, [book], tmp_path / "stopped", after=3)
    for number, damage in enumerate([b"", b"[[", b"\0" * 100, b"[[[[1, 2]]]]\n", b"[[[[[1]]]]]\n"]):
        output = tmp_path / str(number)
        shutil.copytree(tmp_path / "stopped", output)
        journal = output / ".book.en.jsonl.unfinished"
        journal.write_bytes(journal.read_bytes()[:-20] + damage)
        translate(tiny_run, [book], output)
        name = "book.en.jsonl"
        assert (output / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), damage


def test_a_journal_follows_no_link_and_leaves_what_another_process_has(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("kept")
    (tmp_path / ".a.unfinished").symlink_to(tmp_path / "precious")
    journal = FileJournal(tmp_path / "a")
    journal.begin("x")
    journal.add([])
    journal.remove()
    assert (tmp_path / "precious").read_text() == "kept"
    first, second = FileJournal(tmp_path / "b"), FileJournal(tmp_path / "b")
    first.begin("x")
    first.add([])
    with pytest.raises(InputError, match=r"b: another process is translating into it\. Wait"):
        second.begin("x")
    assert not second.is_kept
    second.remove()
    assert (tmp_path / ".b.unfinished").exists()
    assert (tmp_path / ".b.unfinished").stat().st_mode & 0o777 == 0o600
    first.remove()


@pytest.mark.parametrize("before", [[], ["first.en"]])
def test_two_translations_into_one_output_notice_each_other(
    tiny_run, book: Path, tmp_path: Path, before: list[str]
) -> None:
    inputs = [*(tmp_path / "in" / name for name in before), book]
    for path in inputs[:-1]:
        path.parent.mkdir()
        path.write_text("one\n")
    tmp_path = tmp_path / "out"
    held = FileJournal(tmp_path / "book.en.jsonl")
    held.begin("of another process")
    with pytest.raises(InputError, match="another process is translating into it"):
        translate(tiny_run, inputs, tmp_path)
    for name in before:
        (tmp_path / f"{name}.jsonl").unlink()
    assert hidden(tmp_path) == [".book.en.jsonl.unfinished"]
    held.close()
    assert hidden(tmp_path) == []
    translate(tiny_run, [book], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["book.en.jsonl"]


def test_two_translations_into_one_folder_notice_each_other(tiny_run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("one two\n")
    (tmp_path / "out").mkdir()
    translator = BeamSearchTranslator.load(tiny_run.directory)
    held = FinishedFiles(tmp_path / "out")
    with pytest.raises(InputError, match="out: another process is translating into it"):
        translate_folder(translator, tmp_path / "in", tmp_path / "out")
    assert hidden(tmp_path / "out") == [".docmt.unfinished"]
    held.close(remove=True)
    assert translate_folder(translator, tmp_path / "in", tmp_path / "out").translated == 1


def test_a_journal_that_is_removed_before_it_is_locked_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / ".a.txt.unfinished"
    tried: list[int] = []

    def lock(descriptor: int, *, blocking: bool) -> bool:
        tried.append(descriptor)
        if len(tried) == 1:
            path.unlink()  # as another process does that has just ended
        return lock_descriptor(descriptor, blocking=blocking)

    monkeypatch.setattr("filelock.lock_descriptor", lock)
    journal, other = FileJournal(tmp_path / "a.txt"), FileJournal(tmp_path / "a.txt")
    journal.begin("x")
    with pytest.raises(InputError, match="another process is translating into it"):
        other.begin("x")
    journal.add([1])
    assert path.exists() and len(tried) == 3
    journal.remove()


def test_a_stream_has_no_journal() -> None:
    journal = FileJournal("-")
    journal.begin("x")
    journal.add([])
    assert journal.next() is None
    assert not journal.is_kept


@pytest.mark.slow
def test_a_killed_process_loses_no_finished_batch(tiny_run, book: Path, tmp_path: Path) -> None:
    source, output = tmp_path / "long.en", tmp_path / "long.de"
    source.write_text(book.read_text() * 40)
    command = [
        sys.executable,
        "-m",
        "docmt",
        "translate",
        "--run",
        str(tiny_run.directory),
        "--segmented",
        str(source),
        "-o",
    ]
    process = subprocess.Popen([*command, str(output)])
    journal = tmp_path / ".long.de.unfinished"
    while not (journal.exists() and journal.stat().st_size > 10_000):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not output.exists()
    again = subprocess.run([*command, str(output)], capture_output=True, text=True, check=True)
    assert "resumed after an interruption" in again.stderr
    assert not journal.exists()
    subprocess.run([*command, str(tmp_path / "whole.de")], check=True)
    assert output.read_bytes() == (tmp_path / "whole.de").read_bytes()


def test_a_journal_without_lines_is_not_read_into_memory(tmp_path: Path) -> None:
    path = tmp_path / ".out.txt.unfinished"
    path.touch()
    os.truncate(path, 1 << 36)
    journal = FileJournal(tmp_path / "out.txt")
    journal.begin("a")
    assert journal.next() is None and path.stat().st_size == 0
    journal.close()


@pytest.mark.parametrize(
    "values", ["null", "[1, null]", '["x"]', "7", "[[1]]", '[1, 2, 3, "x"]', "[1, 2, 3]"]
)
def test_a_list_of_finished_files_with_other_values_is_as_none(tmp_path: Path, values: str) -> None:
    (tmp_path / "a.md").write_text("x")
    finished = FinishedFiles(tmp_path)
    finished.add(Path("a.md"), "made from", (1, 2, 3, 4))
    finished.close(remove=False)
    sound = FinishedFiles(tmp_path)
    assert sound.find(Path("a.md"), "made from") == (1, 2, 3, 4)
    sound.close(remove=False)
    kept = tmp_path / ".docmt.unfinished"
    line = json.loads(kept.read_text())
    kept.write_text(json.dumps([*line[:3], json.loads(values)]) + "\n")
    again = FinishedFiles(tmp_path)
    assert again.find(Path("a.md"), "made from") is None
    again.close(remove=True)


def test_a_device_in_the_place_of_a_finished_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    finished = FinishedFiles(tmp_path)
    finished.add(Path("a.md"), "made from", (1, 2, 3, 4))
    finished.close(remove=False)
    (tmp_path / "a.md").unlink()
    (tmp_path / "a.md").symlink_to("/dev/zero")
    again = FinishedFiles(tmp_path)
    assert again.find(Path("a.md"), "made from") is None
    again.close(remove=True)
