"""The page of a service in a browser."""

from __future__ import annotations

import json

import pytest

from docmt_serve.models.models import Model, Models
from docmt_serve.service.service import Service
from docmt_serve.service.service_settings import ServiceSettings
from page_translators import Marking
from waiting_translator import Waiting

GERMAN = json.dumps({"source": "en", "target": "de"})


@pytest.fixture(scope="session")
def waiting():
    return Waiting()


@pytest.fixture(scope="session")
def url(in_a_thread, tmp_path_factory, waiting, browser):
    models = [
        Model("marking", Marking()),
        Model("waiting", waiting),
        Model("back", Marking("de", "en")),
    ]
    settings = ServiceSettings(char_limit=5000)
    folder = tmp_path_factory.mktemp("page")
    with in_a_thread(Service.of(settings, Models(models), folder)) as address:
        yield address


@pytest.fixture
def opened(page, url):
    """The page, from English to German, which must not run anything, nor break a policy."""
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "console",
        lambda message: problems.append(message.text) if "Content Security" in message.text else 0,
    )
    page.on("dialog", lambda dialog: problems.append("a dialog") or dialog.dismiss())
    page.set_default_timeout(30_000)
    page.add_init_script(f"localStorage.direction ??= '{GERMAN}'")
    page.goto(url)
    page.get_by_role("button", name="Target language: Deutsch").wait_for()
    yield page
    assert problems == []
    assert page.evaluate("window.hacked") is None
