"""`JobStore`: files that are being translated. They are kept on disk, so that a service that was
killed goes on with them where it was.

    FOLDER/jobs/ID/job.json     what is to be done, and its status
    FOLDER/jobs/ID/input/NAME   the uploaded file
    FOLDER/jobs/ID/output/NAME  its translation, once it is done
"""

from __future__ import annotations

import json
import secrets
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from docmt.decoding.scheduler import BatchScheduler, CancelledError, Lane
from docmt.errors import InputError
from docmt.files import write_text
from docmt.formats import Output
from docmt.formats.output import OutputFormat
from docmt.glossaries import Glossary
from docmt.json_files import json_text
from docmt.requests import ProgressCallback
from docmt.serving.glossary_entries import Entries, glossary_of
from docmt.serving.models import Model, Models
from docmt.serving.service_errors import ServiceError, busy
from docmt.serving.work import through
from docmt.translating import TermChoices, translate_files

JobStatus = Literal["queued", "translating", "done", "error", "cancelled"]
"""What has become of a job."""

_ENDED = ("done", "error", "cancelled")

_RUNNING = 2
"""Files that are translated at a time; more would only share the same batches."""

_UNKNOWN_SECONDS = 60
"""What is said of a job of which nothing is translated."""

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

    def public(self) -> dict[str, Any]:
        """What its owner may know, as plain values."""
        names = ("id", "file", "model", "status", "message", "sentences", "total")
        return {name: getattr(self, name) for name in names}


@dataclass(eq=False)
class JobStore:
    """The jobs of a service. Threads may share it.

    Attributes:
        folder: where they are kept.
        models: translate them.
        scheduler: searches their batches, with those of others.
        limit: most jobs that have not ended.
        keep: seconds after which an ended job is deleted.
        glossary_of: finds a glossary of an account by its id, for the languages of a model.
    """

    folder: Path
    models: Models
    scheduler: BatchScheduler
    limit: int
    keep: float
    glossary_of: Callable[[str, str, Model], Glossary] | None = None
    _jobs: dict[str, Job] = field(default_factory=dict)
    _lanes: dict[str, Lane] = field(default_factory=dict)
    _queue: deque[str] = field(default_factory=deque)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _threads: list[threading.Thread] = field(default_factory=list)
    _closed: bool = False

    def open(self) -> None:
        """Read what is in the folder, and begin to work."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for path in sorted(self.folder.glob("*/job.json")):
            job = _read_job(path)
            if job is None:
                shutil.rmtree(path.parent, ignore_errors=True)
                continue
            self._jobs[job.id] = job
            if not job.has_ended:
                with self._changed:
                    self._put(replace(job, status="queued"))
                    self._queue.append(job.id)
        for number in range(_RUNNING):
            thread = threading.Thread(target=self._work, name=f"docmt-job-{number}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def close(self) -> None:
        """Stop working. Jobs that have not ended go on when the folder is opened again."""
        with self._changed:
            self._closed = True
            for lane in self._lanes.values():
                lane.cancelled.set()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    @contextmanager
    def add(self, job: Job) -> Iterator[Path]:
        """Add a job. Yields the path to write the uploaded file to; if that fails, or is given up,
        there is no job.

        Raises:
            ServiceError: there are too many.
        """
        self.delete_old()
        with self._changed:
            if sum(not each.has_ended for each in self._jobs.values()) >= self.limit:
                raise busy("too many files are waiting; try again later")
        folder = self.folder / job.id
        (folder / "input").mkdir(parents=True, mode=0o700)
        (folder / "output").mkdir(mode=0o700)
        try:
            yield folder / "input" / job.file
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        job = replace(job, size=(folder / "input" / job.file).stat().st_size)
        with self._changed:
            self._put(job)
            self._queue.append(job.id)
            self._changed.notify_all()

    def get(self, job_id: str, account: str | None = None) -> Job:
        """Return a job as it is now.

        Args:
            job_id: its id.
            account: whose it must be; None for anybody's, as ids cannot be guessed.

        Raises:
            ServiceError: there is none, or it is somebody else's.
        """
        with self._changed:
            job = self._jobs.get(job_id)
        if job is None or account not in (None, job.account):
            raise ServiceError(404, "there is no such job")
        return job

    def latest(self, job: Job) -> Job:
        """Return a job as it is now; as cancelled if it was deleted."""
        with self._changed:
            return self._jobs.get(job.id, replace(job, status="cancelled"))

    def seconds_remaining(self, job: Job) -> int:
        """Estimate the seconds until a job is done, by how far it is."""
        if not job.sentences:
            return _UNKNOWN_SECONDS
        taken = time.time() - job.begun
        return max(1, round(taken * (job.total - job.sentences) / job.sentences))

    def output_of(self, job: Job) -> Path:
        """Return the translated file of a job that is done.

        Raises:
            ServiceError: it is not done.
        """
        if job.status != "done":
            raise ServiceError(404, f"the file is not translated ({job.status})")
        return self.folder / job.id / "output" / job.output

    def cancel(self, job: Job) -> None:
        """Cancel a job that has not ended."""
        with self._changed:
            lane = self._lanes.get(job.id)
            if lane is not None:
                lane.cancelled.set()
            elif job.id in self._queue:
                self._queue.remove(job.id)
            current = self._jobs.get(job.id)
            if current is not None and not current.has_ended:
                self._put(replace(current, status="cancelled", finished=time.time()))

    def delete(self, job: Job) -> None:
        """Delete a job with its files, and cancel it before if it has not ended."""
        self.cancel(job)
        with self._changed:
            self._jobs.pop(job.id, None)
            self._changed.notify_all()
        shutil.rmtree(self.folder / job.id, ignore_errors=True)

    def delete_old(self) -> None:
        """Delete what ended longer ago than files are kept."""
        before = time.time() - self.keep
        with self._changed:
            old = [job for job in self._jobs.values() if job.has_ended and job.finished < before]
        for job in old:
            self.delete(job)

    def counts(self) -> dict[JobStatus, int]:
        """Return the number of jobs of each status."""
        with self._changed:
            statuses = [job.status for job in self._jobs.values()]
        return {status: statuses.count(status) for status in get_args(JobStatus)}

    def _put(self, job: Job) -> None:
        """Store a job as it is now."""
        previous = self._jobs.get(job.id)
        self._jobs[job.id] = job
        folder = self.folder / job.id
        if folder.is_dir() and (previous is None or previous.status != job.status):
            write_text(folder / "job.json", json_text(asdict(job)) + "\n")
        self._changed.notify_all()

    def _work(self) -> None:
        """Translate one job after the other."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queue or self._closed)
                if self._closed:
                    return
                job = self._jobs[self._queue.popleft()]
                lane = self._lanes[job.id] = Lane(self.scheduler, interactive=False)
                job = replace(job, status="translating", begun=time.time())
                self._put(job)
            ended = self._ended(job, lane)
            with self._changed:
                del self._lanes[job.id]
                current = self._jobs.get(job.id)
                if ended is not None and current is not None and not current.has_ended:
                    self._put(ended)

    def _ended(self, job: Job, lane: Lane) -> Job | None:
        """Translate a job, and return it as it has ended; None if it was given up."""
        notes: list[str] = []
        try:
            self._translate(job, lane, notes.append)
            status: JobStatus = "done"
        except CancelledError:
            return None
        except InputError as error:
            status, notes = "error", [str(error)]
        except Exception as error:
            status, notes = "error", [f"internal error ({type(error).__name__})"]
        latest = self._jobs.get(job.id, job)
        folder = f"{self.folder / job.id / 'input'}/"
        message = "\n".join(note.replace(folder, "") for note in notes)
        return replace(latest, status=status, message=message, finished=time.time())

    def _translate(self, job: Job, lane: Lane, note: Callable[[str], None]) -> None:
        """Translate the file of a job.

        Raises:
            InputError: it cannot be translated.
            CancelledError: it was given up.
        """
        model = self.models.choose(None, None, job.model)
        glossary = glossary_of(job.entries) if job.entries else None
        if job.glossary is not None and self.glossary_of is not None:
            glossary = self.glossary_of(job.account, job.glossary, model)
        folder = self.folder / job.id

        @contextmanager
        def progress(_: str) -> Iterator[ProgressCallback]:
            yield lambda done, total: self._show_progress(job.id, lane, done, total)

        translate_files(
            through(model.translator, lane),
            [str(folder / "input" / job.file)],
            [str(folder / "output" / job.output)],
            form=Output(kind=job.output_form),
            terms=TermChoices(glossary, job.consistent),
            progress=progress,
            note=note,
        )

    def _show_progress(self, job_id: str, lane: Lane, done: int, total: int) -> None:
        """Keep how far a job is.

        Raises:
            CancelledError: it was given up.
        """
        if lane.cancelled.is_set():
            raise CancelledError
        with self._changed:
            job = self._jobs.get(job_id)
            if job is not None:
                self._put(replace(job, sentences=done, total=total))


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


def _read_job(path: Path) -> Job | None:
    """The job of a file, or None if it is damaged."""
    with suppress(OSError, ValueError, TypeError):
        values = json.loads(path.read_text("utf-8"))
        job = Job(**values)
        if job.id == path.parent.name and job.status in get_args(JobStatus):
            return job
    return None
