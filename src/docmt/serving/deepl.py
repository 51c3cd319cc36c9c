"""DeepL's API, as far as its clients need it: texts, files, languages and usage. `deepl_glossaries`
has the glossaries.

What docmt adds is `document`: the texts of a request are one document, whose sentences are context
for each other. Options about splitting and formatting have no effect, as layout stays as it is;
those that ask for what docmt cannot do are errors.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import replace
from typing import Any

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from docmt.glossaries import Glossary
from docmt.ground.errors import InputError
from docmt.ground.languages import primary_language
from docmt.serving.detection import detect
from docmt.serving.job import Job, JobStatus
from docmt.serving.libretranslate import attachment, sentence_values
from docmt.serving.models import Model
from docmt.serving.request_values import Values
from docmt.serving.service import Service
from docmt.serving.service_errors import ServiceError, answering_errors
from docmt.text.language_detection import language_name
from docmt.translating.texts import TextRequest

UNLIMITED = 1_000_000_000_000
"""What the API says where there is no limit."""

_STATUSES: dict[JobStatus, str] = {"cancelled": "error"}
"""What the API calls the status of a job, where it differs."""

_TARGETS = {"en": ("EN-GB", "EN-US"), "pt": ("PT-PT", "PT-BR")}
"""Target languages that the API lists by region only."""

answering_deepl_errors = answering_errors(lambda _, message: {"message": message})


def routes(service: Service) -> list[Route]:
    """The routes of the API.

    Args:
        service: answers.
    """
    api = _DeepL(service)
    both, post = ["GET", "POST"], ["POST"]
    limit = service.settings
    text, file = 8 * limit.char_limit + 65_536, limit.file_limit + 65_536
    answering = answering_deepl_errors
    return [
        Route("/v2/translate", answering(api.translate), methods=post, max_body_size=text),
        Route("/v2/languages", answering(api.languages), methods=both),
        Route("/v2/usage", answering(api.usage), methods=both),
        Route("/v2/document", answering(api.add_document), methods=post, max_body_size=file),
        Route("/v2/document/{job}", answering(api.document), methods=post, max_body_size=text),
        Route("/v2/document/{job}/result", answering(api.result), methods=post, max_body_size=text),
    ]


class _DeepL:
    def __init__(self, service: Service) -> None:
        self.service = service

    async def translate(self, request: Request) -> Response:
        """Translate texts."""
        values, account = await read(self.service, request)
        texts = values.texts("text")
        if not texts:
            raise ServiceError(400, "Parameter 'text' not specified.")
        _check_formality(values)
        handling = values.text("tag_handling") or "text"
        if handling not in ("text", "xml", "html"):
            raise ServiceError(400, "Value for 'tag_handling' not supported.")
        ignored = _ignored_tags(values) if handling != "text" else []
        wanted = TextRequest(
            tuple(_protect(text, ignored) for text in texts),
            "text" if handling == "text" else "html",
            document=values.flag("document"),
            context=values.text("context") or "",
        )
        self.service.check_length(wanted)
        model, source = await run_in_threadpool(self._model, values, "\n".join(texts))
        glossary = await run_in_threadpool(self._glossary, values, account, model)
        wanted = replace(wanted, glossary=glossary)
        translated = await self.service.translate(request, model, wanted, account)
        translations: list[dict[str, Any]] = []
        for text, each in zip(texts, translated, strict=True):
            translation: dict[str, Any] = {
                "detected_source_language": source,
                "text": _unprotect(each.text) if ignored else each.text,
                "billed_characters": len(text),
            }
            if values.get("model_type") is not None:
                translation["model_type_used"] = "quality_optimized"
            if values.flag("sentences"):
                translation["sentences"] = [sentence_values(pair) for pair in each.sentences]
            translations.append(translation)
        return JSONResponse({"translations": translations})

    async def languages(self, request: Request) -> Response:
        """List source or target languages."""
        values, _ = await read(self.service, request)
        kind = values.text("type") or "source"
        if kind not in ("source", "target"):
            raise ServiceError(400, "Value for 'type' not supported.")
        models = self.service.models
        tags = models.targets if kind == "target" else list(models.sources)
        listed = []
        for tag in tags:
            codes = _TARGETS.get(tag, (tag.upper(),)) if kind == "target" else (_code(tag),)
            for code in codes:
                language = {"language": code, "name": language_name(tag)}
                listed.append(
                    language | ({"supports_formality": False} if kind == "target" else {})
                )
        return JSONResponse(listed)

    async def usage(self, request: Request) -> Response:
        """Count the characters of the month."""
        _, account = await read(self.service, request)
        used, most = self.service.keys.usage(account)
        limit = UNLIMITED if most is None else most
        return JSONResponse({"character_count": used, "character_limit": limit})

    async def add_document(self, request: Request) -> Response:
        """Begin to translate a file."""
        values, account = await read(self.service, request)
        _check_formality(values)
        file = values.file("file")
        name = values.text("filename") or (file.filename if file else None) or ""
        wanted = values.text("output_format")
        if wanted and not name.lower().endswith(f".{wanted.lower()}"):
            raise ServiceError(400, "Value for 'output_format' not supported.")
        model, _ = self._model(values, "")
        glossary = values.text("glossary_id")
        if glossary is not None:
            await run_in_threadpool(self._glossary, values, account, model)
        job = await self.service.add_job(values, model, account, glossary=glossary)
        return JSONResponse({"document_id": job.id, "document_key": job.secret})

    async def document(self, request: Request) -> Response:
        """Say how far a file is."""
        job = await self._job(request)
        answer: dict[str, Any] = {
            "document_id": job.id,
            "status": _STATUSES.get(job.status, job.status),
        }
        if job.status in ("queued", "translating"):
            answer["seconds_remaining"] = self.service.jobs.seconds_remaining(job)
        elif job.status == "done":
            answer["billed_characters"] = job.size
        else:
            answer["error_message"] = job.message or "the translation was cancelled"
        return JSONResponse(answer)

    async def result(self, request: Request) -> Response:
        """Give a translated file, once."""
        job = await self._job(request)
        if not job.has_ended:
            raise ServiceError(503, "the document is not ready")
        if job.status != "done":
            raise ServiceError(404, job.message or "the translation was cancelled")
        answer = attachment(self.service, job.id)
        assert isinstance(answer, FileResponse)

        async def delete() -> None:
            await run_in_threadpool(self.service.jobs.delete, job)

        answer.background = BackgroundTask(delete)
        return answer

    async def _job(self, request: Request) -> Job:
        """The job that a request is about, if it has its key."""
        values, account = await read(self.service, request)
        job = self.service.jobs.get(request.path_params["job"], account)
        key = values.text("document_key") or ""
        if not hmac.compare_digest(key.encode(), job.secret.encode()):
            raise ServiceError(404, "there is no such document")
        return job

    def _model(self, values: Values, text: str) -> tuple[Model, str]:
        """The model for the languages of a request, and the code of its source language."""
        target, models = values.text("target_lang"), self.service.models
        if not target:
            raise ServiceError(400, "Parameter 'target_lang' not specified.")
        source, name = values.text("source_lang"), values.text("model")
        try:
            if not source:
                into = models.choose(None, target, name).target
                sources = [tag for tag, targets in models.sources.items() if into in targets]
                source = detect(text, sources)[0].language
            model = models.choose(source, target, name)
        except InputError:
            raise ServiceError(
                400, "Value for 'target_lang' or 'source_lang' not supported."
            ) from None
        return model, _code(model.source)

    def _glossary(self, values: Values, account: str, model: Model) -> Glossary | None:
        """The glossary that a request names, for the languages of a model."""
        if values.get("glossary_ids"):
            raise ServiceError(400, "Parameter 'glossary_ids' is not supported, use 'glossary_id'.")
        glossary_id = values.text("glossary_id")
        if glossary_id is None:
            return None
        if not values.text("source_lang"):
            raise ServiceError(400, "Parameter 'source_lang' is needed with a glossary.")
        return self.service.glossaries.terms(account, glossary_id, model.source, model.target)


async def read(service: Service, request: Request) -> tuple[Values, str]:
    """The values of a request, and its account."""
    values = await service.values(request)
    return values, service.account_of(request, values.text("auth_key"))


def _code(tag: str) -> str:
    """A language as a source language of the API."""
    return primary_language(tag).upper()


def _check_formality(values: Values) -> None:
    """Refuse a form of address that cannot be chosen."""
    formality = values.text("formality") or "default"
    if formality != "default" and not formality.startswith("prefer_"):
        raise ServiceError(400, "'formality' is not supported for given 'target_lang'.")


def _ignored_tags(values: Values) -> list[str]:
    """The names of elements whose content is not translated."""
    given = values.get("ignore_tags")
    names = [n for text in (values.texts("ignore_tags") if given else []) for n in text.split(",")]
    return [name.strip() for name in names if re.fullmatch(r"\s*[A-Za-z][\w.:-]*\s*", name)]


_NOT_TRANSLATED = ' translate="no"'


def _protect(text: str, names: list[str]) -> str:
    """A text whose elements of these names say that they are not translated."""
    if not names:
        return text
    pattern = rf"<({'|'.join(map(re.escape, names))})(?=[\s/>])"
    return re.sub(pattern, rf"<\1{_NOT_TRANSLATED}", text)


def _unprotect(text: str) -> str:
    return text.replace(_NOT_TRANSLATED, "")
