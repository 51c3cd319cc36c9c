"""`JobStore`: translations of files. Jobs are on disk, so they survive a crash of the service.

FOLDER/jobs/ID/job.json     the job with the status
FOLDER/jobs/ID/input/NAME   the uploaded file, until the end of the job
FOLDER/jobs/ID/output/NAME  the translated file
"""

from __future__ import annotations

import hmac
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import get_args

from docmt.output import Output
from docmt.translating import TermChoices, translate_files
from docmt.translating.marked_sentences import MarkedSentence
from docmt_files import Input
from docmt_files.base.errors import InputError, UnavailableError
from docmt_files.base.messages import parted
from docmt_nmt.translators.glossary import Glossary
from docmt_nmt.translators.translator import ProgressCallback, Translator
from docmt_serve.jobs.job import Job, JobApi, JobStatus, read_job, write_job
from docmt_serve.jobs.translation_tasks import for_request
from docmt_serve.models.detection import detect_file
from docmt_serve.models.models import Model, Models
from docmt_serve.requests.service_errors import ServiceError, busy, unavailable
from docmt_serve.scheduler import BatchScheduler, CancelledError, ScheduledRequest
from docmt_serve.stores.glossary_entries import glossary_of
from docmt_serve.stores.memory_store import MemoryUse

_RUNNING = 4
"""Number of files in translation at a time. Their batches take turns, so a letter need not wait for
a book."""

_WIND_UP = 10.0
"""Seconds for a cancelled translation to end when the service ends."""

_MAX_MARKED, _MAX_TEXT = 500, 500
"""Maximum suspicious sentences of a job that are kept, and characters of each text."""

_SWEEP = 60.0
"""Maximum seconds between two searches for old jobs."""


@dataclass(eq=False)
class JobStore:
    """The jobs of a service. Threads may share it.

    Attributes:
        folder: folder of the jobs.
        models: translate the files.
        scheduler: searches batches of all requests and jobs.
        limit: maximum number of unfinished jobs.
        keep: seconds between the end of a job and the deletion.
        storage_limit: maximum bytes of uploaded and translated files together.
        glossary_of: finds a glossary by account and id, for the languages of a model.
        memory_of: finds the translation memory of a job, for the languages of a model.
    """

    folder: Path
    models: Models
    scheduler: BatchScheduler
    limit: int
    keep: float
    storage_limit: int
    glossary_of: Callable[[str, str, Model], Glossary] | None = None
    memory_of: Callable[[Job, Model], MemoryUse] | None = None
    _jobs: dict[str, Job] = field(default_factory=dict)
    _scheduled: dict[str, ScheduledRequest] = field(default_factory=dict)
    _queue: list[str] = field(default_factory=list)
    _uploads: int = 0
    _stored: int = 0
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _threads: list[threading.Thread] = field(default_factory=list)
    _closed: threading.Event = field(default_factory=threading.Event)

    def open(self) -> None:
        """Read the folder, and start the threads. Incomplete uploads and damaged jobs are
        deleted."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for folder in sorted(self.folder.iterdir()):
            job = read_job(folder / "job.json")
            if job is None:
                shutil.rmtree(folder, ignore_errors=True)
                continue
            with self._changed:
                self._remember(job)
                if not job.has_ended:
                    self._put(replace(job, status="queued"))
                    self._queue.append(job.id)
        for target in (*[self._work] * _RUNNING, self._sweep):
            thread = threading.Thread(target=target, name=f"docmt{target.__name__}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def close(self) -> None:
        """Stop the threads. Unfinished jobs go on when the folder is opened again."""
        self._closed.set()
        with self._changed:
            for scheduled in self._scheduled.values():
                scheduled.cancelled.set()
            self._changed.notify_all()
        end = time.monotonic() + _WIND_UP
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    @property
    def stored(self) -> int:
        """Bytes of uploaded and translated files."""
        return self._stored

    @contextmanager
    def add(self, job: Job) -> Iterator[Path]:
        """Add a job. Yields the path for the uploaded file. An exception in the block removes the
        job.

        Raises:
            ServiceError: there are too many jobs, or the files need too much space.
        """
        self.delete_old()
        with self._changed:
            unfinished = sum(not each.has_ended for each in self._jobs.values())
            if unfinished + self._uploads >= self.limit:
                raise busy("too many files are waiting; try again later")
            if self._stored >= self.storage_limit:
                raise busy("the space for files is used up; try again later")
            self._uploads += 1
        folder = self.folder / job.id
        try:
            (folder / "input").mkdir(parents=True, mode=0o700)
            (folder / "output").mkdir(mode=0o700)
            yield folder / "input" / job.file
            size = (folder / "input" / job.file).stat().st_size
            with self._changed:
                self._put(replace(job, size=size, stored=size))
                self._queue.append(job.id)
                self._changed.notify_all()
        except BaseException:
            with self._changed:
                self._forget(job.id)
            shutil.rmtree(folder, ignore_errors=True)
            raise
        finally:
            with self._changed:
                self._uploads -= 1

    def get(self, api: JobApi, job_id: str, account: str | None, secret: str = "") -> Job:
        """The current state of a job.

        Args:
            api: the way to the job.
            job_id: id of the job.
            account: account of the owner; None for any account.
            secret: the secret of the job.

        Raises:
            ServiceError: the account has no job with this id and secret in this API.
        """
        with self._changed:
            job = self._jobs.get(job_id)
        if (
            job is None
            or job.api != api
            or account not in (None, job.account)
            or not hmac.compare_digest(secret.encode(), job.secret.encode())
        ):
            raise ServiceError(404, "there is no such job")
        return job

    def latest(self, job: Job) -> Job:
        """The current state of a job; a deleted job is cancelled."""
        with self._changed:
            return self._jobs.get(job.id, replace(job, status="cancelled"))

    def output_of(self, job: Job) -> Path:
        """The path of the translated file of a job.

        Raises:
            ServiceError: the job is not done.
        """
        if job.status != "done":
            raise ServiceError(404, f"the file is not translated ({job.status})")
        return self.folder / job.id / "output" / job.output

    def delete(self, job: Job) -> None:
        """Cancel a job if necessary, and delete the job and the files."""
        with self._changed:
            if job.id in self._queue:
                self._queue.remove(job.id)
            scheduled = self._scheduled.get(job.id)
            if scheduled is not None:
                # Whoever translates it deletes what is written after this.
                scheduled.cancelled.set()
            self._forget(job.id)
            self._changed.notify_all()
        shutil.rmtree(self.folder / job.id, ignore_errors=True)

    def delete_old(self) -> None:
        """Delete jobs past the time for keeping files."""
        before = time.time() - self.keep
        with self._changed:
            old = [job for job in self._jobs.values() if job.has_ended and job.finished < before]
        for job in old:
            self.delete(job)

    def counts(self) -> dict[JobStatus, int]:
        """Number of jobs by status."""
        with self._changed:
            statuses = [job.status for job in self._jobs.values()]
        return {status: statuses.count(status) for status in get_args(JobStatus)}

    def _put(self, job: Job) -> None:
        """Store the new state of a job.

        Raises:
            InputError: the file cannot be written.
        """
        previous = self._jobs.get(job.id)
        self._remember(job)
        self._changed.notify_all()
        if previous is None or previous.status != job.status:
            write_job(self.folder / job.id / "job.json", job)

    def _remember(self, job: Job) -> None:
        """Keep the new state of a job in memory."""
        self._forget(job.id)
        self._jobs[job.id] = job
        self._stored += job.stored

    def _forget(self, job_id: str) -> None:
        """Forget a job."""
        if (job := self._jobs.pop(job_id, None)) is not None:
            self._stored -= job.stored

    def _sweep(self) -> None:
        """Delete old jobs, again and again."""
        while not self._closed.wait(min(_SWEEP, self.keep)):
            self.delete_old()

    def _work(self) -> None:
        """Translate job after job."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queue or self._closed.is_set())
                if self._closed.is_set():
                    return
                job = self._take()
                scheduled = self._scheduled[job.id] = ScheduledRequest(
                    self.scheduler, interactive=False
                )
            ended = self._ended(job, scheduled)
            with self._changed:
                del self._scheduled[job.id]
                if ended is not None and job.id in self._jobs:
                    # On a full disk it is not stored that it has ended, and it is done once more.
                    with suppress(InputError):
                        self._put(ended)
                        shutil.rmtree(self.folder / job.id / "input", ignore_errors=True)
                elif job.id not in self._jobs:
                    shutil.rmtree(self.folder / job.id, ignore_errors=True)

    def _take(self) -> Job:
        """Take the oldest waiting job of an account with the fewest running jobs."""
        running = Counter(self._jobs[i].account for i in self._scheduled if i in self._jobs)
        job_id = min(self._queue, key=lambda i: running[self._jobs[i].account])
        self._queue.remove(job_id)
        job = replace(self._jobs[job_id], status="translating", begun=time.time())
        with suppress(InputError):  # On a full disk it stays queued there.
            self._put(job)
        return job

    def _ended(self, job: Job, scheduled: ScheduledRequest) -> Job | None:
        """Translate a job, and return the final state; None if the job was cancelled."""
        notes: list[str] = []
        marked: list[MarkedSentence] = []
        try:
            self._translate(job, scheduled, notes.append, marked.append)
            status: JobStatus = "done"
        except CancelledError:
            return None
        except UnavailableError as error:
            status, notes = "error", [unavailable(error).message]
        except InputError as error:
            status, notes = "error", [str(error)]
        except Exception as error:
            status, notes = "error", [f"internal error ({type(error).__name__})"]
        if scheduled.cancelled.is_set() and status == "error":
            return None  # Its folder may have gone while it was translated.
        _, told = parted(notes, "counts")  # The job has counts of its own.
        folder, message = self.folder / job.id, "\n".join(told)
        for name in ("input", "output"):
            message = message.replace(f"{folder / name}/", "")
        stored = sum(path.stat().st_size for path in (folder / "output").glob("*"))
        latest = self.latest(job)
        return replace(
            latest,
            status=status,
            message=message,
            marked=tuple(map(_shortened, marked[:_MAX_MARKED])),
            marks=len(marked),
            finished=time.time(),
            stored=stored,
        )

    def _translate(
        self,
        job: Job,
        scheduled: ScheduledRequest,
        note: Callable[[str], None],
        mark: Callable[[MarkedSentence], None],
    ) -> None:
        """Translate the file of a job.

        Raises:
            InputError: the file cannot be translated.
            CancelledError: the job was cancelled.
        """
        model = self._model(job)
        glossary = glossary_of(job.entries) if job.entries else None
        if job.glossary is not None and self.glossary_of is not None:
            glossary = self.glossary_of(job.account, job.glossary, model)
        translator = for_request(model.translator, scheduled)
        over: AbstractContextManager[Translator] = nullcontext(translator)
        if job.memory is not None and self.memory_of is not None:
            over = self.memory_of(job, model).over(translator)
        folder = self.folder / job.id

        @contextmanager
        def progress(_: str) -> Iterator[ProgressCallback]:
            yield lambda done, total: self._show_progress(job.id, scheduled, done, total)

        with over as used:
            translate_files(
                used,
                [str(folder / "input" / job.file)],
                [str(folder / "output" / job.output)],
                form=Output(kind=job.output_form),
                input_form=Input(file_format=job.file_format),
                terms=TermChoices(glossary, job.consistent, job.instructions, job.formality),
                progress=progress,
                note=note,
                mark=mark,
            )

    def _model(self, job: Job) -> Model:
        """The model of a job, by the language of the file where it is to be detected.

        Raises:
            InputError: the file cannot be read, or is in the target language already.
        """
        model = self.models.choose(None, None, job.model)
        if not job.into:
            return model
        path, form = self.folder / job.id / "input" / job.file, Input(file_format=job.file_format)
        sources = [tag for tag, targets in self.models.sources.items() if model.target in targets]
        found = self.models.choose(detect_file(path, form, sources, model.target), job.into)
        with self._changed:
            if (latest := self._jobs.get(job.id)) is not None:
                self._remember(replace(latest, model=found.name, into=""))
        return found

    def _show_progress(
        self, job_id: str, scheduled: ScheduledRequest, done: int, total: int
    ) -> None:
        """Store the progress of a job.

        Raises:
            CancelledError: the job was cancelled.
        """
        if scheduled.cancelled.is_set():
            raise CancelledError
        with self._changed:
            job = self._jobs.get(job_id)
            if job is not None:
                self._put(replace(job, sentences=done, total=total))


def _shortened(marked: MarkedSentence) -> MarkedSentence:
    """A suspicious sentence with texts that are not too long to be shown."""
    texts = (getattr(marked, name) for name in ("place", "warning", "source", "target"))
    return MarkedSentence(
        *(text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}…" for text in texts)
    )
