"""Models that people get on the page, from a registry on loopback."""

from __future__ import annotations

import time

import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt.models import InstalledModels
from docmt_files.base.errors import InputError
from docmt_serve.cli.served_models import get_models, load_models
from docmt_serve.models.models import Model, Models
from registry_server import RegistryServer, write_registry
from shouting_translator import Shouting


@pytest.fixture
def served(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCMT_MODELS", str(tmp_path / "models"))
    folder = tmp_path / "served"
    folder.mkdir()
    server = RegistryServer(folder)
    write_registry(folder, server.url)
    yield server
    server.server.shutdown()


@pytest.mark.slow
def test_a_model_is_got_and_translates_at_once(served, client_of):
    client = client_of(load_models(None, {}, registry=served.registry))
    assert client.get("/models").json() == []
    asked = {"q": "Das Haus ist alt.", "source": "de", "target": "en"}
    assert client.post("/translate", json=asked).status_code == 400
    listed = client.get("/models/available").json()
    assert [(each["pair"], each["sourceName"]) for each in listed] == [
        ("de-en", "German"),
        ("en-de", "English"),
    ]
    assert client.post("/models", json={"pair": "de-xx"}).status_code == 400
    for _ in range(2):  # The second time does not get it again.
        assert client.post("/models", json={"pair": "de-en"}).status_code == 202
    end = time.monotonic() + 120
    while "de-en" in [each["pair"] for each in client.get("/models/available").json()]:
        assert time.monotonic() < end
        time.sleep(0.1)
    assert sum("model.deen" in path for path, _ in served.asked) <= 1
    assert {each["name"] for each in client.get("/models").json()} == {"de-en"}
    assert client.post("/translate", json=asked).json()["translatedText"]


@pytest.mark.slow
def test_a_model_that_does_not_come_is_told_and_can_be_tried_again(served, client_of):
    client = client_of(load_models(None, {}, registry=served.registry))
    served.cut = 10
    for cut, error in ((10, "could not be got"), (None, None)):
        served.cut = cut
        client.post("/models", json={"pair": "de-en"})
        end = time.monotonic() + 120
        while True:
            found = {each["pair"]: each for each in client.get("/models/available").json()}
            if "received" not in found.get("de-en", {}):
                break
            assert time.monotonic() < end
            time.sleep(0.1)
        assert ("de-en" in found) == bool(error)
        assert error is None or error in found["de-en"]["error"]


def test_models_are_got_where_the_operator_allows_it_and_not_by_other_sites(client_of):
    client = client_of(Models([Model("m", Shouting("en", "de"))]))
    asked = {"pair": "en-pt"}
    assert client.post("/models", data=asked).json()["error"].startswith("models cannot be got")
    answer = client.post("/models", data=asked, headers={"Origin": "http://example.com"})
    assert (answer.status_code, "other sites" in answer.json()["error"]) == (403, True)
    assert client.get("/models/available").json() == []


def test_the_registry_is_read_before_the_service_starts(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCMT_MODELS", str(tmp_path / "models"))
    result = CliRunner().invoke(main, ["serve", "--models-from", str(tmp_path / "none.json")])
    assert result.exit_code == 2
    assert "none.json" in result.stderr
    with pytest.raises(InputError, match="runs are given in place of them"):
        load_models(["run"], {}, registry="mozilla")


@pytest.mark.slow
def test_models_are_got_before_the_start_unless_they_are_here(served):
    for _ in range(2):
        get_models(["de-en", "EN-DE"], None, served.registry)
    assert {model.pair for model in InstalledModels.default().all()} == {"de-en", "en-de"}
    got = [path for path, _ in served.asked if "model." in path]
    assert len(got) == len(set(got)) == 2
    get_models(["de-en"], ["run"], served.registry)  # It is here, and nothing is to be got.
    with pytest.raises(InputError, match="runs are given in place of them"):
        get_models(["de-fr"], ["run"], served.registry)


def test_the_environment_names_the_models_to_get(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCMT_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("DOCMT_GET", "en-pt pt-en")
    result = CliRunner().invoke(main, ["serve", "--models-from", str(tmp_path / "none.json")])
    assert result.exit_code == 2
    assert "none.json" in result.stderr
    result = CliRunner().invoke(main, ["serve", "bundled:en-de"])
    assert "--get adds to the installed models" in result.stderr
