"""LibreTranslate's API with the extensions of docmt (see `libretranslate_schemas`).

Unlike LibreTranslate, docmt leaves punctuation and case of a translation alone, and HTML stays
escaped.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, Response

from docmt.translating.memory_files import units_of_texts
from docmt.translating.texts import TextRequest
from docmt_files import FORMATS
from docmt_nmt.text.language_detection import language_name
from docmt_serve.apis.api_routes import FILE, Api, ApiRoute, Call
from docmt_serve.apis.libretranslate_schemas import (
    DetectRequest,
    SentenceAnswer,
    SuggestRequest,
    TranslateAnswer,
    TranslateFileRequest,
    TranslateRequest,
)
from docmt_serve.jobs.job import Job
from docmt_serve.jobs.translation_tasks import disconnected
from docmt_serve.models.detection import Detected, detect_any, detect_each
from docmt_serve.models.models import Model, UnknownLanguageError
from docmt_serve.requests.identifiers import new_secret
from docmt_serve.requests.service_errors import ServiceError, stopping
from docmt_serve.scheduler import CancelledError
from docmt_serve.service.service import Service
from docmt_serve.stores.api_keys import QUOTA_EXCEEDED

_Object = dict[str, Any]

_INTERVAL = 0.1
"""Seconds between two looks at a file in translation."""


def routes(service: Service) -> list[ApiRoute]:
    """The routes of the API."""
    own = _LibreTranslate(service)
    api = Api("libretranslate", service, statuses={QUOTA_EXCEEDED: 429})
    route, get, post = partial(ApiRoute, api), ["GET"], ["POST"]
    return [
        route(post, "/translate", own.translate, asks=TranslateRequest, answers=TranslateAnswer),
        route(post, "/translate_file", own.file, asks=TranslateFileRequest, answers=_Object),
        route(get, "/download_file/{job}/{name}", own.download, media_type=FILE),
        route(post, "/detect", own.detect, asks=DetectRequest, answers=list[Detected]),
        route(get, "/languages", own.languages, answers=list[_Object]),
        route(get, "/frontend/settings", own.frontend_settings, answers=_Object),
        route(post, "/suggest", own.suggest, asks=SuggestRequest, answers=_Object),
    ]


class _LibreTranslate:
    def __init__(self, service: Service) -> None:
        self.service = service

    async def translate(self, call: Call[TranslateRequest]) -> TranslateAnswer:
        """Translate a text or a list of texts."""
        asked = call.asked
        self.service.check_glossary(asked.glossary)
        wanted = await self.service.run(asked.wanted) if asked.glossary else asked.wanted()
        self.service.check_length(wanted)
        models, detected = await run_in_threadpool(
            self._models, asked, asked.texts, together=asked.document
        )
        translated = await self.service.translate(call.request, models, wanted, call.account)
        call.tell_warnings(translated)

        def one_or_all(each: list[Any]) -> Any:
            return each[0] if isinstance(asked.q, str) else each

        answer = TranslateAnswer(translated_text=one_or_all([each.text for each in translated]))
        if detected is not None:
            answer.detected_language = one_or_all(detected)
        if asked.alternatives:
            answer.alternatives = one_or_all([list(each.alternatives) for each in translated])
        if asked.sentences:
            answer.sentences = one_or_all([SentenceAnswer.all(t.sentences) for t in translated])
        return answer

    async def file(self, call: Call[TranslateFileRequest]) -> _Object:
        """Translate a file, and answer with its address."""
        (model,), _ = self._models(call.asked, ("",))
        is_told = call.asked.source != "auto" or call.asked.model
        job = await self.service.add_job(
            call.asked,
            model,
            call.account,
            api="download",
            secret=new_secret(),
            into="" if is_told else call.asked.target,
        )
        delete = self.service.jobs.delete
        gone = asyncio.ensure_future(disconnected(call.request))
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
        opened = f"{job.id}.{job.secret}"
        url = call.request.url_for("download", job=opened, name=quote(job.output))
        if not self.service.settings.answers_to(call.request.url.hostname or ""):
            url = url.replace(scheme="", netloc="")
        return {"translatedFileUrl": str(url)}

    async def download(self, call: Call[None]) -> Response:
        """Download a translated file. The link has the secret of the file."""
        job_id, _, secret = call.request.path_params["job"].partition(".")
        return attachment(self.service, self.service.jobs.get("download", job_id, None, secret))

    async def detect(self, call: Call[DetectRequest]) -> list[Detected]:
        """Rank the languages of a text by probability."""
        text = "\n".join(call.asked.q)
        characters = self.service.check_length(TextRequest((text,)))
        self.service.keys.charge(call.account, characters)
        return await self.service.run(partial(detect_any, text, self.service.models.sources))

    async def languages(self, _: Call[None]) -> list[_Object]:
        """List all languages with their targets.

        Languages without targets are listed too, as clients look up target languages here.
        """
        sources, targets = self.service.models.sources, self.service.models.targets
        return [
            {"code": tag, "name": language_name(tag), "targets": sources.get(tag, [])}
            for tag in dict.fromkeys([*sources, *targets])
        ]

    async def frontend_settings(self, _: Call[None]) -> _Object:
        """List limits and abilities of the service."""
        settings, models = self.service.settings, self.service.models

        def named(code: str) -> dict[str, str]:
            return {"code": code, "name": language_name(code)}

        chosen: _Object = {}
        if models:
            chosen = {"source": named(models[0].source), "target": named(models[0].target)}

        return {
            "charLimit": settings.char_limit,
            "frontendTimeout": 500,
            "apiKeys": settings.keys is not None,
            "keyRequired": settings.keys is not None,
            "suggestions": settings.suggestions,
            "filesTranslation": True,
            "supportedFilesFormat": file_suffixes(),
            "language": chosen,
            "fileLimit": settings.file_limit,
            "keepFiles": settings.keep_files,
        }

    async def suggest(self, call: Call[SuggestRequest]) -> _Object:
        """Add a translation by a person to the memory of suggestions."""
        if not self.service.settings.suggestions:
            raise ServiceError(403, "Suggestions are disabled on this server.")
        asked = call.asked
        characters = self.service.check_length(TextRequest((asked.q, asked.s)))
        self.service.keys.charge(call.account, characters)
        ((model,), _) = self._models(asked, (asked.q,))
        languages = model.source, model.target
        await self.service.run(
            lambda: self.service.memories.suggest(
                call.account, languages, list(units_of_texts(asked.q, asked.s, languages))
            )
        )
        return {"success": True}

    def _models(
        self,
        asked: TranslateRequest | TranslateFileRequest | SuggestRequest,
        texts: tuple[str, ...],
        *,
        together: bool = False,
    ) -> tuple[list[Model], list[Detected] | None]:
        """The model of each text, and the language of each text if it is to be detected."""
        choose = self.service.models.choose
        try:
            if asked.source != "auto":
                return [choose(asked.source, asked.target, asked.model)] * len(texts), None
            detected = detect_each(
                self.service.models, texts, asked.target, asked.model, together=together
            )
            return [choose(it.language, asked.target, asked.model) for it in detected], detected
        except UnknownLanguageError as error:
            # Clients compare the message.
            raise ServiceError(400, f"{error.code} is not supported") from None


def attachment(service: Service, job: Job) -> FileResponse:
    """The translated file of a job, as a download.

    Raises:
        ServiceError: the job is deleted or not done.
    """
    path = service.jobs.output_of(job)
    try:
        status = path.stat()
    except OSError:
        raise ServiceError(404, "there is no such job") from None
    return FileResponse(
        path,
        stat_result=status,
        media_type=FILE,
        filename=job.output,
        headers={"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"},
    )


def file_suffixes() -> list[str]:
    """Suffixes of translatable files."""
    return [".txt", *(suffix for each in FORMATS for suffix in each.suffixes)]
