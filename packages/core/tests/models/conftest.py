"""A registry on loopback, and a folder for models."""

from __future__ import annotations

import pytest

from docmt.models import InstalledModels
from registry_server import RegistryServer, write_registry


@pytest.fixture
def served(tmp_path):
    folder = tmp_path / "served"
    folder.mkdir()
    server = RegistryServer(folder)
    write_registry(folder, server.url)
    yield server
    server.server.shutdown()


@pytest.fixture
def installed(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCMT_MODELS", str(tmp_path / "models"))
    return InstalledModels.default()
