"""A service with the bundled model, for all tests of a worker."""

from __future__ import annotations

import socket
import threading
import time

import pytest
import uvicorn
from starlette.testclient import TestClient

import docmt
from docmt.serving.api_keys import add_key
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


@pytest.fixture(scope="session")
def server(model, tmp_path_factory):
    """The address of a service on loopback, and a key."""
    folder = tmp_path_factory.mktemp("service")
    key = add_key(folder / "keys.toml", "one")
    settings = ServiceSettings(keys=folder / "keys.toml")
    app = make_app(Service.of(settings, Models([model]), folder))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        running = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
        thread.start()
        while not running.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", key
        running.should_exit = True
        thread.join()
