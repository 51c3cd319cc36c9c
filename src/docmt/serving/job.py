"""`Job`: a file that is to be translated, and what has become of it."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from docmt.formats import Output
from docmt.formats.output_names import OutputFormat
from docmt.ground.errors import InputError
from docmt.serving.glossary_entries import Entries
from docmt.storage.files import write_text
from docmt.storage.json_files import json_text, read_json

JobStatus = Literal["queued", "translating", "done", "error", "cancelled"]
"""What has become of a job."""

_ENDED = ("done", "error", "cancelled")

_MAX_NAME = 200
"""Bytes of a file's name that are kept."""


@dataclass(frozen=True, slots=True)
class Job:
    """A file that is to be translated.

    Attributes:
        id: its name, which nobody guesses.
        account: whose it is.
        file: the name of the uploaded file.
        model: the name of the model.
        output_form: what is written.
        consistent: whether terms that recur are translated alike.
        glossary: the id of a glossary of the account; None for none.
        entries: terms and their translations, in the place of a glossary of the account.
        status: what has become of it.
        message: the error, or notes for the user, a line each.
        finished: the time when it ended, in seconds since 1970.
        sentences: the number of its sentences that are translated.
        total: the number of its sentences; 0 until it has been read.
        size: the bytes of the uploaded file.
        stored: the bytes that it takes on disk.
        secret: what a client of DeepL's API must know besides the id.
        begun: the time when its translation began or went on, in seconds since 1970.
    """

    id: str
    account: str
    file: str
    model: str
    output_form: OutputFormat = "same"
    consistent: bool = False
    glossary: str | None = None
    entries: Entries = ()
    status: JobStatus = "queued"
    message: str = ""
    finished: float = 0.0
    sentences: int = 0
    total: int = 0
    size: int = 0
    stored: int = 0
    secret: str = field(default_factory=secrets.token_urlsafe, repr=False)
    begun: float = 0.0

    @property
    def has_ended(self) -> bool:
        """True if nothing more happens to it."""
        return self.status in _ENDED

    @property
    def output(self) -> str:
        """The name of the translated file."""
        return self.file + Output(kind=self.output_form).added_suffix


def new_id() -> str:
    """Return an id that nobody guesses."""
    return secrets.token_hex(16)


def safe_name(name: str | None) -> str:
    """Return the name of an uploaded file as it is kept: without folders, and nothing that a file
    system or a header would take for something else.

    >>> safe_name("../../etc/pass\\nwd.docx")
    'pass_wd.docx'
    """
    base = (name or "").replace("\\", "/").rpartition("/")[2]
    kept = "".join(c if c.isprintable() and c not in '"\\/:*?<>|' else "_" for c in base)
    kept = kept.lstrip(". ") or "file"
    suffix = Path(kept).suffix[-20:]
    stem = kept.removesuffix(suffix)
    while len((stem + suffix).encode()) > _MAX_NAME:
        stem = stem[:-1]
    return stem + suffix


_STORED = TypeAdapter(Job)


def read_job(path: Path) -> Job | None:
    """Read a job that was stored; None if there is none, or it is damaged."""
    try:
        job = _STORED.validate_python(read_json(path))
    except (InputError, ValidationError):
        return None
    is_safe = job.id == path.parent.name and job.file == safe_name(job.file)
    return job if is_safe else None


def write_job(path: Path, job: Job) -> None:
    """Store a job.

    Raises:
        InputError: it cannot be written.
    """
    write_text(path, json_text(asdict(job)) + "\n")
