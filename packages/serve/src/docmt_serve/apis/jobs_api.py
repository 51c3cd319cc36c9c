"""docmt's own API for files: jobs, with their progress as server-sent events.

    POST /jobs                 file, source, target, model, consistent, glossary, memory, output:
                               the job
    GET /jobs/ID               the job
    GET /jobs/ID/events        the job, whenever it changes, until the end
    GET /jobs/ID/result        the translated file
    DELETE /jobs/ID            cancel the job, and delete the files

Where keys are needed, a job needs the key of the account.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from typing import ClassVar

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from docmt.memory import MatchPenalties
from docmt.output import OutputFormat
from docmt.translating.from_memory import MIN_RATE
from docmt_serve.apis.api_routes import FILE, Answer, Api, ApiRoute, Call
from docmt_serve.apis.libretranslate import attachment
from docmt_serve.apis.libretranslate_schemas import LibreTranslateRequest
from docmt_serve.jobs.job import Job, JobStatus
from docmt_serve.requests.request_models import FileRequest, Flag, Text
from docmt_serve.requests.service_errors import busy
from docmt_serve.service.service import Service
from docmt_serve.stores.glossary_entries import Entries, glossary_of, read_entries

_SIGN_OF_LIFE = 15.0
"""Seconds without an event, after which a stream sends a comment."""

_STREAMS = 500
"""Maximum number of streams of events at a time."""

_INTERVAL = 0.2
"""Seconds between two looks at a job."""


class JobRequest(FileRequest, LibreTranslateRequest):
    """A file to translate as a job."""

    missing: ClassVar[str] = "Invalid request: missing {name}"
    unsupported: ClassVar[str] = "{name} must be {expected}"

    source: Text = ""
    """Source language; `auto` detects it. Default: source language of the run."""

    target: Text | None = None
    """Target language. Default: target language of the run."""

    model: Text | None = None
    """Name of a run. Default: the first with these languages."""

    output: OutputFormat = "same"
    """Form of the result."""

    consistent: Flag = False
    """Translate recurring terms alike."""

    glossary: Text = ""
    """Terms and their translations, a pair a line, with a tab between them."""

    memory: Text | None = None
    """Id of a translation memory (`/memories`). Sentences in it keep the translation."""

    memory_penalties: Text = ""
    """What is taken off the rates of matches, in percent: `case=1,tags=2,machine=5`."""


class MarkedAnswer(Answer):
    """A suspicious sentence."""

    place: str
    """Place in the file, such as a line or a slide."""

    warning: str
    """The possible faults, in words."""

    source: str
    """The sentence."""

    target: str
    """The translation."""


class JobAnswer(Answer):
    """A job."""

    id: str
    """Id of the job."""

    file: str
    """Name of the file."""

    output: str
    """Name of the translated file."""

    model: str
    """Name of the run."""

    status: JobStatus

    message: str
    """Error, or notes for the user, a line each."""

    marked: list[MarkedAnswer]
    """Suspicious sentences of the translation, the first ones of many."""

    marks: int
    """Number of all suspicious sentences."""

    sentences: int
    """Number of translated sentences."""

    total: int
    """Number of all sentences; 0 until the file is read."""

    into: str
    """Target language while the language of the file is to be detected; else empty."""

    seconds_left: int | None = None
    """Estimated seconds until the end, once some sentences are translated."""

    @classmethod
    def of(cls, job: Job) -> JobAnswer:
        """Make the answer for a job."""
        return cls.model_validate(job, from_attributes=True)


def routes(service: Service) -> list[ApiRoute]:
    """The routes of the API."""
    own, route = _Jobs(service), partial(ApiRoute, Api("jobs", service))
    get, events, asks = ["GET"], "text/event-stream", LibreTranslateRequest
    return [
        route(["POST"], "/jobs", own.add, asks=JobRequest, answers=JobAnswer, status=202),
        route(get, "/jobs/{job}", own.show, asks=asks, answers=JobAnswer),
        route(["DELETE"], "/jobs/{job}", own.delete, asks=asks, status=204),
        route(get, "/jobs/{job}/events", own.events, asks=asks, media_type=events),
        route(get, "/jobs/{job}/result", own.result, asks=asks, media_type=FILE),
    ]


class _Jobs:
    def __init__(self, service: Service) -> None:
        self.service = service
        self._streams = 0

    async def add(self, call: Call[JobRequest]) -> Response:
        """Start the translation of a file."""
        asked = call.asked
        source = None if asked.source in ("", "auto") else asked.source
        model = self.service.models.choose(source, asked.target, asked.model)
        self.service.check_glossary(asked.glossary)
        entries = await self.service.run(partial(_entries, asked.glossary))
        into = model.target if asked.source == "auto" and not asked.model else ""
        penalties = MatchPenalties.parse(asked.memory_penalties)
        if asked.memory is not None and into:
            self.service.memories.get(call.account, asked.memory)
        elif asked.memory is not None:
            languages = model.source, model.target
            self.service.memories.use(call.account, asked.memory, languages, MIN_RATE, penalties)
        job = await self.service.add_job(
            asked,
            model,
            call.account,
            output_form=asked.output,
            consistent=asked.consistent,
            entries=entries,
            into=into,
            memory=asked.memory,
            memory_penalties=asked.memory_penalties,
        )
        location = {"Location": f"/jobs/{job.id}"}
        return JSONResponse(JobAnswer.of(job).model_dump(), 202, location)

    async def show(self, call: Call[LibreTranslateRequest]) -> JobAnswer:
        """Describe a job."""
        return JobAnswer.of(self._job(call))

    async def delete(self, call: Call[LibreTranslateRequest]) -> None:
        """Cancel a job, and delete the files."""
        await run_in_threadpool(self.service.jobs.delete, self._job(call))

    async def result(self, call: Call[LibreTranslateRequest]) -> Response:
        """Download a translated file."""
        return attachment(self.service, self._job(call))

    async def events(self, call: Call[LibreTranslateRequest]) -> Response:
        """Stream the changes of a job as events."""
        job = self._job(call)
        if self._streams >= _STREAMS:
            raise busy("too many events are followed; try again later")
        return StreamingResponse(
            self._events(job, call.request),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    async def _events(self, job: Job, request: Request) -> AsyncIterator[str]:
        """The job as an event, at first and after each change."""
        self._streams += 1
        try:
            async for event in self._changes(job, request):
                yield event
        finally:
            self._streams -= 1

    async def _changes(self, job: Job, request: Request) -> AsyncIterator[str]:
        yield _event(job)
        quiet = 0.0
        while not (job.has_ended or self.service.is_stopping or await request.is_disconnected()):
            await anyio.sleep(_INTERVAL)
            latest = self.service.jobs.latest(job)
            quiet = quiet + _INTERVAL if latest == job else 0.0
            if latest != job:
                yield _event(latest)
            elif quiet >= _SIGN_OF_LIFE:
                quiet = 0.0
                yield ": still there\n\n"
            job = latest

    def _job(self, call: Call[LibreTranslateRequest]) -> Job:
        return self.service.jobs.get("jobs", call.request.path_params["job"], call.account)


def _entries(glossary: str) -> Entries:
    """The entries of a glossary in a request.

    Raises:
        InputError: an entry is empty, or two have the same source form.
        ServiceError: the entries cannot be read.
    """
    entries = read_entries(glossary, "tsv") if glossary.strip() else ()
    glossary_of(entries)
    return entries


def _event(job: Job) -> str:
    return f"event: job\ndata: {JobAnswer.of(job).model_dump_json()}\n\n"
