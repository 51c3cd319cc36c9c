"""A plugin of pytest that points the suites of other programs at a service.

The suite of deepl-python wants pydantic 1, which pydantic 2 has inside. The suite of LibreTranslate
tests an application of Flask in the same process; in its place is a client over HTTP.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import httpx2
import pydantic
from pydantic import v1

pydantic.BaseSettings = v1.BaseSettings


class _Client:
    """The test client of Flask, as far as the suite uses it."""

    def __init__(self) -> None:
        headers = {"Authorization": f"Bearer {os.environ['DEEPL_AUTH_KEY']}"}
        self._http = httpx2.Client(base_url=os.environ["DEEPL_SERVER_URL"], headers=headers)

    def get(self, path: str) -> Any:
        return _answer(self._http.get(path))

    def post(self, path: str, **values: Any) -> Any:
        return _answer(self._http.post(path, **values))


def _answer(answer: httpx2.Response) -> SimpleNamespace:
    is_json = "json" in answer.headers.get("Content-Type", "")
    return SimpleNamespace(
        status_code=answer.status_code, data=answer.content, json=answer.json() if is_json else None
    )


def _module(name: str, **values: Any) -> None:
    module = sys.modules[name] = ModuleType(name)
    vars(module).update(values)


# The suite is in a package whose own modules would start the other program.
_module("libretranslate", __path__=[str(Path("libretranslate").resolve())])
_module("libretranslate.app", create_app=lambda _: SimpleNamespace(test_client=_Client))
_module("libretranslate.main", get_args=lambda: None)
