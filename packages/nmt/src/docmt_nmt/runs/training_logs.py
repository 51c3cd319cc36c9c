"""The training log of a run directory: a line of JSON for each report."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from docmt_files.base.errors import InputError
from docmt_files.storage.json_files import parse_json
from docmt_files.storage.stored_files import MAX_STORED_BYTES, open_stored


def read_log(path: Path) -> list[dict[str, Any]]:
    """The lines of a log; none if there is no file.

    A last line without a line break is skipped: the process was killed while writing it.

    Raises:
        InputError: the path is not a regular file, or a line is not a valid log line.
    """
    if not os.path.lexists(path):
        return []
    lines: list[dict[str, Any]] = []
    with open_stored(path, max_bytes=MAX_STORED_BYTES) as stream:
        for number, text in enumerate(stream, 1):
            if not text.endswith(b"\n"):
                break
            try:
                line = parse_json(text)
            except ValueError:
                line = None
            if not _is_log_line(line):
                raise InputError(
                    "is not a valid line of a training log",
                    path=path,
                    line=number,
                    cure="Remove the line",
                )
            lines.append(line)
    return lines


def minutes_by_update(lines: Sequence[Mapping[str, Any]]) -> dict[int, float]:
    """The minutes of all updates up to each line of a log, on the clock on the wall, without
    validations and interruptions.

    >>> line = {"kind": "train", "step": 8, "tokens": 1200, "tokens_per_second": 10.0}
    >>> minutes_by_update([line, {"kind": "valid", "step": 8}])
    {8: 2.0}
    """
    minutes, seconds = {}, 0.0
    for line in lines:
        if line["kind"] == "train":
            seconds += line["tokens"] / max(line["tokens_per_second"], 1e-9)
        minutes[line["step"]] = seconds / 60
    return minutes


_LOG_NUMBERS = {
    "train": ("loss", "nll", "tokens", "tokens_per_second"),
    "valid": ("loss", "bleu"),
    "end": ("loss", "perplexity"),
}
"""Numeric fields of a line, by the kind of line; BLEU is optional."""
_LOG_OBJECTS = ("attention_entropy", "context_share")
"""Optional fields with numbers by name."""
_MAX_LOG_NUMBER = 1 << 53


def _is_log_line(line: Any) -> bool:
    """Return whether a value is a line of a log, with the fields of the kind."""
    if not isinstance(line, dict) or not isinstance(line.get("kind"), str):
        return False
    numbers = {"bleu": 0.0} | line
    return (
        type(line.get("step")) is int
        and 0 <= line["step"] < _MAX_LOG_NUMBER
        and all(_is_log_number(numbers.get(n)) for n in _LOG_NUMBERS.get(line["kind"], ()))
        and all(
            isinstance(line.get(name, {}), dict)
            and all(map(_is_log_number, line.get(name, {}).values()))
            for name in _LOG_OBJECTS
        )
    )


def _is_log_number(value: Any) -> bool:
    """Return whether a value is a number fit for computation."""
    return type(value) in (int, float) and not abs(value) > _MAX_LOG_NUMBER
