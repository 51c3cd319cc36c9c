"""The glossaries of DeepL's API: version 2, with one pair of languages each, and version 3, with
several."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from docmt.ground.languages import primary_language
from docmt.serving.deepl import answering_deepl_errors, read
from docmt.serving.glossary_entries import MAX_BYTES, write_entries
from docmt.serving.glossary_store import Dictionary, StoredGlossary, dictionary_of
from docmt.serving.request_values import Values
from docmt.serving.service import Service
from docmt.serving.service_errors import ServiceError


def routes(service: Service) -> list[Route]:
    """The routes of the glossaries.

    Args:
        service: answers.
    """
    two, three = _VersionTwo(service), _VersionThree(service)
    most = 8 * MAX_BYTES

    def route(path: str, endpoint: Callable[[Request], Awaitable[Response]], method: str) -> Route:
        return Route(path, answering_deepl_errors(endpoint), methods=[method], max_body_size=most)

    return [
        route("/v2/glossary-language-pairs", two.language_pairs, "GET"),
        route("/v2/glossaries", two.add, "POST"),
        route("/v2/glossaries", two.all, "GET"),
        route("/v2/glossaries/{id}", two.show, "GET"),
        route("/v2/glossaries/{id}", two.delete, "DELETE"),
        route("/v2/glossaries/{id}/entries", two.entries, "GET"),
        route("/v3/glossaries", three.add, "POST"),
        route("/v3/glossaries", three.all, "GET"),
        route("/v3/glossaries/{id}", three.show, "GET"),
        route("/v3/glossaries/{id}", three.change, "PATCH"),
        route("/v3/glossaries/{id}", three.delete, "DELETE"),
        route("/v3/glossaries/{id}/entries", three.entries, "GET"),
        route("/v3/glossaries/{id}/dictionaries", three.put_dictionary, "PUT"),
        route("/v3/glossaries/{id}/dictionaries", three.delete_dictionary, "DELETE"),
    ]


class _Glossaries:
    """What both versions share."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def _glossary(self, request: Request) -> tuple[Values, StoredGlossary]:
        """The values of a request, and the glossary that it is about."""
        values, account = await read(self.service, request)
        return values, self.service.glossaries.get(account, request.path_params["id"])

    async def delete(self, request: Request) -> Response:
        """Delete a glossary."""
        _, glossary = await self._glossary(request)
        await run_in_threadpool(self.service.glossaries.delete, glossary)
        return Response(status_code=204)


class _VersionTwo(_Glossaries):
    async def language_pairs(self, request: Request) -> Response:
        """List pairs of languages that a glossary can have."""
        await read(self.service, request)
        pairs = {
            (primary_language(source), primary_language(target))
            for source, targets in self.service.models.sources.items()
            for target in targets
        }
        listed = [{"source_lang": s, "target_lang": t} for s, t in sorted(pairs)]
        return JSONResponse({"supported_languages": listed})

    async def add(self, request: Request) -> Response:
        """Add a glossary."""
        values, account = await read(self.service, request)
        name = values.text("name") or ""

        def add() -> StoredGlossary:
            return self.service.glossaries.add(account, name, (dictionary_of(values, "tsv"),))

        return JSONResponse(self._public(await run_in_threadpool(add)), 201)

    async def all(self, request: Request) -> Response:
        """List glossaries."""
        _, account = await read(self.service, request)
        stored = self.service.glossaries.of(account)
        listed = [self._public(each) for each in stored if len(each.dictionaries) == 1]
        return JSONResponse({"glossaries": listed})

    async def show(self, request: Request) -> Response:
        """Describe a glossary."""
        return JSONResponse(self._public(await self._one(request)))

    async def entries(self, request: Request) -> Response:
        """Give the entries of a glossary."""
        glossary = await self._one(request)
        text = write_entries(glossary.dictionaries[0].entries)
        return PlainTextResponse(text, media_type="text/tab-separated-values")

    async def _one(self, request: Request) -> StoredGlossary:
        """The glossary of a request, which has one pair of languages."""
        _, glossary = await self._glossary(request)
        if len(glossary.dictionaries) != 1:
            raise ServiceError(404, "Glossary not found")
        return glossary

    def _public(self, glossary: StoredGlossary) -> dict[str, Any]:
        (dictionary,) = glossary.dictionaries
        return {
            "glossary_id": glossary.id,
            "ready": True,
            "name": glossary.name,
            "creation_time": glossary.created,
            **_summary(dictionary),
        }


class _VersionThree(_Glossaries):
    async def add(self, request: Request) -> Response:
        """Add a glossary."""
        values, account = await read(self.service, request)
        name, given = values.text("name") or "", _dictionaries(values)

        def add() -> StoredGlossary:
            return self.service.glossaries.add(account, name, tuple(map(dictionary_of, given)))

        return JSONResponse(self._public(await run_in_threadpool(add)), 201)

    async def all(self, request: Request) -> Response:
        """List glossaries."""
        _, account = await read(self.service, request)
        listed = [self._public(each) for each in self.service.glossaries.of(account)]
        return JSONResponse({"glossaries": listed})

    async def show(self, request: Request) -> Response:
        """Describe a glossary."""
        _, glossary = await self._glossary(request)
        return JSONResponse(self._public(glossary))

    async def change(self, request: Request) -> Response:
        """Rename a glossary, and add entries to its dictionaries."""
        values, glossary = await self._glossary(request)
        name, given = values.text("name"), _dictionaries(values)

        def change(changed: StoredGlossary) -> StoredGlossary:
            for new in map(dictionary_of, given):
                changed = changed.with_entries(new)
            return changed.renamed(name) if name else changed

        return JSONResponse(self._public(await self._change(glossary, change)))

    async def entries(self, request: Request) -> Response:
        """Give the entries of a glossary."""
        values, glossary = await self._glossary(request)
        dictionary = glossary.dictionary(*_pair(values))
        entries = {"entries": write_entries(dictionary.entries), "entries_format": "tsv"}
        shown = {k: v for k, v in _summary(dictionary).items() if k != "entry_count"}
        return JSONResponse({"dictionaries": [shown | entries]})

    async def put_dictionary(self, request: Request) -> Response:
        """Replace the dictionary of a pair of languages."""
        values, glossary = await self._glossary(request)
        dictionary = await run_in_threadpool(dictionary_of, values)
        await self._change(glossary, lambda changed: changed.with_dictionary(dictionary))
        return JSONResponse(_summary(dictionary))

    async def delete_dictionary(self, request: Request) -> Response:
        """Delete the dictionary of a pair of languages."""
        values, glossary = await self._glossary(request)
        pair = _pair(values)
        glossary.dictionary(*pair)
        await self._change(glossary, lambda changed: changed.without(*pair))
        return Response(status_code=204)

    async def _change(
        self, glossary: StoredGlossary, function: Callable[[StoredGlossary], StoredGlossary]
    ) -> StoredGlossary:
        """Change a stored glossary."""
        change = self.service.glossaries.change
        return await run_in_threadpool(change, glossary.account, glossary.id, function)

    def _public(self, glossary: StoredGlossary) -> dict[str, Any]:
        return {
            "glossary_id": glossary.id,
            "name": glossary.name,
            "dictionaries": [_summary(each) for each in glossary.dictionaries],
            "creation_time": glossary.created,
        }


def _dictionaries(values: Values) -> list[dict[str, Any]]:
    """The dictionaries of a request: a list, or values such as `dictionaries[0].source_lang` of a
    form."""
    given = values.get("dictionaries") or []
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise ServiceError(400, "dictionaries must be a list of objects")
    in_form: dict[str, dict[str, Any]] = {}
    for name in values:
        if match := re.fullmatch(r"dictionaries\[(\d{1,9})\]\.(\w+)", name, re.ASCII):
            in_form.setdefault(match[1], {})[match[2]] = values[name]
    return [*given, *in_form.values()]


def _pair(values: Values) -> tuple[str, str]:
    """The languages that a request names."""
    source, target = values.text("source_lang"), values.text("target_lang")
    if not source or not target:
        raise ServiceError(400, "source_lang and target_lang are needed")
    return source, target


def _summary(dictionary: Dictionary) -> dict[str, Any]:
    return {
        "source_lang": dictionary.source,
        "target_lang": dictionary.target,
        "entry_count": len(dictionary.entries),
    }
