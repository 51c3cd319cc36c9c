"""Models of further pairs, which people may get where the operator allows it (`FurtherModels`).

GET /models/available      the pairs that can be got, with their progress
POST /models               pair: its model is being got
"""

from __future__ import annotations

from functools import partial

from starlette.concurrency import run_in_threadpool

from docmt_files.base.languages import language_tag
from docmt_nmt.text.language_detection import regional_name
from docmt_serve.apis.api_routes import Answer, Api, ApiRoute, Call
from docmt_serve.apis.libretranslate_schemas import LibreTranslateRequest
from docmt_serve.models.further_models import AvailablePair, FurtherModels
from docmt_serve.requests.request_models import Text
from docmt_serve.requests.service_errors import ServiceError
from docmt_serve.service.service import Service


class PairRequest(LibreTranslateRequest):
    """A pair whose model is wanted."""

    pair: Text
    """Source and target language, such as `en-pt`."""


class PairAnswer(Answer):
    """A pair whose model can be got."""

    pair: str
    """Source and target language, such as `en-pt`."""

    sourceName: str
    """Name of the source language."""

    targetName: str
    """Name of the target language."""

    size: int
    """Bytes on disk; 0 if it is not known."""

    received: int | None = None
    """Bytes that have come, while it is being got."""

    error: str
    """Why it could not be got; empty if nobody has tried."""

    @classmethod
    def of(cls, pair: AvailablePair) -> PairAnswer:
        """Make the answer for a pair."""
        source, target = (regional_name(language_tag(code)) for code in pair.languages)
        values = {name: getattr(pair, name) for name in ("pair", "size", "received", "error")}
        return cls(sourceName=source, targetName=target, **values)


def routes(service: Service) -> list[ApiRoute]:
    """The routes for models of further pairs."""
    own, route, asks = _Models(service), partial(ApiRoute, Api("models", service)), PairRequest
    answers, listed = list[PairAnswer], LibreTranslateRequest
    return [
        route(["GET"], "/models/available", own.available, asks=listed, answers=answers),
        route(["POST"], "/models", own.get, asks=asks, status=202),
    ]


class _Models:
    def __init__(self, service: Service) -> None:
        self.service = service

    async def available(self, _: Call[LibreTranslateRequest]) -> list[PairAnswer]:
        """List the pairs whose models can be got; none where the operator does not allow it."""
        models = self.service.models
        if not isinstance(models, FurtherModels):
            return []
        return [PairAnswer.of(pair) for pair in await run_in_threadpool(models.available)]

    async def get(self, call: Call[PairRequest]) -> None:
        """Begin to get the model of a pair."""
        models = self.service.models
        if not isinstance(models, FurtherModels):
            raise ServiceError(403, "models cannot be got on this server")
        await run_in_threadpool(models.get, call.asked.pair)
