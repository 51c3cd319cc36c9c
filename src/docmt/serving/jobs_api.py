"""docmt's own API for files: jobs, with their progress as server-sent events.

    POST /jobs                 file, source, target, model, consistent, glossary, output → the job
    GET /jobs/ID               the job
    GET /jobs/ID/events        the job, whenever it changes, until it has ended
    GET /jobs/ID/result        the translated file
    DELETE /jobs/ID            cancel it, and delete its files

Whoever knows an id may use it; nobody guesses one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, get_args

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from docmt.formats.output_names import OutputFormat
from docmt.serving.glossary_entries import glossary_of, read_entries
from docmt.serving.job import Job
from docmt.serving.libretranslate import attachment
from docmt.serving.service import Service
from docmt.serving.service_errors import ServiceError, answering_errors
from docmt.storage.json_files import json_text

_SIGN_OF_LIFE = 15.0
"""Seconds after which a stream without an event says that it is alive."""

_INTERVAL = 0.2
"""Seconds between two looks at a job."""

_answering_errors = answering_errors(lambda _, message: {"error": message})


def routes(service: Service) -> list[Route]:
    """The routes of the API.

    Args:
        service: answers.
    """
    api = _Jobs(service)
    most = service.settings.file_limit + 65_536
    return [
        Route("/jobs", _answering_errors(api.add), methods=["POST"], max_body_size=most),
        Route("/jobs/{job}", _answering_errors(api.show), methods=["GET"]),
        Route("/jobs/{job}", _answering_errors(api.delete), methods=["DELETE"]),
        Route("/jobs/{job}/events", _answering_errors(api.events), methods=["GET"]),
        Route("/jobs/{job}/result", _answering_errors(api.result), methods=["GET"]),
    ]


class _Jobs:
    def __init__(self, service: Service) -> None:
        self.service = service

    async def add(self, request: Request) -> Response:
        """Begin to translate a file."""
        values = await self.service.values(request)
        account = self.service.account_of(request, values.text("api_key"))
        source, name = values.text("source"), values.text("model")
        source = None if source in ("", "auto") else source
        model = self.service.models.choose(source, values.text("target"), name)
        form = values.text("output") or "same"
        if form not in get_args(OutputFormat):
            known = ", ".join(get_args(OutputFormat))
            raise ServiceError(400, f"output must be one of {known}")
        consistent = values.flag("consistent")
        text = values.text("glossary")
        entries = read_entries(text, "tsv") if text and text.strip() else ()
        if entries:
            glossary_of(entries)
        options: dict[str, Any] = {
            "output_form": form,
            "consistent": consistent,
            "entries": entries,
        }
        job = await self.service.add_job(values, model, account, **options)
        return JSONResponse(job.public(), 202, {"Location": f"/jobs/{job.id}"})

    async def show(self, request: Request) -> Response:
        """Describe a job."""
        return JSONResponse(self._job(request).public())

    async def delete(self, request: Request) -> Response:
        """Cancel a job, and delete its files."""
        job = self._job(request)
        await run_in_threadpool(self.service.jobs.delete, job)
        return Response(status_code=204)

    async def result(self, request: Request) -> Response:
        """Give a translated file."""
        return attachment(self.service, self._job(request).id)

    async def events(self, request: Request) -> Response:
        """Send a job as events, whenever it changes."""
        return StreamingResponse(
            self._events(self._job(request), request),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    async def _events(self, job: Job, request: Request) -> AsyncIterator[str]:
        """The job as events, whenever it changes."""
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

    def _job(self, request: Request) -> Job:
        return self.service.jobs.get(request.path_params["job"])


def _event(job: Job) -> str:
    """A job as an event."""
    return f"event: job\ndata: {json_text(job.public())}\n\n"
