"""A service with the bundled model, for all tests of a worker."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs docmt[server]")

from starlette.testclient import TestClient

import docmt
from docmt.serving.app import make_app
from docmt.serving.models import Model, Models
from docmt.serving.service import Service
from docmt.serving.service_settings import ServiceSettings


@pytest.fixture(scope="session")
def model():
    return Model("en-de", docmt.load(beam_size=2))


@pytest.fixture
def client_of(model, tmp_path):
    """Makes a client of a service with some settings."""
    opened = []

    def client(models=None, **settings):
        service = Service.of(ServiceSettings(**settings), models or Models([model]), tmp_path)
        opened.append(TestClient(make_app(service), raise_server_exceptions=False))
        return opened[-1].__enter__()

    yield client
    for each in opened:
        each.__exit__(None, None, None)


@pytest.fixture
def client(client_of):
    return client_of()
