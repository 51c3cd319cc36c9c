"""DeepL's API as its clients use it: texts, files, languages and usage. `deepl_glossaries` has the
glossaries.

Options about formatting have no effect, as layout stays. Unsupported options are errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from docmt.memory import MatchPenalties
from docmt.translating.texts import TextRequest
from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language
from docmt_nmt.text.language_detection import language_name, regional_name
from docmt_nmt.translators.glossary import Glossary
from docmt_serve.apis.api_routes import FILE, Api, ApiRoute, Call
from docmt_serve.apis.deepl_schemas import (
    DeepLFileRequest,
    DeepLLanguagesRequest,
    DeepLRequest,
    DeepLResourceRequest,
    DeepLStatusRequest,
    DeepLTextsRequest,
    DeepLTranslationRequest,
    has_forms_of_address,
)
from docmt_serve.apis.libretranslate import attachment
from docmt_serve.apis.libretranslate_schemas import SentenceAnswer
from docmt_serve.jobs.job import Job, JobStatus
from docmt_serve.models.detection import detect_each
from docmt_serve.models.models import Model
from docmt_serve.requests.identifiers import new_secret
from docmt_serve.requests.service_errors import ServiceError
from docmt_serve.service.service import Service
from docmt_serve.stores.memory_store import MemoryUse

_UNLIMITED = 1_000_000_000_000
"""Limit of the API for an account without a limit."""

_UNKNOWN_SECONDS = 60
"""Estimate for a file without a translated sentence."""

_STATUSES: dict[JobStatus, str] = {"cancelled": "error"}
"""Status of a job in the API, where it differs."""

_TARGETS = {"en": ("EN-GB", "EN-US"), "pt": ("PT-PT", "PT-BR")}
"""Target languages that the API lists only by region."""

_Object = dict[str, Any]
_List = list[_Object]


def deepl_api(service: Service) -> Api:
    """The API of a service."""
    return Api("deepl", service, lambda _, message: {"message": message})


def routes(service: Service) -> list[ApiRoute]:
    """The routes for texts, files, languages and usage."""
    own, route = _DeepL(service), partial(ApiRoute, deepl_api(service))
    both, post = ["GET", "POST"], ["POST"]
    languages, status = DeepLLanguagesRequest, DeepLStatusRequest
    return [
        route(post, "/v2/translate", own.translate, asks=DeepLTextsRequest, answers=_Object),
        route(both, "/v2/languages", own.languages, asks=languages, answers=list[_Object]),
        route(["GET"], "/v3/languages", own.languages_of, asks=DeepLResourceRequest, answers=_List),
        route(both, "/v2/usage", own.usage, asks=DeepLRequest, answers=_Object),
        route(post, "/v2/document", own.add_document, asks=DeepLFileRequest, answers=_Object),
        route(post, "/v2/document/{job}", own.document, asks=status, answers=_Object),
        route(post, "/v2/document/{job}/result", own.result, asks=status, media_type=FILE),
    ]


class _DeepL:
    def __init__(self, service: Service) -> None:
        self.service = service

    async def translate(self, call: Call[DeepLTextsRequest]) -> _Object:
        """Translate texts."""
        asked = call.asked
        wanted = TextRequest(
            asked.text,
            "text" if asked.tag_handling == "text" else "html",
            document=asked.document,
            context=asked.context,
            ignored=asked.ignored_tags,
            splitting=asked.splitting,
        )
        self.service.check_length(wanted)
        models = await run_in_threadpool(self._models, asked, asked.text, together=asked.document)
        glossary = await self.service.run(partial(self._glossary, call, models[0]))
        formality = await run_in_threadpool(asked.formality_by, models[0].translator)
        instructions = self._instructions(call, models)
        wanted = replace(wanted, glossary=glossary, instructions=instructions, formality=formality)
        memory, *_ = [self._memory(call, model) for model in dict.fromkeys(models)]
        translated = await self.service.translate(
            call.request, models, wanted, call.account, memory
        )
        call.tell_warnings(translated)
        translations: list[_Object] = []
        for text, model, each in zip(asked.text, models, translated, strict=True):
            translation: _Object = {
                "detected_source_language": _code(model.source),
                "text": each.text,
                "billed_characters": len(text),
            }
            if asked.model_type is not None:
                translation["model_type_used"] = "quality_optimized"
            if asked.sentences:
                translation["sentences"] = SentenceAnswer.all(each.sentences)
            translations.append(translation)
        return {"translations": translations}

    async def languages(self, call: Call[DeepLLanguagesRequest]) -> list[_Object]:
        """List source or target languages."""
        models = self.service.models
        if call.asked.type == "source":
            codes = dict.fromkeys(map(_code, models.sources))
            return [{"language": code, "name": language_name(code)} for code in codes]
        followed = {t for m in models if m.follows_instructions for t in m.language_set.targets}
        codes = {code: tag in followed for tag in models.targets for code in _target_codes(tag)}
        return [
            {
                "language": code,
                "name": regional_name(code),
                "supports_formality": is_followed and has_forms_of_address(code),
            }
            for code, is_followed in codes.items()
        ]

    async def languages_of(self, call: Call[DeepLResourceRequest]) -> _List:
        """List the languages of a resource, with what is supported for each."""
        del call
        models = self.service.models
        followed = {t for m in models if m.follows_instructions for t in m.language_set.targets}
        found: _List = []
        for tag in dict.fromkeys([*models.sources, *models.targets]):
            features = ["glossary", "tag_handling"]
            features += ["formality"] * (tag in followed and has_forms_of_address(tag))
            codes = [tag] if tag in models.sources else []
            codes += [_regional_tag(code) for code in _target_codes(tag) if tag in models.targets]
            for code in dict.fromkeys(codes):
                is_target = code != tag or tag.lower() not in _TARGETS
                found.append(
                    {
                        "lang": code,
                        "name": regional_name(code),
                        "status": "stable",
                        "usable_as_source": tag in models.sources and code == tag,
                        "usable_as_target": tag in models.targets and is_target,
                        "features": {name: {"status": "stable"} for name in features},
                    }
                )
        return found

    async def usage(self, call: Call[DeepLRequest]) -> _Object:
        """Count the characters of the month."""
        used, most = self.service.keys.usage(call.account)
        limit = _UNLIMITED if most is None else most
        return {"character_count": used, "character_limit": limit}

    async def add_document(self, call: Call[DeepLFileRequest]) -> _Object:
        """Start the translation of a file."""
        asked = call.asked
        name, wanted = asked.filename or asked.file.filename or "", asked.output_format
        if wanted and not name.lower().endswith(f".{wanted.lower()}"):
            raise ServiceError(400, "Value for 'output_format' not supported.")
        (model,) = self._models(asked, ("",))
        await self.service.run(partial(self._glossary, call, model))
        self._memory(call, model)
        translator = await run_in_threadpool(lambda: model.translator)
        formality = asked.formality_by(translator)
        job = await self.service.add_job(
            asked,
            model,
            call.account,
            glossary=",".join(asked.glossaries) or None,
            memory=asked.translation_memory_id,
            memory_threshold=asked.translation_memory_threshold,
            memory_penalties=asked.translation_memory_penalties,
            instructions=self._instructions(call, [model]),
            formality=formality,
            api="document",
            secret=new_secret(),
            into="" if asked.source_lang or asked.model else asked.target_lang,
        )
        return {"document_id": job.id, "document_key": job.secret}

    async def document(self, call: Call[DeepLStatusRequest]) -> _Object:
        """Describe the progress of a file."""
        job = self._job(call)
        answer: _Object = {"document_id": job.id, "status": _STATUSES.get(job.status, job.status)}
        if job.status in ("queued", "translating"):
            answer["seconds_remaining"] = job.seconds_left or _UNKNOWN_SECONDS
        elif job.status == "done":
            answer["billed_characters"] = job.size
        else:
            answer["error_message"] = job.message or "the translation was cancelled"
        return answer

    async def result(self, call: Call[DeepLStatusRequest]) -> Response:
        """Download a translated file, once."""
        job = self._job(call)
        if not job.has_ended:
            raise ServiceError(503, "the document is not ready")
        if job.status != "done":
            raise ServiceError(404, job.message or "the translation was cancelled")
        answer = attachment(self.service, job)
        answer.background = BackgroundTask(self.service.jobs.delete, job)
        return answer

    def _job(self, call: Call[DeepLStatusRequest]) -> Job:
        """The job of a request, which needs the key of the job."""
        job_id, key = call.request.path_params["job"], call.asked.document_key
        return self.service.jobs.get("document", job_id, call.account, key)

    def _models(
        self, asked: DeepLTranslationRequest, texts: Sequence[str], *, together: bool = False
    ) -> list[Model]:
        """The model of each text, by the languages of the request."""
        source, target, name = asked.source_lang, asked.target_lang, asked.model
        try:
            if source:
                return [self.service.models.choose(source, target, name)] * len(texts)
            detected = detect_each(self.service.models, texts, target, name, together=together)
            return [self.service.models.choose(each.language, target, name) for each in detected]
        except InputError:
            raise ServiceError(
                400, "Value for 'target_lang' or 'source_lang' not supported."
            ) from None

    def _glossary(self, call: Call[Any], model: Model) -> Glossary | None:
        """The glossary of a request for a translation, for the languages of the model."""
        ids, languages = call.asked.glossaries, (model.source, model.target)
        return self.service.glossaries.terms(call.account, ids, *languages) if ids else None

    def _instructions(self, call: Call[Any], models: Sequence[Model]) -> str:
        """The instructions and style rules of a request, a line each."""
        asked: DeepLTranslationRequest = call.asked
        if asked.style_id is None:
            return asked.instructions("")
        style = self.service.styles.get(call.account, asked.style_id)
        return asked.instructions(style.text([m.source for m in models], models[0].target))

    def _memory(self, call: Call[Any], model: Model) -> MemoryUse | None:
        """The translation memory of a request, for the languages of a model."""
        asked: DeepLTranslationRequest = call.asked
        penalties = MatchPenalties.parse(asked.translation_memory_penalties)
        if asked.translation_memory_id is None:
            return None
        languages, rate = (model.source, model.target), asked.translation_memory_threshold / 100
        store = self.service.memories
        return store.use(call.account, asked.translation_memory_id, languages, rate, penalties)


def _regional_tag(code: str) -> str:
    """A code of the API as a tag: the language in lower case."""
    language, *others = code.split("-")
    return "-".join([language.lower(), *(o.title() if len(o) == 4 else o for o in others)])


def _target_codes(tag: str) -> tuple[str, ...]:
    """The codes of a target language; of English and Portuguese, one a region."""
    return _TARGETS.get(tag.lower(), (tag.upper(),))


def _code(tag: str) -> str:
    return primary_language(tag).upper()
