"""The page of the service: three files, which load nothing from elsewhere."""

from __future__ import annotations

from importlib.resources import files

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from docmt.serving.service import Service
from docmt.text.language_detection import language_name

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; "
    "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
)
"""What a browser lets the page do: nothing but ask this service."""

_FILES = {
    "/": ("index.html", "text/html"),
    "/page/page.css": ("page.css", "text/css"),
    "/page/page.js": ("page.js", "text/javascript"),
}
"""The files by their paths, and their types."""


def routes(service: Service) -> list[Route]:
    """The routes of the page.

    Args:
        service: answers it.
    """

    async def models(_: Request) -> Response:
        """List the translators that a text can be given to."""
        return JSONResponse(
            [
                {
                    "name": model.name,
                    "source": model.source,
                    "target": model.target,
                    "sourceName": language_name(model.source),
                    "targetName": language_name(model.target),
                }
                for model in service.models
            ]
        )

    return [
        *(_file_route(path, *file) for path, file in _FILES.items()),
        Route("/models", models, methods=["GET"]),
    ]


def _file_route(path: str, name: str, media_type: str) -> Route:
    """The route of a file of the page."""
    content = files(__package__).joinpath("page", name).read_bytes()
    headers = {
        "Content-Security-Policy": _POLICY,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
    }

    async def answer(_: Request) -> Response:
        """Give a file of the page."""
        return Response(content, media_type=media_type, headers=headers)

    return Route(path, answer, methods=["GET"])
