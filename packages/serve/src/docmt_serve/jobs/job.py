"""`Job`: the translation of a file, with status and progress."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from docmt.output import Output, OutputFormat
from docmt.translating.marked_sentences import MarkedSentence
from docmt_files.base.errors import InputError
from docmt_files.storage.files import write_text
from docmt_files.storage.json_files import json_text, read_json
from docmt_nmt.base.choices import Formality
from docmt_serve.requests.identifiers import safe_name
from docmt_serve.stores.glossary_entries import Entries

JobApi = Literal["jobs", "document", "download"]
"""The way to a job: docmt's own API, DeepL's, or a link of LibreTranslate's API."""

JobStatus = Literal["queued", "translating", "done", "error", "cancelled"]
"""Statuses of a job."""

_ENDED = ("done", "error", "cancelled")


@dataclass(frozen=True, slots=True)
class Job:
    """The translation of a file.

    Attributes:
        id: random id.
        account: account of the owner.
        file: name of the uploaded file.
        model: name of the model.
        into: code of the target language if the language of the file is to be detected; else empty.
        file_format: format of the file; None for the format by the name.
        output_form: form of the result.
        consistent: translate recurring terms alike.
        glossary: ids of glossaries of the account, with commas between; None for no glossary.
        memory: id of a translation memory of the account; None for no memory.
        memory_threshold: minimum rate of similar sentences, in percent.
        memory_penalties: what is taken off the rates of matches, as names with numbers in percent.
        entries: terms and their translations, in place of a glossary of the account.
        instructions, formality: what the request asks of the translation.
        status: status.
        message: error, or notes for the user, a line each.
        marked: suspicious sentences of the translation, the first ones of many.
        marks: number of all suspicious sentences.
        finished: time of the end, in seconds since 1970.
        sentences: number of translated sentences.
        total: number of all sentences; 0 until the file is read.
        size: bytes of the uploaded file.
        stored: bytes on disk.
        api: the only way to the job.
        secret: needed beside the id, unless the API is docmt's own.
        begun: time of the start or of the last resumption, in seconds since 1970.
    """

    id: str
    account: str
    file: str
    model: str
    file_format: str | None = None
    output_form: OutputFormat = "same"
    consistent: bool = False
    glossary: str | None = None
    memory: str | None = None
    memory_threshold: int = 75
    memory_penalties: str = ""
    entries: Entries = ()
    instructions: str = ""
    formality: Formality = "default"
    status: JobStatus = "queued"
    message: str = ""
    marked: tuple[MarkedSentence, ...] = ()
    marks: int = 0
    finished: float = 0.0
    sentences: int = 0
    total: int = 0
    size: int = 0
    stored: int = 0
    api: JobApi = "jobs"
    secret: str = field(default="", repr=False)
    begun: float = 0.0
    into: str = ""

    @property
    def has_ended(self) -> bool:
        """True if the job is done, failed or cancelled."""
        return self.status in _ENDED

    @property
    def seconds_left(self) -> int | None:
        """Estimated seconds until the end by the progress so far; None without any."""
        if self.status != "translating" or not self.sentences:
            return None
        taken = time.time() - self.begun
        return max(1, round(taken * (self.total - self.sentences) / self.sentences))

    @property
    def output(self) -> str:
        """Name of the translated file."""
        return self.file + Output(kind=self.output_form).added_suffix


_STORED = TypeAdapter(Job)


def read_job(path: Path) -> Job | None:
    """Read a stored job; None if the file is missing or damaged."""
    try:
        job = _STORED.validate_python(read_json(path))
    except (InputError, ValidationError):
        return None
    is_safe = job.id == path.parent.name and job.file == safe_name(job.file)
    return job if is_safe else None


def write_job(path: Path, job: Job) -> None:
    """Store a job.

    Raises:
        InputError: the file cannot be written.
    """
    write_text(path, json_text(asdict(job)) + "\n")
