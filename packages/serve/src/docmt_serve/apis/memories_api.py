"""Translation memories: those of DeepL's API, and docmt's own routes to add, read and delete.

GET /memories              the memories of the account
POST /memories             file, source, target, name → the memory
GET /memories/ID           the memory as TMX
DELETE /memories/ID        delete the memory
"""

from __future__ import annotations

import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from docmt.memory.tmx_units import write_tmx
from docmt.translating.memory_files import units_of_file
from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language
from docmt_serve.apis.api_routes import Answer, Api, ApiRoute, Call
from docmt_serve.apis.deepl import deepl_api
from docmt_serve.apis.deepl_schemas import DeepLRequest
from docmt_serve.apis.libretranslate_schemas import LibreTranslateRequest
from docmt_serve.requests.identifiers import safe_name
from docmt_serve.requests.request_models import FileRequest, Text
from docmt_serve.requests.service_errors import ServiceError
from docmt_serve.service.service import Service
from docmt_serve.stores.memory_store import StoredMemory

_TMX = "application/x-tmx+xml"

_CHUNK = 1 << 20

_Object = dict[str, Any]


class DeepLMemoriesRequest(DeepLRequest):
    """A page of the list of memories."""

    page: Annotated[int, Field(ge=0)] = 0
    """Number of the page, from 0."""

    page_size: Annotated[int, Field(ge=1, le=25)] = 10
    """Maximum number of memories."""


class MemoryRequest(FileRequest, LibreTranslateRequest):
    """A file with both languages, as a memory."""

    missing: ClassVar[str] = "Invalid request: missing {name}"

    source: Text
    """Source language."""

    target: Text
    """Target language."""

    name: Text = ""
    """Name for people. Default: name of the file."""


class MemoryAnswer(Answer):
    """A memory."""

    id: str
    """Id of the memory."""

    name: str
    """Name for people."""

    source: str
    """Source language."""

    target: str
    """Target language."""

    units: int
    """Number of translations."""

    message: str = ""
    """Notes for the user, a line each."""


def routes(service: Service) -> list[ApiRoute]:
    """The routes for memories."""
    own, api, asks = _Memories(service), Api("memories", service), LibreTranslateRequest
    route, path = partial(ApiRoute, api), "/memories/{id}"
    deepl, listed = partial(ApiRoute, deepl_api(service)), "/v3/translation_memories"
    one, get = f"{listed}/{{id}}", ["GET"]
    return [
        deepl(get, listed, own.all, asks=DeepLMemoriesRequest, answers=_Object),
        deepl(get, one, own.show, asks=DeepLRequest, answers=_Object),
        deepl(["DELETE"], one, own.delete, asks=DeepLRequest, status=204),
        route(get, "/memories", own.listed, asks=asks, answers=list[MemoryAnswer]),
        route(["POST"], "/memories", own.add, asks=MemoryRequest, answers=MemoryAnswer, status=201),
        route(["GET"], path, own.read, asks=asks, media_type=_TMX),
        route(["DELETE"], path, own.delete, asks=asks, status=204),
    ]


class _Memories:
    def __init__(self, service: Service) -> None:
        self.service, self.store = service, service.memories

    async def all(self, call: Call[DeepLMemoriesRequest]) -> _Object:
        """List translation memories."""
        asked, own = call.asked, self.store.of(call.account)
        first = asked.page * asked.page_size
        shown = own[first : first + asked.page_size]
        memories = await run_in_threadpool(lambda: [self._public(memory) for memory in shown])
        return {"translation_memories": memories, "total_count": len(own)}

    async def listed(self, call: Call[LibreTranslateRequest]) -> list[MemoryAnswer]:
        """List the translation memories of the account."""
        own = self.store.of(call.account)
        return await run_in_threadpool(lambda: [self._answer(memory) for memory in own])

    async def show(self, call: Call[DeepLRequest]) -> _Object:
        """Describe a translation memory."""
        return await run_in_threadpool(self._public, self._memory(call))

    async def add(self, call: Call[MemoryRequest]) -> MemoryAnswer:
        """Add a translation memory from a file with both languages."""
        return await self.service.run(partial(self._add, call))

    def _add(self, call: Call[MemoryRequest]) -> MemoryAnswer:
        asked, notes = call.asked, list[str]()
        name = safe_name(asked.filename or asked.file.filename)
        try:
            with tempfile.TemporaryDirectory(dir=self.store.folder) as folder:
                path = Path(folder) / name
                with path.open("wb") as out:
                    shutil.copyfileobj(asked.file.file, out, _CHUNK)
                languages = asked.source, asked.target
                units = units_of_file(path, languages, notes.append)
                try:
                    stored = self.store.add(call.account, asked.name or name, languages, units)
                except InputError as error:
                    raise ServiceError(400, str(error).replace(f"{folder}/", "")) from None
        finally:
            asked.file.held.release()
        message = "\n".join(notes).replace(f"{folder}/", "")
        return self._answer(stored, message)

    def _answer(self, stored: StoredMemory, message: str = "") -> MemoryAnswer:
        """The description of a memory."""
        return MemoryAnswer(
            id=stored.id,
            name=stored.name,
            source=stored.source,
            target=stored.target,
            units=self._count(stored),
            message=message,
        )

    async def read(self, call: Call[LibreTranslateRequest]) -> Response:
        """Download a translation memory as TMX."""
        stored = self._memory(call)
        memory = await run_in_threadpool(self.store.opened, stored)
        lines = write_tmx(memory.units(), *stored.languages)
        headers = {
            "Content-Disposition": f'attachment; filename="{stored.id}.tmx"',
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
        }
        return StreamingResponse(lines, media_type=_TMX, headers=headers)

    async def delete(self, call: Call[Any]) -> None:
        """Delete a translation memory."""
        await run_in_threadpool(self.store.delete, self._memory(call))

    def _memory(self, call: Call[Any]) -> StoredMemory:
        """The memory of a request."""
        return self.store.get(call.account, call.request.path_params["id"])

    def _public(self, memory: StoredMemory) -> _Object:
        """The description of a memory, as DeepL's API has it."""
        return {
            "translation_memory_id": memory.id,
            "name": memory.name,
            "source_language": primary_language(memory.source),
            "target_languages": [memory.target.lower()],
            "segment_count": self._count(memory),
        }

    def _count(self, memory: StoredMemory) -> int:
        """The number of translations of a memory."""
        with self.store.opened(memory) as opened:
            return len(opened)
