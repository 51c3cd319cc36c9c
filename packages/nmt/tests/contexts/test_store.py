"""The folder of encodings: what is put in comes out, and nothing half-written ever does."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from docmt_files.base.errors import InputError
from docmt_nmt.contexts import EncodingStore

D_MODEL = 6


def key(number: int) -> bytes:
    return number.to_bytes(16, "little")


def states(number: int) -> np.ndarray:
    """States that differ for every number; every seventh is empty."""
    return np.full((number % 7, D_MODEL), number % 1000, np.float16)


def put(store: EncodingStore, numbers: range) -> None:
    with store.writing():
        store.add([key(n) for n in numbers], [states(n) for n in numbers])


def test_what_is_put_in_comes_out_of_any_process_that_opens_the_folder(tmp_path):
    store = EncodingStore(tmp_path / "store", D_MODEL)
    put(store, range(5))
    put(store, range(5, 30))
    for again in (store, EncodingStore(tmp_path / "store", D_MODEL)):
        assert len(again) == 30
        for number in range(30):
            index = again.find(key(number))
            assert index is not None
            np.testing.assert_array_equal(again.states(index), states(number))
        assert again.find(key(99)) is None


def test_a_part_of_empty_encodings_alone_is_kept_too(tmp_path):
    put(EncodingStore(tmp_path, D_MODEL), range(1))
    again = EncodingStore(tmp_path, D_MODEL)
    index = again.find(key(0))
    assert index is not None
    assert again.states(index).shape == (0, D_MODEL)


def test_states_stay_on_the_disk(tmp_path):
    store = EncodingStore(tmp_path, D_MODEL)
    put(store, range(1, 4))
    assert isinstance(store.states(0), np.memmap)


def test_a_reader_sees_what_another_wrote_once_it_looks_again(tmp_path):
    reader, writer = EncodingStore(tmp_path, D_MODEL), EncodingStore(tmp_path, D_MODEL)
    put(writer, range(3))
    assert reader.find(key(2)) is None
    reader.refresh()
    assert reader.find(key(2)) is not None


def test_of_two_that_write_the_second_knows_what_the_first_wrote(tmp_path):
    first, second = EncodingStore(tmp_path, D_MODEL), EncodingStore(tmp_path, D_MODEL)
    put(first, range(3))
    with second.writing():
        assert second.find(key(1)) is not None
        second.add([key(7)], [states(7)])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["000000", "000001"]


def write_on_and_on(folder: Path) -> None:
    store = EncodingStore(folder, D_MODEL)
    for first in range(len(store), 10**6, 50):
        put(store, range(first, first + 50))


def test_a_process_killed_while_it_writes_leaves_whole_parts_alone(tmp_path):
    folder = tmp_path / "store"
    written = 0
    for wait in (0.0, 0.003, 0.008):
        process = multiprocessing.get_context("fork").Process(
            target=write_on_and_on, args=(folder,)
        )
        process.start()
        while not (folder / f"{written // 50:06d}").exists():
            time.sleep(0.001)
        time.sleep(wait)
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
        store = EncodingStore(folder, D_MODEL)
        assert len(store) > written
        written = len(store)
        assert written % 50 == 0
        for number in range(written):
            index = store.find(key(number))
            assert index is not None
            np.testing.assert_array_equal(store.states(index), states(number))
    # What it was writing is cleared by the next that writes.
    (folder / ".000999.01234567-12345-89abcdef.part").mkdir(exist_ok=True)
    put(store, range(10**6, 10**6 + 1))
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize(
    ("file", "content"),
    [("states.npy", b""), ("states.npy", b"\x93NUMPY"), ("keys.npy", None), ("lengths.npy", b"x")],
)
def test_a_damaged_part_is_an_error_that_names_it(tmp_path, file, content):
    put(EncodingStore(tmp_path, D_MODEL), range(1, 5))
    path = tmp_path / "000000" / file
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(InputError, match=r"000000.*Remove this folder; it is made again"):
        EncodingStore(tmp_path, D_MODEL)


@pytest.mark.parametrize("file", ["states.npy", "keys.npy"])
def test_a_pipe_in_the_place_of_a_part_is_not_waited_for(tmp_path, file):
    put(EncodingStore(tmp_path, D_MODEL), range(1, 5))
    (tmp_path / "000000" / file).unlink()
    os.mkfifo(tmp_path / "000000" / file)
    with pytest.raises(InputError, match=f"{file} is not a regular file.*Remove this folder"):
        EncodingStore(tmp_path, D_MODEL)


def test_encodings_of_another_size_are_an_error(tmp_path):
    put(EncodingStore(tmp_path, D_MODEL), range(1, 5))
    with pytest.raises(InputError, match="000000"):
        EncodingStore(tmp_path, D_MODEL + 1)
