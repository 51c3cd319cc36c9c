"""The page of the service: files without content from other sites."""

from __future__ import annotations

from functools import partial
from importlib.resources import files

from starlette.responses import Response

from docmt_nmt.text.language_detection import regional_name
from docmt_serve.apis.api_routes import Api, ApiRoute, Call, Handler
from docmt_serve.models import Model
from docmt_serve.service import Service

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; "
    "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
)
"""Rights of the page in a browser: requests to this service, nothing else."""

_MAX_PAIRS = 1000

_SCRIPTS = ("chosen", "jobs", "page", "pairs", "shared", "texts")

_FILES = {
    "/": ("index.html", "text/html"),
    "/page/page.css": ("page.css", "text/css"),
    **{f"/page/{name}.js": (f"{name}.js", "text/javascript") for name in _SCRIPTS},
}
"""Files and media types by path."""


def routes(service: Service) -> list[ApiRoute]:
    """The routes of the page."""
    route = partial(ApiRoute, Api("page", service), ["GET"])

    async def models(_: Call[None]) -> list[dict[str, str]]:
        """List translators."""
        return [
            {
                "name": name,
                "source": source,
                "target": target,
                "sourceName": regional_name(source),
                "targetName": regional_name(target),
            }
            for model in service.models
            for name, source, target in _offered(model)
        ]

    return [
        *(route(path, _handler(*file), media_type=file[1]) for path, file in _FILES.items()),
        route("/models", models, answers=list[dict[str, str]]),
    ]


def _offered(model: Model) -> list[tuple[str, str, str]]:
    """The name, the source and the target of each pair of a model on the page, its own pair first.
    Of a model with more pairs than a person looks through, those with one of its own languages."""
    own = model.source, model.target
    pairs = [pair for pair in model.language_set.pairs() if pair != own]
    if len(pairs) >= _MAX_PAIRS:
        pairs = [pair for pair in pairs if model.source in pair or model.target in pair]
    named = [(f"{model.name}/{source}/{target}", source, target) for source, target in pairs]
    return [(model.name, *own), *named]


def _handler(name: str, media_type: str) -> Handler:
    """Make the handler for a file of the page."""
    content = files("docmt_serve").joinpath("page", name).read_bytes()
    headers = {
        "Content-Security-Policy": _POLICY,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
    }

    async def page(_: Call[None]) -> Response:
        """Load a file of the page."""
        return Response(content, media_type=media_type, headers=headers)

    return page
