"""LibreTranslate's API, for the many programs that speak it, with what docmt adds: `document` (the
texts are one document), `context`, `glossary` (tab-separated values), `consistent`, `known`
(translations of the first sentences, which the others go on from), and `sentences` in the answer.

Other than there, a translation keeps its own punctuation and case, and HTML stays escaped.
"""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from docmt.decoding.scheduler import CancelledError
from docmt.formats.format_registry import FORMATS
from docmt.glossaries import Glossary
from docmt.serving.api_keys import QUOTA_EXCEEDED
from docmt.serving.detection import Detected, detect
from docmt.serving.glossary_entries import glossary_of, read_entries
from docmt.serving.models import Model, UnknownLanguageError
from docmt.serving.request_values import Values
from docmt.serving.service import Service
from docmt.serving.service_errors import ServiceError, answering_errors, stopping
from docmt.serving.work import disconnected
from docmt.text.language_detection import language_name
from docmt.translating.texts import SentencePair, TextRequest

_MAX_ALTERNATIVES = 100

_INTERVAL = 0.1
"""Seconds between two looks at a file that is being translated."""

_answering_errors = answering_errors(
    lambda _, message: {"error": message}, statuses={QUOTA_EXCEEDED: 429}
)


def routes(service: Service) -> list[Route]:
    """The routes of the API.

    Args:
        service: answers.
    """
    api = _LibreTranslate(service)
    both, get, post = ["GET", "POST"], ["GET"], ["POST"]
    limit = service.settings
    text, file = 8 * limit.char_limit + 65_536, limit.file_limit + 65_536
    return [
        Route("/translate", _answering_errors(api.translate), methods=post, max_body_size=text),
        Route("/translate_file", _answering_errors(api.file), methods=post, max_body_size=file),
        Route("/download_file/{job}/{name}", _answering_errors(api.download), methods=get),
        Route("/detect", _answering_errors(api.detect), methods=post, max_body_size=text),
        Route("/languages", _answering_errors(api.languages), methods=both),
        Route("/frontend/settings", _answering_errors(api.frontend_settings), methods=get),
        Route("/suggest", _answering_errors(api.suggest), methods=post, max_body_size=text),
    ]


class _LibreTranslate:
    def __init__(self, service: Service) -> None:
        self.service = service

    async def translate(self, request: Request) -> Response:
        """Translate a text or a list of texts."""
        values, account = await self._read(request)
        texts = _required_texts(values, "q")
        form = values.text("format", "text")
        if form not in ("text", "html"):
            raise ServiceError(400, f"{form} format is not supported")
        alternatives = values.number("alternatives", 0, most=_MAX_ALTERNATIVES)
        wanted = TextRequest(
            tuple(texts),
            "html" if form == "html" else "text",
            document=values.flag("document"),
            context=values.text("context", "") or "",
            consistent=values.flag("consistent"),
            alternatives=alternatives,
            known=tuple(values.texts("known")),
            glossary=_glossary(values.text("glossary")),
        )
        self.service.check_length(wanted)
        model, detected = await run_in_threadpool(self._model, values, texts)
        translated = await self.service.translate(request, model, wanted, account)
        several = isinstance(values.get("q"), list) and _is_json(request)

        def one_or_all(each: list[Any]) -> Any:
            return each if several else each[0]

        answer = {"translatedText": one_or_all([each.text for each in translated])}
        if detected is not None:
            answer["detectedLanguage"] = one_or_all([_detected(each) for each in detected])
        if alternatives:
            answer["alternatives"] = one_or_all([list(t.alternatives) for t in translated])
        if values.flag("sentences"):
            pairs = [[sentence_values(pair) for pair in t.sentences] for t in translated]
            answer["sentences"] = one_or_all(pairs)
        return JSONResponse(answer)

    async def file(self, request: Request) -> Response:
        """Translate a file, and answer with where it is."""
        values, account = await self._read(request)
        model, _ = self._model(values, [])
        job = await self.service.add_job(values, model, account)
        delete = self.service.jobs.delete
        gone = asyncio.ensure_future(disconnected(request))
        try:
            while not job.has_ended:
                await asyncio.wait({gone}, timeout=_INTERVAL)
                job = self.service.jobs.latest(job)
                if gone.done() or self.service.has_given_up:
                    await run_in_threadpool(delete, job)
                    raise CancelledError if gone.done() else stopping()
        finally:
            gone.cancel()
        if job.status != "done":
            await run_in_threadpool(delete, job)
            raise ServiceError(400, job.message or "the file is not translated")
        url = request.url_for("download", job=job.id, name=quote(job.output))
        return JSONResponse({"translatedFileUrl": str(url)})

    async def download(self, request: Request) -> Response:
        """Give a translated file."""
        job = self.service.jobs.get(request.path_params["job"])
        return attachment(self.service, job.id)

    async def detect(self, request: Request) -> Response:
        """Rank the languages that a text may be in."""
        values, _ = await self._read(request)
        text = "\n".join(_required_texts(values, "q"))
        self.service.check_length(TextRequest((text,)))
        ranked = await run_in_threadpool(detect, text, self.service.models.sources)
        return JSONResponse([_detected(each) for each in ranked])

    async def languages(self, request: Request) -> Response:
        """List all languages, each with those that it is translated into.

        Languages that are only translated into are listed too, as clients look for them there.
        """
        if request.method == "POST":
            raise ServiceError(405, "The method is not allowed for the requested URL.")
        models = self.service.models
        sources = models.sources
        return JSONResponse(
            [
                {"code": tag, "name": language_name(tag), "targets": sources.get(tag, [])}
                for tag in dict.fromkeys([*sources, *models.targets])
            ]
        )

    async def frontend_settings(self, _: Request) -> Response:
        """List the limits of the service, and what it can do."""
        settings, models = self.service.settings, self.service.models

        def named(code: str) -> dict[str, str]:
            return {"code": code, "name": language_name(code)}

        return JSONResponse(
            {
                "charLimit": settings.char_limit,
                "frontendTimeout": 500,
                "apiKeys": settings.keys is not None,
                "keyRequired": settings.keys is not None,
                "suggestions": False,
                "filesTranslation": True,
                "supportedFilesFormat": file_suffixes(),
                "language": {"source": named(models[0].source), "target": named(models[0].target)},
            }
        )

    async def suggest(self, _: Request) -> Response:
        """Refuse a better translation, as these are not collected."""
        raise ServiceError(403, "Suggestions are disabled on this server.")

    async def _read(self, request: Request) -> tuple[Values, str]:
        """The values of a request, and its account."""
        values = await self.service.values(request)
        # The client of npm gives its key the second name.
        key = values.text("api_key") or values.text("apiKey")
        return values, self.service.account_of(request, key)

    def _model(self, values: Values, texts: list[str]) -> tuple[Model, list[Detected] | None]:
        """The model for the languages of a request, and those of its texts if they are to be found
        out."""
        source, target = values.text("source"), values.text("target")
        for side, value in (("source", source), ("target", target)):
            if not value:
                raise ServiceError(400, f"Invalid request: missing {side} parameter")
        models, name = self.service.models, values.text("model")
        try:
            if source != "auto":
                return models.choose(source, target, name), None
            into = models.choose(None, target, name).target
            sources = [tag for tag, targets in models.sources.items() if into in targets]
            detected = [detect(text, sources)[0] for text in texts or [""]]
            best = max(detected, key=lambda each: each.confidence)
            return models.choose(best.language, into, name), detected
        except UnknownLanguageError as error:
            raise ServiceError(400, str(error)) from None


def attachment(service: Service, job_id: str) -> Response:
    """The translated file of a job, which no browser opens in place.

    Raises:
        ServiceError: there is no such job, or it is not done.
    """
    job = service.jobs.get(job_id)
    path = service.jobs.output_of(job)
    try:
        status = path.stat()
    except OSError:
        raise ServiceError(404, "there is no such job") from None
    return FileResponse(
        path,
        stat_result=status,
        media_type="application/octet-stream",
        filename=job.output,
        headers={"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"},
    )


def file_suffixes() -> list[str]:
    """The suffixes of files that can be uploaded."""
    return [".txt", *(suffix for each in FORMATS for suffix in each.suffixes)]


def sentence_values(pair: SentencePair) -> dict[str, Any]:
    """A sentence pair as plain values."""
    return {
        "source": pair.source,
        "target": pair.target,
        "score": round(pair.score, 4),
        "chunk": pair.chunk,
        "warnings": [{"kind": w.kind, "detail": w.detail} for w in pair.warnings],
    }


def _detected(language: Detected) -> dict[str, Any]:
    return {"confidence": language.confidence, "language": language.language}


def _required_texts(values: Values, name: str) -> list[str]:
    texts = values.texts(name)
    if not texts:
        raise ServiceError(400, f"Invalid request: missing {name} parameter")
    return texts


def _glossary(text: str | None) -> Glossary | None:
    """The glossary that a request has as tab-separated values."""
    if text is None or not text.strip():
        return None
    return glossary_of(read_entries(text, "tsv"))


def _is_json(request: Request) -> bool:
    return "json" in request.headers.get("content-type", "")
