"""Those who run the service can ask it how it is, and stop it without losing anything."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from docmt_files.base.errors import InputError
from docmt_llm.endpoints.event_loop import run as run_coroutine
from docmt_serve.models.models import Model, Models
from docmt_serve.service.service import Service
from docmt_serve.service.service_settings import ServiceSettings
from docmt_serve.stores.api_keys import add_key
from docmt_serve.web.app import make_app
from docmt_serve.web.middleware import PatientBodies
from waiting_translator import Waiting

ASKED = {"q": "Open the file.", "source": "en", "target": "de"}


def _counts(client, **headers):
    text = client.get("/metrics", headers=headers).text
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.fixture
def service(model, tmp_path):
    return Service.of(ServiceSettings(), Models([model]), tmp_path)


def test_the_service_counts_what_it_does(client):
    for _ in range(2):
        client.post("/translate", json=ASKED)
    client.post("/translate", json=ASKED | {"target": "zz"})
    client.get("/nothing")
    counts = _counts(client)
    assert counts["docmt_requests_total", "libretranslate", "200"] == 2
    assert counts["docmt_requests_total", "libretranslate", "400"] == 1
    assert counts["docmt_requests_total", "none", "404"] == 1
    assert counts["docmt_characters_total",] == 2 * len("Open the file.")
    assert counts["docmt_batch_instances_count",] == 2
    assert counts["docmt_batch_seconds_sum",] > 0
    assert counts["docmt_requests_in_flight",] == 1  # that for the metrics
    assert counts["process_resident_memory_bytes",] > 1e6
    assert counts["process_open_fds",] > 0
    assert counts["docmt_waiting_instances",] == 0
    assert counts["docmt_jobs", "done"] == 0


def test_two_services_of_a_process_count_apart(client_of, client, tmp_path):
    client.post("/translate", json=ASKED)
    other = Service.of(ServiceSettings(), Models([Model("m", Waiting())]), tmp_path / "other")
    with TestClient(make_app(other), "http://localhost") as another:
        assert _counts(another)["docmt_characters_total",] == 0


def test_metrics_have_nothing_of_keys_texts_and_names_and_need_a_key(client_of, tmp_path):
    key = add_key(tmp_path / "keys.toml", "somebody")
    client = client_of(keys=tmp_path / "keys.toml")
    assert client.get("/metrics").status_code == 403
    headers = {"Authorization": f"Bearer {key}"}
    client.post("/translate", json=ASKED, headers=headers)
    client.get("/jobs/secret-name", headers=headers)
    text = client.get("/metrics", headers=headers).text
    assert not any(word in text for word in (key, "somebody", "secret-name", "Open", "testclient"))


def test_a_service_is_ready_while_its_scheduler_lives_and_it_does_not_stop(service):
    app = make_app(service)
    client = TestClient(app, "http://localhost")
    assert client.get("/ready").status_code == 503  # not opened
    with client:
        assert (client.get("/ready").status_code, client.get("/health").status_code) == (200, 200)
        service.stop(grace=60)
        stopping = client.get("/ready")
        assert (stopping.status_code, stopping.json()) == (503, {"status": "stopping"})
        assert client.get("/health").status_code == 200
        refused = client.post("/translate", json=ASKED)
        assert (refused.status_code, "retry-after" in refused.headers) == (503, True)


def test_requests_that_were_begun_are_finished_within_the_grace_time(tmp_path):
    translator = Waiting()
    service = Service.of(ServiceSettings(), Models([Model("m", translator)]), tmp_path)
    with TestClient(make_app(service), "http://localhost") as client:
        answers = []
        thread = threading.Thread(
            target=lambda: answers.append(client.post("/translate", json=ASKED))
        )
        thread.start()
        while service.tasks.in_flight == 0:
            time.sleep(0.01)
        service.stop(grace=60)
        translator.may_go_on.release()
        thread.join()
    assert (answers[0].status_code, answers[0].json()["translatedText"]) == (200, "OPEN THE FILE.")


def test_requests_that_take_longer_than_the_grace_time_are_told_to_come_back(tmp_path):
    service = Service.of(ServiceSettings(), Models([Model("m", Waiting())]), tmp_path)
    with TestClient(make_app(service), "http://localhost") as client:
        answers = []

        def ask():
            answers.append(client.post("/translate", json=ASKED))
            languages = {"source": "en", "target": "de"}
            files = {"file": ("a.md", b"One.\n")}
            answers.append(client.post("/translate_file", data=languages, files=files))

        thread = threading.Thread(target=ask)
        thread.start()
        while service.tasks.in_flight == 0:
            time.sleep(0.01)
        service.stop(grace=0)
        thread.join()
    assert [answer.status_code for answer in answers] == [503, 503]


def test_only_one_service_uses_a_folder(service, model, tmp_path):
    with (
        service,
        pytest.raises(InputError, match="folder of a service that is running"),
        Service.of(ServiceSettings(), Models([model]), tmp_path),
    ):
        pass


def test_a_body_that_comes_too_slowly_is_given_up(service):
    app = PatientBodies(make_app(service), silence=0.05)

    async def receive_slowly():
        await asyncio.sleep(0.2)
        return {"type": "http.request", "body": b"{", "more_body": True}

    sent = []

    async def send(message):
        sent.append(message)

    headers = [(b"content-type", b"application/json")]
    scope = {
        "type": "http", "method": "POST", "path": "/translate", "raw_path": b"/translate",
        "headers": headers, "query_string": b"", "root_path": "", "scheme": "http",
        "server": ("test", 80), "client": ("test", 1), "http_version": "1.1", "state": {},
    }  # fmt: skip
    run_coroutine(app(scope, receive_slowly, send))
    assert sent[0]["status"] == 408


def test_a_page_from_elsewhere_cannot_read_glossaries_that_need_no_key(client_of, tmp_path):
    open_to_all = client_of()
    for path in ("/v2/glossaries", "/v3/glossaries"):
        assert "access-control-allow-origin" not in open_to_all.get(path).headers
        assert "access-control-allow-origin" not in open_to_all.options(path).headers
    assert open_to_all.get("/languages").headers["access-control-allow-origin"] == "*"
