"""The style rules of DeepL's API. A language model reads them with a request that names them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

from pydantic import FailFast, Field, model_validator
from starlette.concurrency import run_in_threadpool

from docmt_files.base.languages import primary_language
from docmt_serve.apis.api_routes import ApiRoute, Call
from docmt_serve.apis.deepl import deepl_api
from docmt_serve.apis.deepl_schemas import DeepLRequest
from docmt_serve.requests.identifiers import new_id
from docmt_serve.requests.request_models import Flag, RequestModel, Text
from docmt_serve.requests.service_errors import ServiceError
from docmt_serve.service.service import Service
from docmt_serve.stores.account_store import check_name, now
from docmt_serve.stores.style_store import Instruction, StoredStyle

_ONE = "/v3/style_rules/{id}"

_INSTRUCTION = _ONE + "/custom_instructions/{instruction}"

_MOST_INSTRUCTIONS = 200
"""Maximum number of instructions of a list, as published."""

_Object = dict[str, Any]

_Name = Annotated[str, Field(max_length=200)]

_Rules = Annotated[
    dict[_Name, Annotated[dict[_Name, _Name], Field(max_length=100)]], Field(max_length=20)
]
"""Choices by the name of a rule, by the name of a group of rules."""


class StyleInstruction(RequestModel):
    """An instruction in words."""

    label: Text

    prompt: Annotated[Text, Field(max_length=300)]

    source_language: Text | None = None
    """The only source language it is for. Default: any."""

    def stored(self, instruction_id: str) -> Instruction:
        """The instruction with an id."""
        return Instruction(instruction_id, self.label, self.prompt, self.source_language)


class StyleInstructionRequest(StyleInstruction, DeepLRequest):
    """An instruction for a list of rules."""


class StyleRequest(DeepLRequest):
    """A list of style rules."""

    name: Text

    language: Text
    """The target language."""

    configured_rules: _Rules = Field(default_factory=dict)

    custom_instructions: Annotated[
        tuple[StyleInstruction, ...], FailFast(), Field(max_length=_MOST_INSTRUCTIONS)
    ] = ()


class StyleNameRequest(DeepLRequest):
    """A new name for a list of style rules."""

    name: Text


class StyleListRequest(DeepLRequest):
    """A question about all lists."""

    page: Annotated[int, Field(ge=0)] = 0

    page_size: Annotated[int, Field(ge=1, le=25)] = 10

    detailed: Flag = False
    """List the rules and instructions as well."""


class StyleRulesRequest(DeepLRequest):
    """All rules by name; the groups of rules are the names of the request."""

    rules: _Rules = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, values: _Object) -> _Object:
        own = {name: value for name, value in values.items() if name in DeepLRequest.model_fields}
        return own | {"rules": {k: v for k, v in values.items() if k not in own}}


def routes(service: Service) -> list[ApiRoute]:
    """The routes for style rules."""
    own, route = _Styles(service), partial(ApiRoute, deepl_api(service))
    told, plain = partial(route, answers=_Object), DeepLRequest
    get, put, post, delete = ["GET"], ["PUT"], ["POST"], ["DELETE"]
    new, more = "/v3/style_rules", f"{_ONE}/custom_instructions"
    return [
        told(get, new, own.all, asks=StyleListRequest),
        told(post, new, own.add, asks=StyleRequest, status=201),
        told(get, _ONE, own.show, asks=plain),
        told(["PATCH"], _ONE, own.rename, asks=StyleNameRequest),
        route(delete, _ONE, own.delete, asks=plain, status=204),
        told(put, f"{_ONE}/configured_rules", own.put_rules, asks=StyleRulesRequest),
        told(post, more, own.add_instruction, asks=StyleInstructionRequest, status=201),
        told(get, _INSTRUCTION, own.show_instruction, asks=plain),
        told(put, _INSTRUCTION, own.put_instruction, asks=StyleInstructionRequest),
        route(delete, _INSTRUCTION, own.delete_instruction, asks=plain, status=204),
    ]


class _Styles:
    def __init__(self, service: Service) -> None:
        self.service, self.store = service, service.styles

    async def all(self, call: Call[StyleListRequest]) -> _Object:
        """List style rules."""
        asked, stored = call.asked, self.store.of(call.account)
        first = asked.page * asked.page_size
        shown = stored[first : first + asked.page_size]
        return {"style_rules": [_public(each, detailed=asked.detailed) for each in shown]}

    async def add(self, call: Call[StyleRequest]) -> _Object:
        """Add a list of style rules."""
        asked, time = call.asked, now()
        style = StoredStyle(
            new_id(),
            call.account,
            check_name(asked.name),
            primary_language(asked.language),
            time,
            time,
            rules=asked.configured_rules,
            instructions=tuple(each.stored(new_id()) for each in asked.custom_instructions),
        )
        return _public(await self.service.run(partial(self.store.put, style)))

    async def show(self, call: Call[DeepLRequest]) -> _Object:
        """Describe a list of style rules."""
        return _public(self._style(call))

    async def rename(self, call: Call[StyleNameRequest]) -> _Object:
        """Rename a list of style rules."""
        name = check_name(call.asked.name)
        return _public(await self._change(call, lambda style: style.changed(name=name)))

    async def delete(self, call: Call[DeepLRequest]) -> None:
        """Delete a list of style rules."""
        await run_in_threadpool(self.store.delete, self._style(call))

    async def put_rules(self, call: Call[StyleRulesRequest]) -> _Object:
        """Replace the rules by name."""
        rules = call.asked.rules
        return _public(await self._change(call, lambda style: style.changed(rules=rules)))

    async def add_instruction(self, call: Call[StyleInstructionRequest]) -> _Object:
        """Add an instruction."""
        return await self._put(call, new_id())

    async def show_instruction(self, call: Call[DeepLRequest]) -> _Object:
        """Describe an instruction."""
        return _shown(self._style(call).instruction(call.request.path_params["instruction"]))

    async def put_instruction(self, call: Call[StyleInstructionRequest]) -> _Object:
        """Replace an instruction."""
        known = self._style(call).instruction(call.request.path_params["instruction"])
        return await self._put(call, known.id)

    async def delete_instruction(self, call: Call[DeepLRequest]) -> None:
        """Delete an instruction."""
        known = self._style(call).instruction(call.request.path_params["instruction"])
        await self._change(call, lambda style: style.changed(instructions=_others(style, known.id)))

    async def _put(self, call: Call[StyleInstructionRequest], instruction_id: str) -> _Object:
        """Store an instruction, in place of any with this id."""
        instruction = call.asked.stored(instruction_id)

        def change(style: StoredStyle) -> StoredStyle:
            others = _others(style, instruction_id)
            if len(others) >= _MOST_INSTRUCTIONS:
                raise ServiceError(400, f"there are {_MOST_INSTRUCTIONS} instructions already")
            return style.changed(instructions=(*others, instruction))

        await self._change(call, change)
        return _shown(instruction)

    async def _change(
        self, call: Call[Any], function: Callable[[StoredStyle], StoredStyle]
    ) -> StoredStyle:
        """Change the list of a request."""
        style_id = self._style(call).id
        return await self.service.run(partial(self.store.change, call.account, style_id, function))

    def _style(self, call: Call[Any]) -> StoredStyle:
        """The list of a request."""
        return self.store.get(call.account, call.request.path_params["id"])


def _others(style: StoredStyle, instruction_id: str) -> tuple[Instruction, ...]:
    return tuple(each for each in style.instructions if each.id != instruction_id)


def _shown(instruction: Instruction) -> _Object:
    """The description of an instruction."""
    return {name: value for name, value in asdict(instruction).items() if value is not None}


def _public(style: StoredStyle, *, detailed: bool = True) -> _Object:
    """The description of a list of rules."""
    shown = {
        "style_id": style.id,
        "name": style.name,
        "creation_time": style.created,
        "updated_time": style.updated,
        "language": style.language,
        "version": style.version,
    }
    if detailed:
        shown["configured_rules"] = style.rules
        shown["custom_instructions"] = list(map(_shown, style.instructions))
    return shown
