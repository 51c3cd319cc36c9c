"""Output files: whole or not at all, and only where there is a file to replace."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from docmt.errors import InputError
from docmt.files import write_text, write_whole


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


def test_a_cure_that_asks_has_one_mark_at_its_end() -> None:
    assert str(InputError("unknown 'a'", cure="Did you mean 'b'?")).endswith("Did you mean 'b'?")
