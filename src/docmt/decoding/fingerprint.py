"""All that a translation by a run depends on, as text: it stays the same as long as the translation
does."""

from __future__ import annotations

from hashlib import sha256

from docmt.recipes import dump
from docmt.runs.system_run import SystemRun
from docmt.storage.stored_files import read_stored


def run_identity(run: SystemRun) -> list[str]:
    """Return what tells a run from others: its recipe and text pipeline, and the size and time of
    its weights, which take long to read."""
    status = run.weights.stat()
    weights = f"{status.st_size} {status.st_mtime_ns}"
    text = [
        f"{path.name} {sha256(read_stored(path)).hexdigest()}"
        for path in sorted((run.directory / "text").rglob("*"))
        if path.is_file()
    ]
    return [dump(run.recipe), weights, *text]
