"""The glossaries of DeepL's API: one pair of languages each in version 2, several in version 3."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from docmt.serving.api_routes import ApiRoute
from docmt.serving.deepl import deepl_api
from docmt.serving.deepl_schemas import (
    DeepLDictionary,
    DeepLDictionaryRequest,
    DeepLGlossariesRequest,
    DeepLGlossaryChangeRequest,
    DeepLGlossaryRequest,
    DeepLPairRequest,
    DeepLRequest,
)
from docmt.serving.glossary_entries import MAX_BYTES, write_entries
from docmt.serving.glossary_store import Dictionary, StoredGlossary
from docmt.serving.service import Service
from docmt.serving.service_errors import ServiceError
from docmt.text.languages import primary_language

_TSV = "text/tab-separated-values"

_DICTIONARIES = "/v3/glossaries/{id}/dictionaries"

_Object = dict[str, Any]


def routes(service: Service) -> list[ApiRoute]:
    """The routes for glossaries."""
    two, three = _VersionTwo(service), _VersionThree(service)
    route = partial(ApiRoute, deepl_api(service), body_limit=8 * MAX_BYTES)
    told = partial(route, answers=_Object)
    plain, pair, dictionary = DeepLRequest, DeepLPairRequest, DeepLDictionaryRequest
    get, post, delete = ["GET"], ["POST"], ["DELETE"]
    return [
        told(get, "/v2/glossary-language-pairs", two.language_pairs, asks=plain),
        told(post, "/v2/glossaries", two.add, asks=DeepLGlossaryRequest, status=201),
        told(get, "/v2/glossaries", two.all, asks=plain),
        told(get, "/v2/glossaries/{id}", two.show, asks=plain),
        route(delete, "/v2/glossaries/{id}", two.delete, asks=plain, status=204),
        route(get, "/v2/glossaries/{id}/entries", two.entries, asks=plain, media_type=_TSV),
        told(post, "/v3/glossaries", three.add, asks=DeepLGlossariesRequest, status=201),
        told(get, "/v3/glossaries", three.all, asks=plain),
        told(get, "/v3/glossaries/{id}", three.show, asks=plain),
        told(["PATCH"], "/v3/glossaries/{id}", three.change, asks=DeepLGlossaryChangeRequest),
        route(delete, "/v3/glossaries/{id}", three.delete, asks=plain, status=204),
        told(get, "/v3/glossaries/{id}/entries", three.entries, asks=pair),
        told(["PUT"], _DICTIONARIES, three.put_dictionary, asks=dictionary),
        route(delete, _DICTIONARIES, three.delete_dictionary, asks=pair, status=204),
    ]


class _Glossaries:
    """The operations that both versions share."""

    def __init__(self, service: Service) -> None:
        self.service, self.store = service, service.glossaries

    def _glossary(self, request: Request, account: str) -> StoredGlossary:
        """The glossary of a request."""
        return self.store.get(account, request.path_params["id"])

    async def delete(self, request: Request, _: DeepLRequest, account: str) -> None:
        """Delete a glossary."""
        await run_in_threadpool(self.store.delete, self._glossary(request, account))


class _VersionTwo(_Glossaries):
    async def language_pairs(self, _: Request, __: DeepLRequest, ___: str) -> _Object:
        """List pairs of languages for glossaries."""
        pairs = {
            (primary_language(source), primary_language(target))
            for source, targets in self.service.models.sources.items()
            for target in targets
        }
        listed = [{"source_lang": s, "target_lang": t} for s, t in sorted(pairs)]
        return {"supported_languages": listed}

    async def add(self, _: Request, asked: DeepLGlossaryRequest, account: str) -> _Object:
        """Add a glossary."""

        def add() -> StoredGlossary:
            return self.store.add(account, asked.name, (_dictionary(asked),))

        return self._public(await run_in_threadpool(add))

    async def all(self, _: Request, __: DeepLRequest, account: str) -> _Object:
        """List glossaries."""
        stored = self.store.of(account)
        return {
            "glossaries": [self._public(each) for each in stored if len(each.dictionaries) == 1]
        }

    async def show(self, request: Request, _: DeepLRequest, account: str) -> _Object:
        """Describe a glossary."""
        return self._public(self._one(request, account))

    async def entries(self, request: Request, _: DeepLRequest, account: str) -> Response:
        """Download the entries of a glossary."""
        text = write_entries(self._one(request, account).dictionaries[0].entries)
        return PlainTextResponse(text, media_type=_TSV)

    def _one(self, request: Request, account: str) -> StoredGlossary:
        """The glossary of a request, if it has one pair of languages."""
        glossary = self._glossary(request, account)
        if len(glossary.dictionaries) != 1:
            raise ServiceError(404, "Glossary not found")
        return glossary

    def _public(self, glossary: StoredGlossary) -> _Object:
        (dictionary,) = glossary.dictionaries
        return {
            "glossary_id": glossary.id,
            "ready": True,
            "name": glossary.name,
            "creation_time": glossary.created,
            **_summary(dictionary),
        }


class _VersionThree(_Glossaries):
    async def add(self, _: Request, asked: DeepLGlossariesRequest, account: str) -> _Object:
        """Add a glossary."""

        def add() -> StoredGlossary:
            return self.store.add(account, asked.name, tuple(map(_dictionary, asked.dictionaries)))

        return self._public(await run_in_threadpool(add))

    async def all(self, _: Request, __: DeepLRequest, account: str) -> _Object:
        """List glossaries."""
        return {"glossaries": [self._public(each) for each in self.store.of(account)]}

    async def show(self, request: Request, _: DeepLRequest, account: str) -> _Object:
        """Describe a glossary."""
        return self._public(self._glossary(request, account))

    async def change(
        self, request: Request, asked: DeepLGlossaryChangeRequest, account: str
    ) -> _Object:
        """Rename a glossary, and add entries."""

        def change(changed: StoredGlossary) -> StoredGlossary:
            for new in map(_dictionary, asked.dictionaries):
                changed = changed.with_entries(new)
            return changed.renamed(asked.name) if asked.name else changed

        return self._public(await self._change(request, account, change))

    async def entries(self, request: Request, asked: DeepLPairRequest, account: str) -> _Object:
        """List the entries for a pair of languages."""
        glossary = self._glossary(request, account)
        dictionary = glossary.dictionary(asked.source_lang, asked.target_lang)
        shown = {
            "source_lang": dictionary.source,
            "target_lang": dictionary.target,
            "entries": write_entries(dictionary.entries),
            "entries_format": "tsv",
        }
        return {"dictionaries": [shown]}

    async def put_dictionary(
        self, request: Request, asked: DeepLDictionaryRequest, account: str
    ) -> _Object:
        """Replace the entries for a pair of languages."""
        dictionary = await run_in_threadpool(_dictionary, asked)
        await self._change(request, account, lambda changed: changed.with_dictionary(dictionary))
        return _summary(dictionary)

    async def delete_dictionary(
        self, request: Request, asked: DeepLPairRequest, account: str
    ) -> None:
        """Delete the entries for a pair of languages."""
        pair = asked.source_lang, asked.target_lang
        self._glossary(request, account).dictionary(*pair)
        await self._change(request, account, lambda changed: changed.without(*pair))

    async def _change(
        self, request: Request, account: str, function: Callable[[StoredGlossary], StoredGlossary]
    ) -> StoredGlossary:
        """Change the glossary of a request."""
        glossary_id = request.path_params["id"]
        return await run_in_threadpool(self.store.change, account, glossary_id, function)

    def _public(self, glossary: StoredGlossary) -> _Object:
        return {
            "glossary_id": glossary.id,
            "name": glossary.name,
            "dictionaries": [_summary(each) for each in glossary.dictionaries],
            "creation_time": glossary.created,
        }


def _dictionary(asked: DeepLDictionary) -> Dictionary:
    return Dictionary.read(
        asked.source_lang, asked.target_lang, asked.entries, asked.entries_format
    )


def _summary(dictionary: Dictionary) -> _Object:
    return {
        "source_lang": dictionary.source,
        "target_lang": dictionary.target,
        "entry_count": len(dictionary.entries),
    }
