"""Output files: whole or not at all, and only where there is a file to replace."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import threading
import time
from pathlib import Path
from typing import NoReturn

import pytest

from docmt import files
from docmt.errors import InputError
from docmt.files import locked, write_text, write_whole


def test_a_link_stays_a_link_and_its_file_is_written(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("before")
    link.symlink_to(file)
    write_text(link, "after")
    assert link.is_symlink()
    assert file.read_text() == "after"


def test_a_pipe_is_written_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    write_text(pipe, "text")
    reader.join(timeout=10)
    assert read == ["text"]
    assert pipe.is_fifo()


def test_nothing_takes_the_place_of_a_device(tmp_path: Path) -> None:
    # A link, so that a failure replaces no device of the machine.
    device = tmp_path / "device"
    device.symlink_to("/dev/null")
    write_text(device, "text")
    assert device.resolve() == Path("/dev/null")
    assert device.is_char_device()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device without room")
def test_a_device_without_room_is_named(tmp_path: Path) -> None:
    device = tmp_path / "device"
    device.symlink_to("/dev/full")
    with pytest.raises(InputError, match=r"device: cannot be written \(No space left"):
        write_text(device, "text")


def test_an_error_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("before")
    with pytest.raises(RuntimeError), write_whole(file) as out:
        out.write(b"half")
        raise RuntimeError
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


def test_a_question_in_an_error_ends_in_a_question_mark_alone() -> None:
    assert str(InputError("no 'a'", cure="Did you mean 'b'?")) == "no 'a'. Did you mean 'b'?"
    assert str(InputError("no 'a', did you mean 'b'?", cure="Fix it")).endswith("'b'? Fix it.")


def _hold(directory: Path, held: Path) -> None:
    with locked(directory):
        held.touch()
        time.sleep(60)


def test_a_lock_is_held_by_one_process_and_free_when_that_is_killed(tmp_path: Path) -> None:
    directory, held = tmp_path / "directory", tmp_path / "held"
    process = multiprocessing.get_context("fork").Process(target=_hold, args=(directory, held))
    process.start()
    while not held.exists():
        time.sleep(0.001)
    with pytest.raises(BlockingIOError, match="locked by another process"):
        locked(directory, wait=False).__enter__()
    os.kill(process.pid or 0, signal.SIGKILL)
    process.join()
    with locked(directory, wait=False):
        assert list(directory.iterdir()) == []


def test_whoever_waits_for_a_lock_gets_it(tmp_path: Path) -> None:
    order: list[str] = []

    def wait() -> None:
        with locked(tmp_path):
            order.append("second")

    waiting = threading.Thread(target=wait, daemon=True)
    with locked(tmp_path):
        waiting.start()
        waiting.join(timeout=0.1)
        order.append("first")
    waiting.join(timeout=10)
    assert order == ["first", "second"]


def test_a_directory_that_may_only_be_read_can_be_locked(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    try:
        with locked(tmp_path), pytest.raises(BlockingIOError):
            locked(tmp_path, wait=False).__enter__()
    finally:
        tmp_path.chmod(0o755)


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK, errno.EBADF, errno.ENOTSUP])
def test_a_file_system_without_locks_guards_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(descriptor: int, *, blocking: bool) -> NoReturn:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(files, "lock_descriptor", refuse)
    with locked(tmp_path, wait=False), locked(tmp_path, wait=False):
        pass


def test_a_lock_on_a_file_names_it(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file: cannot be written"):
        locked(tmp_path / "file").__enter__()
