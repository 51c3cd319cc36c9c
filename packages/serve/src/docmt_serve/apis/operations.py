"""The API for operators: health, readiness and metrics of the service."""

from __future__ import annotations

from functools import partial

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import JSONResponse, Response

from docmt_serve.apis.api_routes import Api, ApiRoute, Call
from docmt_serve.service.service import Service


def routes(service: Service) -> list[ApiRoute]:
    """The routes of the API."""

    async def health(_: Call[None]) -> dict[str, str]:
        """Report the life of the process."""
        return {"status": "ok"}

    async def ready(_: Call[None]) -> Response:
        """Report readiness; status 503 while the service does not translate."""
        if service.is_ready:
            return JSONResponse({"status": "ready"})
        status = "stopping" if service.is_stopping else "not ready"
        return JSONResponse({"status": status}, 503)

    async def metrics(call: Call[None]) -> Response:
        """List counts in Prometheus' text format; needs a key where keys are needed."""
        service.account_of(call.request)
        return Response(service.metrics.text(), headers={"Content-Type": CONTENT_TYPE_LATEST})

    route = partial(ApiRoute, Api("operations", service), ["GET"])
    return [
        route("/health", health, answers=dict[str, str]),
        route("/ready", ready, answers=dict[str, str]),
        route("/metrics", metrics, media_type="text/plain"),
    ]
