"""The glossaries of DeepL's API: a pair of languages each in version 2, several in version 3."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse, Response

from docmt_files.base.languages import primary_language
from docmt_serve.apis.api_routes import ApiRoute, Call
from docmt_serve.apis.deepl import deepl_api
from docmt_serve.apis.deepl_schemas import (
    DeepLDictionary,
    DeepLDictionaryRequest,
    DeepLGlossariesRequest,
    DeepLGlossaryChangeRequest,
    DeepLGlossaryRequest,
    DeepLPairRequest,
    DeepLRequest,
)
from docmt_serve.requests.service_errors import ServiceError
from docmt_serve.service.service import Service
from docmt_serve.stores.glossary_entries import MAX_BYTES, write_entries
from docmt_serve.stores.glossary_store import Dictionary, StoredGlossary

_TSV = "text/tab-separated-values"

_DICTIONARIES = "/v3/glossaries/{id}/dictionaries"

_Object = dict[str, Any]


def routes(service: Service) -> list[ApiRoute]:
    """The routes for glossaries."""
    two, three = _VersionTwo(service), _VersionThree(service)
    route = partial(ApiRoute, deepl_api(service), most_text=3 * MAX_BYTES)
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
    """Operations of both versions."""

    def __init__(self, service: Service) -> None:
        self.service, self.store = service, service.glossaries

    async def all(self, call: Call[DeepLRequest]) -> _Object:
        """List glossaries."""
        stored = self.store.of(call.account)
        return {"glossaries": [self._public(each) for each in stored if self._has(each)]}

    async def show(self, call: Call[DeepLRequest]) -> _Object:
        """Describe a glossary."""
        return self._public(self._glossary(call))

    async def delete(self, call: Call[DeepLRequest]) -> None:
        """Delete a glossary."""
        await run_in_threadpool(self.store.delete, self._glossary(call))

    def _glossary(self, call: Call[Any]) -> StoredGlossary:
        """The glossary of a request."""
        glossary = self.store.get(call.account, call.request.path_params["id"])
        if not self._has(glossary):
            raise ServiceError(404, "Glossary not found")
        return glossary

    async def _add(self, call: Call[Any], dictionaries: Sequence[DeepLDictionary]) -> _Object:
        """Add a glossary with these dictionaries."""

        def add() -> StoredGlossary:
            read = tuple(map(self._dictionary, dictionaries))
            return self.store.add(call.account, call.asked.name, read)

        return self._public(await self.service.run(add))

    def _dictionary(self, asked: DeepLDictionary) -> Dictionary:
        """A dictionary of a request.

        Raises:
            ServiceError: the service has no model of one of its languages, or the entries cannot be
                read.
            InputError: a language is unknown, or two entries have the same term.
        """
        languages, models = (asked.source_lang, asked.target_lang), self.service.models
        known = set(map(primary_language, [*models.sources, *models.targets]))
        if not known.issuperset(map(primary_language, languages)):
            raise ServiceError(400, "Unsupported glossary source and target language pair")
        return Dictionary.read(*languages, asked.entries, asked.entries_format)

    def _has(self, glossary: StoredGlossary) -> bool:
        """Return whether the version of the API has a glossary."""
        del glossary
        return True

    def _public(self, glossary: StoredGlossary) -> _Object:
        """The description of a glossary."""
        return {
            "glossary_id": glossary.id,
            "name": glossary.name,
            "creation_time": glossary.created,
        }


class _VersionTwo(_Glossaries):
    async def language_pairs(self, _: Call[DeepLRequest]) -> _Object:
        """List pairs of languages for glossaries."""
        pairs = {
            (primary_language(source), primary_language(target))
            for source, targets in self.service.models.sources.items()
            for target in targets
        }
        listed = [{"source_lang": s, "target_lang": t} for s, t in sorted(pairs)]
        return {"supported_languages": listed}

    async def add(self, call: Call[DeepLGlossaryRequest]) -> _Object:
        """Add a glossary."""
        return await self._add(call, [call.asked])

    async def entries(self, call: Call[DeepLRequest]) -> Response:
        """Download the entries of a glossary."""
        text = write_entries(self._glossary(call).dictionaries[0].entries)
        return PlainTextResponse(text, media_type=_TSV)

    def _has(self, glossary: StoredGlossary) -> bool:
        return len(glossary.dictionaries) == 1

    def _public(self, glossary: StoredGlossary) -> _Object:
        return super()._public(glossary) | {"ready": True} | _summary(glossary.dictionaries[0])


class _VersionThree(_Glossaries):
    async def add(self, call: Call[DeepLGlossariesRequest]) -> _Object:
        """Add a glossary."""
        return await self._add(call, call.asked.dictionaries)

    async def change(self, call: Call[DeepLGlossaryChangeRequest]) -> _Object:
        """Rename a glossary, and add entries."""
        asked = call.asked

        def change(changed: StoredGlossary) -> StoredGlossary:
            for new in map(self._dictionary, asked.dictionaries):
                changed = changed.with_entries(new)
            return changed.renamed(asked.name) if asked.name else changed

        return self._public(await self._change(call, change))

    async def entries(self, call: Call[DeepLPairRequest]) -> _Object:
        """List the entries for a pair of languages."""
        pair = call.asked.source_lang, call.asked.target_lang
        dictionary = self._glossary(call).dictionary(*pair)
        shown = {
            "source_lang": dictionary.source,
            "target_lang": dictionary.target,
            "entries": write_entries(dictionary.entries),
            "entries_format": "tsv",
        }
        return {"dictionaries": [shown]}

    async def put_dictionary(self, call: Call[DeepLDictionaryRequest]) -> _Object:
        """Replace the entries for a pair of languages."""
        dictionary = await self.service.run(partial(self._dictionary, call.asked))
        await self._change(call, lambda changed: changed.with_dictionary(dictionary))
        return _summary(dictionary)

    async def delete_dictionary(self, call: Call[DeepLPairRequest]) -> None:
        """Delete the entries for a pair of languages."""
        pair = call.asked.source_lang, call.asked.target_lang
        self._glossary(call).dictionary(*pair)
        await self._change(call, lambda changed: changed.without(*pair))

    async def _change(
        self, call: Call[Any], function: Callable[[StoredGlossary], StoredGlossary]
    ) -> StoredGlossary:
        """Change the glossary of a request."""
        glossary = self._glossary(call)
        return await self.service.run(
            partial(self.store.change, call.account, glossary.id, function)
        )

    def _public(self, glossary: StoredGlossary) -> _Object:
        dictionaries = [_summary(each) for each in glossary.dictionaries]
        return super()._public(glossary) | {"dictionaries": dictionaries}


def _summary(dictionary: Dictionary) -> _Object:
    return {
        "source_lang": dictionary.source,
        "target_lang": dictionary.target,
        "entry_count": len(dictionary.entries),
    }
