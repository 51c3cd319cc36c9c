"""`docmt serve` as a process: it starts, answers, ends in order, and goes on after a kill."""

from __future__ import annotations

import json
import lzma
import os
import signal
import socket

import pytest

from docmt_nmt import recipes
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.runs.run import Run
from language_models.scripted_server import serving as endpoint
from language_models.scripted_server import translating
from scripted_model import translate as translated
from service_process import serving

OPENED = "Öffnen Sie die Datei."


def test_it_serves_language_models_beside_systems_and_keeps_files_when_a_signal_stops_it(
    forkserver, tmp_path
):
    with endpoint(translating) as server:
        recipe = recipes.load_any("language-model", [f"system.url={server.url}"])
        run = str(Run.make(tmp_path / "lm", recipe).directory)
        options = ("--beam-size", "2", "--folder", str(tmp_path / "kept"))
        with serving(forkserver, "bundled:en-de", run, *options) as (process, client):
            assert [model["name"] for model in json.loads(client.get("/models"))] == ["en-de", "lm"]
            assert client.translate("Open the file.") == OPENED
            asked = {"q": "Open the file.", "source": "en", "target": "de", "model": "lm"}
            answer = client.post("/translate", json.dumps(asked).encode())
            assert answer["translatedText"] == translated("Open the file.")
            job = client.add_file("a.md", b"Open the **file**.\n")["id"]
            client.wait_for(job, lambda state: state["status"] == "done")
            os.kill(process.pid, signal.SIGTERM)
            process.join(timeout=30)
            assert process.exitcode == 0
    assert [path.name for path in (tmp_path / "kept" / "jobs").iterdir()] == [job]


def test_ctrl_c_stops_it_too_and_a_temporary_folder_is_removed(forkserver, tmp_path):
    with serving(forkserver, "bundled:en-de", temporary=tmp_path) as (process, _):
        assert any(path.name.startswith("docmt-") for path in tmp_path.iterdir())
        os.kill(process.pid, signal.SIGINT)
        process.join(timeout=30)
        assert process.exitcode == 0
    assert not any(path.name.startswith("docmt-") for path in tmp_path.iterdir())


def test_a_port_that_is_taken_is_an_error_of_the_user(forkserver, capfd):
    from docmt.cli import main

    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        with pytest.raises(SystemExit) as ended:
            main(["serve", "--port", str(port)])
    assert ended.value.code == 2
    assert f"cannot listen at 127.0.0.1, port {port}" in " ".join(capfd.readouterr().err.split())


@pytest.mark.slow
def test_a_service_that_was_killed_ends_its_files_as_if_nothing_had_happened(forkserver, tmp_path):
    with lzma.open(corpus_file("manuals.en.xz")) as stream:
        text = b"\n\n".join(stream.read().splitlines()[:600])
    with serving(forkserver, "bundled:en-de", "--folder", str(tmp_path / "one")) as (_, client):
        job = client.add_file("book.md", text)["id"]
        client.wait_for(job, lambda state: state["status"] == "done")
        undisturbed = client.get(f"/jobs/{job}/result")
    folder = str(tmp_path / "two")
    with serving(forkserver, "bundled:en-de", "--folder", folder) as (_, client):
        job = client.add_file("book.md", text)["id"]
    for share in (0.2, 0.5, 0.7):
        with serving(forkserver, "bundled:en-de", "--folder", folder) as (_, client):
            client.wait_for(
                job, lambda state, share=share: state["total"] * share < state["sentences"]
            )
    with serving(forkserver, "bundled:en-de", "--folder", folder) as (_, client):
        client.wait_for(job, lambda state: state["status"] == "done")
        assert client.get(f"/jobs/{job}/result") == undisturbed
        assert "resumed" in client.job(job)["message"]
