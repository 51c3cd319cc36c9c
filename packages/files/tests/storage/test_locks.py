"""Locks of directories: one process at a time, and nothing left behind."""

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

from docmt_files.base.errors import InputError
from docmt_files.storage.locks import locked


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

    monkeypatch.setattr("filelock.lock_descriptor", refuse)
    with locked(tmp_path, wait=False), locked(tmp_path, wait=False):
        pass


def test_a_lock_on_a_file_names_it(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file: cannot be written"):
        locked(tmp_path / "file").__enter__()


def test_a_directory_made_for_a_lock_is_removed_where_nothing_came_of_it(tmp_path: Path) -> None:
    directory = tmp_path / "new" / "run"
    with pytest.raises(RuntimeError), locked(directory):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(RuntimeError), locked(directory):
        (directory / "kept").touch()
        raise RuntimeError
    assert (directory / "kept").exists()
    (tmp_path / "empty").mkdir()
    with pytest.raises(RuntimeError), locked(tmp_path / "empty"):
        raise RuntimeError
    assert (tmp_path / "empty").exists()


def test_whoever_waits_gets_a_directory_that_exists(tmp_path: Path) -> None:
    directory = tmp_path / "directory"

    def wait() -> None:
        with locked(directory):
            (directory / "written").touch()

    waiting = threading.Thread(target=wait, daemon=True)
    with pytest.raises(RuntimeError), locked(directory):
        waiting.start()
        waiting.join(timeout=0.1)
        raise RuntimeError
    waiting.join(timeout=10)
    assert (directory / "written").exists()
