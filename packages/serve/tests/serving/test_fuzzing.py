"""Whatever is sent, the service answers, and never with what belongs to others."""

from __future__ import annotations

import time

import pytest
from starlette.routing import Route

from docmt_nmt.base.translations import Translation
from docmt_nmt.translators import request_of
from docmt_nmt.translators.translator import Plan, Translator
from docmt_serve.models.models import Model, Models
from docmt_serve.service.service import Service
from docmt_serve.service.service_settings import ServiceSettings
from docmt_serve.stores.api_keys import add_key
from docmt_serve.web.app import make_app
from hostile_requests import HostileClient
from request_fuzzing import Client, Fuzzer


class Capitals(Translator):
    """Translates into capitals, and can be given known translations."""

    languages = ("en", "de")

    def plan(self, request):
        return Plan(request)

    def translate(self, request, **_):
        translations = []
        for document in request_of(request).documents:
            target = tuple(sentence.upper() for sentence in document.source)
            translations.append(Translation.of(document.id, document.source, target))
        return translations


@pytest.mark.parametrize("number", [250, pytest.param(10_000, marks=pytest.mark.slow)])
def test_no_request_breaks_the_service_or_gives_what_is_of_others(in_a_thread, tmp_path, number):
    keys = [add_key(tmp_path / "keys.toml", f"client{n}") for n in range(3)]
    clients = [Client(n, key, [], {}, []) for n, key in enumerate(keys)]
    settings = ServiceSettings(keys=tmp_path / "keys.toml", char_limit=20_000, file_limit=100_000)
    service = Service.of(settings, Models([Model("capitals", Capitals())]), tmp_path)
    routes = [
        (route.path, method)
        for route in make_app(service).routes
        if isinstance(route, Route)
        for method in sorted(route.methods)
    ]
    with in_a_thread(service) as url:
        host, port = url.removeprefix("http://").split(":")
        fuzzer = Fuzzer((host, int(port)), routes, clients, seed=number)
        fuzzer.run(number)
        assert service.is_ready
        end = time.monotonic() + 30
        while service.tasks.in_flight:  # what a client that has gone does not wait for
            assert time.monotonic() < end
            time.sleep(0.01)
    assert fuzzer.statuses[200] > number / 10
    assert {400, 404} <= fuzzer.statuses.keys()


@pytest.mark.parametrize("number", [100, pytest.param(20_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("needs_key", [True, False])
def test_hostile_requests_to_all_routes_are_answered(in_a_thread, tmp_path, number, needs_key):
    key = add_key(tmp_path / "keys.toml", "one") if needs_key else ""
    settings = ServiceSettings(
        keys=tmp_path / "keys.toml" if needs_key else None, char_limit=20_000, file_limit=300_000
    )
    service = Service.of(settings, Models([Model("m", Capitals())]), tmp_path)
    with in_a_thread(service) as url:
        address = "127.0.0.1", int(url.rpartition(":")[2])
        client = HostileClient(address, key, seed=number)
        client.run(number)
        assert service.is_ready
    assert {200, 400, 404} <= client.statuses.keys()
    assert service.budgets.files.used == service.budgets.strangers.used == 0
