"""A service with the bundled model, for all tests of a worker."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager

import pytest
from starlette.testclient import TestClient

import docmt_nmt
from docmt_serve.models.models import Model, Models
from docmt_serve.service.service import Service
from docmt_serve.service.service_settings import ServiceSettings
from docmt_serve.stores.api_keys import add_key
from docmt_serve.web.app import make_app
from docmt_serve.web.server import make_server


@pytest.fixture(scope="session")
def model():
    return Model("en-de", docmt_nmt.load(beam_size=2))


@pytest.fixture
def client_of(model, tmp_path):
    """Makes a client of a service with some settings."""
    opened = []

    def client(models=None, **settings):
        service = Service.of(ServiceSettings(**settings), models or Models([model]), tmp_path)
        opened.append(
            TestClient(make_app(service), "http://localhost", raise_server_exceptions=False)
        )
        return opened[-1].__enter__()

    yield client
    for each in opened:
        each.__exit__(None, None, None)


@pytest.fixture
def client(client_of):
    return client_of()


@contextmanager
def _in_a_thread(service):
    """Run a service on loopback. Yields its address."""
    with service, socket.create_server(("127.0.0.1", 0), backlog=1024) as listening:
        running = make_server(service, grace=1)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
        thread.start()
        while not running.started:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            service.stop(grace=0)
            running.should_exit = True
            thread.join()


@pytest.fixture(scope="session")
def in_a_thread():
    """Runs a service on loopback, as a context manager that gives its address."""
    return _in_a_thread


@pytest.fixture(scope="session")
def server(model, tmp_path_factory):
    """The address of a service on loopback, and a key."""
    folder = tmp_path_factory.mktemp("service")
    key = add_key(folder / "keys.toml", "one")
    settings = ServiceSettings(keys=folder / "keys.toml")
    with _in_a_thread(Service.of(settings, Models([model]), folder)) as url:
        yield url, key
