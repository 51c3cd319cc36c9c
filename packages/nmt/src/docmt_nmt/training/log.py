"""The training log as JSON lines: one object per line, of kind `train`, `valid` or `end`.

In `train` lines `loss`, `nll` and `perplexity` are means per label since the line before (`loss`
smoothed, in nats; perplexity = exp(nll)). `valid` and `end` lines have the loss and, in systems
with gates, `context_share`, the share of the context that passes each gate; where asked for, also
`bleu` and `attention_entropy` (bits), by short names of the attentions. `end` says the `hardware`
and the number of `processes`. Only `time` (seconds since 1970), `tokens_per_second` and, on another
machine, `hardware` differ between two runs of the same recipe.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from docmt_files.base.errors import InputError
from docmt_files.storage.files import reporting_write_errors, write_text
from docmt_nmt.runs.training_logs import read_log


class Log:
    """A run's log, open for appending until `close`.

    Args:
        path: the file; None in a process that writes no log.
        step: the update from which training resumes; lines of later updates are removed.
        tensorboard: a folder for TensorBoard event files with the same numbers, or None.

    Raises:
        InputError: the file is damaged or cannot be written, or TensorBoard is not installed.
    """

    def __init__(self, path: Path | None, *, step: int, tensorboard: Path | None = None) -> None:
        self.path, self.board = path, None
        if path is None:
            return
        kept = [line for line in read_log(path) if line["step"] <= step]
        write_text(path, "".join(json.dumps(line) + "\n" for line in kept))
        with reporting_write_errors(path):
            # Unbuffered: closing the log writes nothing and cannot fail.
            self.stream: IO[bytes] = path.open("ab", buffering=0)
        if tensorboard is not None:
            self.board = _summary_writer(tensorboard, step)

    def write(self, kind: str, step: int, **fields: Any) -> None:
        """Append a line."""
        if self.path is None:
            return
        rounded = {name: _round(value) for name, value in fields.items()}
        line = {"kind": kind, "step": step, **rounded, "time": round(time.time(), 3)}
        text = (json.dumps(line) + "\n").encode()
        with reporting_write_errors(self.path):
            if self.stream.write(text) < len(text):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if self.board is not None:
            for name, value in _numbers(fields):
                self.board.add_scalar(f"{kind}/{name}", value, step)

    def sync(self) -> None:
        """Write all lines to the disk now."""
        if self.path is not None:
            with reporting_write_errors(self.path):
                os.fsync(self.stream.fileno())

    def close(self) -> None:
        """Close the file and the TensorBoard event files."""
        if self.path is not None:
            self.stream.close()
        if self.board is not None:
            self.board.close()


def _numbers(fields: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """All numbers of a line; numbers inside an object carry the object's name as a prefix."""
    for name, value in fields.items():
        if isinstance(value, int | float):
            yield name, value
        elif isinstance(value, Mapping):
            yield from ((f"{name}/{part}", number) for part, number in _numbers(value))


def _round(value: Any) -> Any:
    """A float rounded to seven significant digits, also in an object; any other value as it is."""
    if isinstance(value, Mapping):
        return {name: _round(number) for name, number in value.items()}
    return float(f"{value:.7g}") if isinstance(value, float) else value


def _summary_writer(directory: Path, step: int) -> Any:
    """A writer of TensorBoard event files. Events after a step are discarded."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise InputError(
            "training.tensorboard needs TensorBoard, which is not installed",
            cure="Install it with `pip install 'docmt[tensorboard]'`, or leave the key out",
        ) from None
    return SummaryWriter(directory, purge_step=step + 1)
