"""All that a translation depends on, as text: it stays the same as long as the translation does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version

from docmt.documents import Document
from docmt.recipes import dump
from docmt.runs import Run
from docmt.stored_files import read_stored


def fingerprint(identity: Sequence[str], documents: Sequence[Document]) -> str:
    """Return a digest of a translation: what translates, and what is translated."""
    digest = sha256(json.dumps([_version(), *identity]).encode())
    for document in documents:
        values = [document.id, document.source, document.target]
        digest.update(json.dumps(values).encode())
    return digest.hexdigest()


def _version() -> str:
    """Return the version of docmt, where it is installed."""
    try:
        return version("docmt")
    except PackageNotFoundError:
        return ""


def run_identity(run: Run) -> list[str]:
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
