"""What tests of faulty corpora share."""

from __future__ import annotations

from pathlib import Path

from docmt_files.base.errors import InputError

LONG = b"x" * 1_000_001
GOOD = b"<d>\nOne.\nTwo.\n<d>\nThree.\n"


def assert_location(error: InputError, path: Path, line: int | None) -> None:
    assert (Path(error.path), error.line) == (path, line)
    assert error.cure
