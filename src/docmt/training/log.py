"""The course of training as JSON lines: one object a line, of kind `train`, `valid` or `end`.

`loss`, `nll` and `perplexity` are means over the labels since the line before (`loss` smoothed, in
nats; perplexity = exp(nll)). `time` (seconds since 1970) and `tokens_per_second` are all that
differs between two runs of the same recipe.
"""

from __future__ import annotations

import errno
import json
import os
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from docmt.errors import InputError
from docmt.files import reporting_write_errors, write_text

Line = dict[str, Any]


class Log:
    """A run's log, open for more lines.

    Args:
        path: the file; None where another process writes it.
        step: the update at which training is taken up; lines of later ones are removed.
        tensorboard: a folder for TensorBoard event files of the same numbers, or None.

    Raises:
        InputError: the file is damaged or cannot be written, or TensorBoard is not installed.
    """

    def __init__(self, path: Path | None, *, step: int, tensorboard: Path | None = None) -> None:
        self.path, self.board = path, None
        if path is None:
            return
        kept = [line for line in read(path) if line["step"] <= step]
        write_text(path, "".join(json.dumps(line) + "\n" for line in kept))
        with reporting_write_errors(path):
            # Unbuffered, so that nothing is left to fail when the log is closed.
            self.stream: IO[bytes] = path.open("ab", buffering=0)
        if tensorboard is not None:
            self.board = summary_writer(tensorboard, step)

    def write(self, kind: str, step: int, **numbers: Any) -> None:
        """Add a line."""
        if self.path is None:
            return
        rounded = {name: significant(number) for name, number in numbers.items()}
        line = {"kind": kind, "step": step, **rounded, "time": round(time.time(), 3)}
        text = (json.dumps(line) + "\n").encode()
        with reporting_write_errors(self.path):
            if self.stream.write(text) < len(text):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if self.board is not None:
            for name, value in numbers.items():
                if isinstance(value, int | float):
                    self.board.add_scalar(f"{kind}/{name}", value, step)

    def sync(self) -> None:
        """Make sure that all lines are on the disk."""
        if self.path is not None:
            with reporting_write_errors(self.path):
                os.fsync(self.stream.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.path is not None:
            self.stream.close()
        if self.board is not None:
            self.board.close()


def significant(number: Any) -> Any:
    """A floating-point number to seven digits, and anything else as it is."""
    return float(f"{number:.7g}") if isinstance(number, float) else number


def read(path: Path) -> list[Line]:
    """The lines of a log; none where there is no file.

    A last line without its end was being written when the process was killed, and is no line.

    Raises:
        InputError: a line is not one of a log.
    """
    if not path.exists():
        return []
    lines: list[Line] = []
    with path.open("rb") as stream:
        for number, text in enumerate(stream, 1):
            if not text.endswith(b"\n"):
                break
            try:
                line = json.loads(text)
                line["step"] + len(line["kind"])
            except (ValueError, TypeError, KeyError):
                raise InputError(
                    "is no line of a training log", path=path, line=number,
                    cure="Remove the line",
                ) from None  # fmt: skip
            lines.append(line)
    return lines


def summary_writer(directory: Path, step: int) -> Any:
    """A writer of TensorBoard event files that takes back what was written after a step.

    Raises:
        InputError: TensorBoard is not installed.
    """
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise InputError(
            "training.tensorboard needs TensorBoard, which is not installed",
            cure="Install it with `pip install 'docmt[tensorboard]'`, or leave the key out",
        ) from None
    return SummaryWriter(directory, purge_step=step + 1)
