"""The route of Apertium's API by which OmegaT asks a server of one's own."""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import Field

from docmt.translating.texts import TextRequest
from docmt_serve.apis.api_routes import Api, ApiRoute, Call
from docmt_serve.models.models import UnknownLanguageError
from docmt_serve.requests.request_models import RequestModel, Text
from docmt_serve.requests.service_errors import ServiceError
from docmt_serve.service.service import Service


class ApertiumRequest(RequestModel):
    """A text to translate."""

    q: Text
    """Text."""

    langpair: Text
    """Source and target language, with `|` between them."""

    mark_unknown: Text = Field("", alias="markUnknown")
    """Marks of unknown words, without effect."""

    key: Text = ""
    """API key, unless the header `Authorization` has it."""

    @classmethod
    def key_in(cls, values: Any) -> str:
        """The API key among the values of a request; empty if there is none. OmegaT sends a key of
        its own to servers without one."""
        return str(values.get("key", ""))


def _error(status: int, message: str) -> dict[str, Any]:
    return {"status": "error", "code": status, "message": message, "explanation": message}


def routes(service: Service) -> list[ApiRoute]:
    """The route for texts."""

    async def translate_segment(call: Call[ApertiumRequest]) -> dict[str, Any]:
        """Translate a segment, for OmegaT."""
        source, _, target = call.asked.langpair.partition("|")
        if not source or not target:
            raise ServiceError(400, "langpair must be two languages, such as en|de")
        try:
            model = service.models.choose(source, target)
        except UnknownLanguageError as error:
            raise ServiceError(400, str(error)) from None
        wanted = TextRequest((call.asked.q,))
        (translated,) = await service.translate(call.request, [model], wanted, call.account)
        call.tell_warnings([translated])
        data = {"translatedText": translated.text}
        return {"responseData": data, "responseDetails": None, "responseStatus": 200}

    route = partial(ApiRoute, Api("apertium", service, _error), asks=ApertiumRequest)
    return [route(["GET"], "/translate", translate_segment, answers=dict[str, Any])]
