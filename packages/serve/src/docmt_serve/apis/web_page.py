"""The page of the service: files without content from other sites."""

from __future__ import annotations

from functools import cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from starlette.responses import JSONResponse, Response

from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language
from docmt_files.storage.json_files import parse_json
from docmt_serve.apis.api_routes import Answer, Api, ApiRoute, Call, Handler
from docmt_serve.models.models import Model
from docmt_serve.requests.service_errors import ServiceError
from docmt_serve.service.service import Service

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; "
    "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
)
"""Rights of the page in a browser: requests to this service, nothing else."""

_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}

_PAGE = files("docmt_serve").joinpath("page")

_FOLDERS = {"styles": "text/css", "scripts": "text/javascript"}
"""Media types of the files in the folders of the page."""

_ENGLISH = "en"
"""Language of the page where the browser wants none that there is."""


class ModelAnswer(Answer):
    """A translator; it translates each of its source languages into each other target language."""

    name: str
    """Name of the run, or the languages of an installed model."""

    source: str
    """Its own source language."""

    target: str
    """Its own target language."""

    sources: list[str]
    """All source languages."""

    targets: list[str]
    """All target languages."""

    @classmethod
    def of(cls, model: Model) -> ModelAnswer:
        """Make the answer for a model."""
        return cls(
            name=model.name,
            source=model.source,
            target=model.target,
            sources=list(model.language_set.sources),
            targets=list(model.language_set.targets),
        )


def routes(service: Service) -> list[ApiRoute]:
    """The routes of the page."""
    route = partial(ApiRoute, Api("page", service), ["GET"])

    async def models(_: Call[None]) -> list[ModelAnswer]:
        """List translators with their languages."""
        return [ModelAnswer.of(model) for model in service.models]

    return [
        route("/", _page, media_type="text/html"),
        *(
            route(f"/page/{folder}/{{name}}", _handler(folder, media_type), media_type=media_type)
            for folder, media_type in _FOLDERS.items()
        ),
        route("/page/strings", _strings, answers=dict[str, str]),
        route("/models", models, answers=list[ModelAnswer]),
    ]


async def _page(_: Call[None]) -> Response:
    """Load the page."""
    return Response(_content("", "index.html"), media_type="text/html", headers=_HEADERS)


def _handler(folder: str, media_type: str) -> Handler:
    """Make the handler for the files of a folder of the page."""

    async def file(call: Call[None]) -> Response:
        """Load a file of the page."""
        content = _content(folder, call.request.path_params["name"])
        return Response(content, media_type=media_type, headers=_HEADERS)

    file.__name__ = folder
    return file


async def _strings(call: Call[None]) -> Response:
    """Load the words of the page, in the language that the browser asks for."""
    wanted = call.request.headers.get("Accept-Language", "")
    language = best_language(wanted, _languages())
    values = {"language": language} | _words(language)
    return JSONResponse(values, headers=_HEADERS | {"Vary": "Accept-Language"})


def best_language(wanted: str, languages: list[str]) -> str:
    """The language of a page that a browser would like best.

    Args:
        wanted: the header `Accept-Language`.
        languages: the languages that there are.

    >>> best_language("fr-CH, de;q=0.7, en;q=0.9", ["de", "en"])
    'en'
    """
    ranked: list[tuple[float, str]] = []
    for part in wanted.split(","):
        tag, _, weight = part.partition(";q=")
        try:
            ranked.append((float(weight or 1), primary_language(tag.strip())))
        except (InputError, ValueError):
            continue  # Whatever a client sends there is no reason to refuse the page.
    ranked.sort(key=lambda each: -each[0])
    return next((tag for rank, tag in ranked if rank > 0 and tag in languages), _ENGLISH)


@cache
def _file_names(folder: str) -> dict[str, Traversable]:
    """The files of a folder of the page, by name."""
    return {each.name: each for each in _PAGE.joinpath(folder).iterdir() if each.is_file()}


@cache
def _content(folder: str, name: str) -> bytes:
    """The content of a file of the page.

    Raises:
        ServiceError: there is none of this name.
    """
    found = _file_names(folder).get(name)
    if found is None:
        raise ServiceError(404, "there is no such file")
    return found.read_bytes()


def _languages() -> list[str]:
    """The languages of the page."""
    return sorted(name.removesuffix(".json") for name in _file_names("strings"))


@cache
def _words(language: str) -> dict[str, Any]:
    """The words of the page in a language."""
    words: dict[str, Any] = parse_json(_content("strings", f"{language}.json"))
    return words
