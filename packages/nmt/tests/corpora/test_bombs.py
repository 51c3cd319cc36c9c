"""Small files that hold no text but a great amount of something end quickly, with a clear error."""

from __future__ import annotations

import gzip
import lzma
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest

from docmt_files.base.errors import InputError
from docmt_files.text import running, segmented
from docmt_nmt import corpora

COMPRESS = {".gz": gzip.compress, ".xz": lzma.compress}

READERS: dict[str, Callable[[Path], object]] = {
    "lines": lambda path: list(corpora.read(path, boundaries="none", allow_empty=True)),
    "blank": lambda path: list(corpora.read(path, boundaries="blank", allow_empty=True)),
    "markers": lambda path: list(corpora.read(path, allow_empty=True)),
    "sentences": lambda path: list(corpora.read(path, boundaries="sentences", allow_empty=True)),
    "two sides": lambda path: list(corpora.read(path, path, boundaries="none", allow_empty=True)),
    "running": lambda path: running.read(path, "en"),
    "segmented": lambda path: segmented.read(path, "en"),
}


def bomb(path: Path, content: bytes, megabytes: int) -> Path:
    """A compressed file with so much of the content."""
    block = (content * (1 << 20))[: 1 << 20]
    path.write_bytes(COMPRESS[path.suffix](block) * megabytes)
    return path


# All read what is decompressed in one place.
@pytest.mark.parametrize(
    ("name", "suffix"),
    [*(pytest.param(name, ".gz", marks=pytest.mark.slow) for name in READERS), ("lines", ".xz")],
)
def test_line_feeds_without_end(name: str, suffix: str, tmp_path: Path) -> None:
    path = bomb(tmp_path / f"a{suffix}", b"\n", 128)
    start = process_time()
    with pytest.raises(InputError, match=f"a{suffix}, line "):
        READERS[name](path)
    assert process_time() - start < 5


@pytest.mark.slow
def test_short_lines_in_great_number(tmp_path: Path) -> None:
    path = tmp_path / "a.xz"
    path.write_bytes(lzma.compress(b"x\n" * (1 << 20), preset=0))
    start = process_time()
    with pytest.raises(InputError, match=r"a\.xz, line .* less than 1/200 of its size"):
        READERS["sentences"](path)
    assert process_time() - start < 15


def test_empty_lines_take_little_memory(tmp_path: Path) -> None:
    path = bomb(tmp_path / "a.gz", b" \r\n", 64)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="more than 100,000 empty lines in a row"):
            READERS["running"](path)
        assert tracemalloc.get_traced_memory()[1] < 50 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.by_default(1)
@pytest.mark.parametrize("suffix", COMPRESS)
def test_repetitive_text_is_no_bomb(suffix: str, tmp_path: Path) -> None:
    lines = [f"This is sentence {i} of a test. It says little that is new." for i in range(20_000)]
    path = tmp_path / f"a{suffix}"
    text = "\n".join(lines).encode()
    assert len(text) > 1 << 20
    path.write_bytes(COMPRESS[suffix](text))
    (document,) = corpora.read(path, boundaries="none")
    assert document.source == tuple(lines)


def test_a_plain_file_may_repeat_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.en"
    path.write_text("This is a sentence that repeats itself.\n" * 120_000)
    assert sum(map(len, corpora.read(path, boundaries="none"))) == 120_000


def test_ten_thousand_empty_lines_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("One.\n" + "\n" * 10_000 + "Two.\n")
    documents, skeleton = running.read(path, "en")
    (document,) = documents
    assert skeleton.fill([document.translated(document.source)]) == path.read_text()


@pytest.mark.parametrize(
    ("unit", "problem"),
    [(b"<a>", "more than 250 elements in each other"), (b"x", "a tag or comment of more than")],
)
def test_xml_without_end_is_refused_at_its_beginning(
    tmp_path: Path, unit: bytes, problem: str
) -> None:
    start = b"" if unit == b"<a>" else b"<a b='"
    (tmp_path / "a.tmx").write_bytes(start + unit * 4_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=problem):
            list(corpora.read(tmp_path / "a.tmx", allow_empty=True))
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()
