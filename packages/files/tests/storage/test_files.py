"""Output files: whole or not at all, and only where there is a file to replace."""

from __future__ import annotations

import gzip
import multiprocessing
import os
import threading
from pathlib import Path

import pytest

from docmt_files.base.errors import InputError
from docmt_files.storage import temporary_files
from docmt_files.storage.files import read_bytes, whole_directory, write_text, write_whole
from docmt_files.storage.json_files import read_json
from docmt_files.storage.stored_files import read_stored
from docmt_files.storage.temporary_files import hidden_path


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


def leftover(path: Path, process: int, purpose: str = "part") -> Path:
    """The name of what a process of this system was writing."""
    name = hidden_path(path, "old").name
    return path.with_name(
        name.replace(f"-{os.getpid()}-", f"-{process}-").replace(".old", f".{purpose}")
    )


@pytest.fixture
def ended() -> int:
    """The number of a process that has ended."""
    process = multiprocessing.get_context("fork").Process(target=str)
    process.start()
    process.join()
    return process.pid or 0


def test_a_planted_link_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim, shared = tmp_path / "victim", tmp_path / "shared"
    victim.write_text("mine")
    shared.mkdir()
    drawn = iter(["00000000", "00000001"])
    monkeypatch.setattr(temporary_files.secrets, "token_hex", lambda _: next(drawn))
    planted = hidden_path(shared / "o.txt", "part")
    planted.symlink_to(victim)
    drawn = iter(["00000000", "00000001"])
    write_text(shared / "o.txt", "translation")
    assert victim.read_text() == "mine"
    assert not (shared / "o.txt").is_symlink()
    assert (shared / "o.txt").read_text() == "translation"


def test_hidden_names_differ_from_each_other(tmp_path: Path) -> None:
    assert len({hidden_path(tmp_path / "o.txt", "part") for _ in range(100)}) == 100


def test_a_very_long_name_can_be_written(tmp_path: Path) -> None:
    write_text(tmp_path / ("é" * 127), "text")
    assert [path.name for path in tmp_path.iterdir()] == ["é" * 127]


def test_what_ended_processes_left_is_removed(tmp_path: Path, ended: int) -> None:
    file, folder = leftover(tmp_path / "a", ended), leftover(tmp_path / "b", ended)
    file.touch()
    folder.mkdir()
    (folder / "half").touch()
    write_text(tmp_path / "o.txt", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["o.txt"]


def test_what_others_may_be_writing_stays(tmp_path: Path, ended: int) -> None:
    ours = leftover(tmp_path / "a", ended)
    system = temporary_files._system()
    kept = [
        leftover(tmp_path / "a", os.getpid()),
        leftover(tmp_path / "a", 1),
        ours.with_name(ours.name.replace(system, "f" * 8 if system != "f" * 8 else "0" * 8)),
        tmp_path / ".a.txt.part",
        tmp_path / f".a.{ended}.part",
    ]
    for path in kept:
        path.touch()
    write_text(tmp_path / "o.txt", "text")
    assert set(kept) <= set(tmp_path.iterdir())


def test_a_link_with_the_name_of_a_leftover_is_removed_alone(tmp_path: Path, ended: int) -> None:
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "file").touch()
    (tmp_path / "shared").mkdir()
    link = leftover(tmp_path / "shared" / "a", ended)
    link.symlink_to(tmp_path / "victim")
    write_text(tmp_path / "shared" / "o.txt", "text")
    assert not link.is_symlink()
    assert (tmp_path / "victim" / "file").exists()


def test_no_folder_is_removed_where_others_could_have_named_it_so(
    tmp_path: Path, ended: int
) -> None:
    tmp_path.chmod(0o777)
    folder, file = leftover(tmp_path / "a", ended), leftover(tmp_path / "b", ended)
    folder.mkdir()
    file.touch()
    write_text(tmp_path / "o.txt", "text")
    assert folder.exists()
    assert not file.exists()


def test_a_directory_that_was_put_aside_gets_its_name_back(tmp_path: Path, ended: int) -> None:
    """A process may be killed between the two renames that replace a directory."""
    aside = leftover(tmp_path / "corpus", ended, "old")
    aside.mkdir()
    (aside / "whole").touch()
    write_text(tmp_path / "o.txt", "text")
    assert (tmp_path / "corpus" / "whole").exists()


def test_a_directory_is_replaced_whole(tmp_path: Path) -> None:
    path, link = tmp_path / "directory", tmp_path / "link"
    link.symlink_to(path)
    for content in ("first", "second"):
        with whole_directory(link) as part:
            (part / content).touch()
        assert [file.name for file in path.iterdir()] == [content]
    with pytest.raises(RuntimeError), whole_directory(path) as part:
        (part / "third").touch()
        raise RuntimeError
    assert [file.name for file in path.iterdir()] == ["second"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["directory", "link"]


def test_a_directory_replaces_neither_a_file_nor_what_is_to_stay(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "kept").touch()
    for name in ("file", "full"):
        with (
            pytest.raises(InputError, match=f"{name}: cannot be written"),
            whole_directory(tmp_path / name, replace=False),
        ):
            pass
    with whole_directory(tmp_path / "empty", replace=False) as part:
        (part / "new").touch()
    assert (tmp_path / "empty" / "new").exists()
    assert (tmp_path / "full" / "kept").exists()
    with (
        pytest.raises(InputError, match="file: cannot be written"),
        whole_directory(tmp_path / "file"),
    ):
        pass
    assert (tmp_path / "file").is_file()


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "{", "1" * 10_000, "\ud800"])
def test_json_that_cannot_be_read_is_an_error_that_names_the_file(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "config.json").write_text(text, errors="surrogatepass")
    with pytest.raises(InputError, match=r"config\.json: is not valid JSON"):
        read_json(tmp_path / "config.json")


def test_a_file_that_is_read_as_a_whole_has_an_end(tmp_path: Path) -> None:
    bomb = tmp_path / "a.json.gz"
    bomb.write_bytes(gzip.compress(b"[" * (1 << 20)) * 600)
    with pytest.raises(InputError, match="compressed to less than 1/200 of its size"):
        read_bytes(bomb)
    (tmp_path / "a.json").touch()
    os.truncate(tmp_path / "a.json", 1 << 36)
    with pytest.raises(InputError, match="holds more than 256 MiB"):
        read_bytes(tmp_path / "a.json")


def test_what_can_be_opened_and_not_read_is_named() -> None:
    with pytest.raises(InputError, match="/proc/self/mem: cannot be opened"):
        read_stored("/proc/self/mem")


def test_a_name_that_no_file_can_have_is_an_error() -> None:
    for read in (read_bytes, read_stored):
        with pytest.raises(InputError, match="cannot be the name of a file"):
            read("a\ud800")
