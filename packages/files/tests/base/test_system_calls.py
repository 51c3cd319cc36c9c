"""Calls that some system lacks give the same without it."""

import os

import pytest

from docmt_files.base.system_calls import open_flags, read_at


@pytest.mark.parametrize("lacks", [False, True])
def test_bytes_are_read_from_any_place_of_a_file(tmp_path, monkeypatch, lacks):
    if lacks:
        monkeypatch.delattr(os, "pread", raising=False)
    (tmp_path / "a").write_bytes(bytes(range(9)))
    descriptor = os.open(tmp_path / "a", open_flags("O_RDONLY"))
    try:
        places = [(4, 2), (0, 3), (7, 5), (9, 1)]
        read = [read_at(descriptor, size, start) for start, size in places]
    finally:
        os.close(descriptor)
    assert read == [bytes([4, 5]), bytes([0, 1, 2]), bytes([7, 8]), b""]
