"""The identity of a run as text: the same text, the same translations."""

from __future__ import annotations

from hashlib import sha256

from docmt_files.storage.stored_files import read_stored
from docmt_nmt.runs.trained_run import TrainedRun


def run_identity(run: TrainedRun) -> list[str]:
    """The identity of a run: the recipe, the text pipeline, and the size and time of the weights
    instead of the weights, which take long to read."""
    weights = ""  # A compiled run may come without, and has hashes of its files.
    if run.weights.exists():
        status = run.weights.stat()
        weights = f"{status.st_size} {status.st_mtime_ns}"
    text = [
        f"{path.name} {sha256(read_stored(path)).hexdigest()}"
        for path in sorted((run.directory / "text").rglob("*"))
        if path.is_file()
    ]
    return [run.recipe.model_dump_json(), weights, *text]
