"""Files are jobs on disk: they show their progress, can be cancelled, and outlive the service."""

from __future__ import annotations

import json
import time

import pytest

from docmt_files.base.documents import SentenceWarning
from docmt_serve.models.models import Model, Models
from docmt_serve.service.service import Service
from docmt_serve.service.service_settings import ServiceSettings
from docmt_serve.stores.api_keys import add_key
from shouting_translator import Shouting
from waiting_translator import Waiting

INTO_GERMAN = {"source": "en", "target": "de"}


def _add(client, name="a.md", content=b"One. Two. Three.\n", **values):
    return client.post("/jobs", data=INTO_GERMAN | values, files={"file": (name, content)})


def _wait_until(client, job, check):
    end = time.monotonic() + 20
    while not check(state := client.get(f"/jobs/{job}").json()):
        assert time.monotonic() < end, state
        time.sleep(0.02)
    return state


@pytest.fixture
def waiting(client_of):
    translator = Waiting()
    return client_of(Models([Model("waiting", translator)])), translator.may_go_on


def test_a_job_is_accepted_translated_and_its_result_downloaded(client):
    answer = _add(client, content=b"Open the **file**.\n")
    job = answer.json()["id"]
    assert (answer.status_code, answer.headers["location"]) == (202, f"/jobs/{job}")
    state = _wait_until(client, job, lambda state: state["status"] == "done")
    assert (state["sentences"], state["total"], state["file"]) == (1, 1, "a.md")
    result = client.get(f"/jobs/{job}/result")
    assert result.content == "Öffnen Sie die **Datei**.\n".encode()
    assert client.delete(f"/jobs/{job}").status_code == 204
    assert client.get(f"/jobs/{job}").status_code == 404


def test_a_job_is_its_accounts_where_keys_are_needed(client_of, tmp_path):
    keys = [add_key(tmp_path / "keys.toml", name) for name in ("one", "two")]
    own, other = ({"Authorization": f"Bearer {key}"} for key in keys)
    client = client_of(keys=tmp_path / "keys.toml")
    files = {"file": ("a.md", b"Open the **file**.\n")}
    job = client.post("/jobs", files=files, headers=own).json()["id"]
    for path in (f"/jobs/{job}", f"/jobs/{job}/events", f"/jobs/{job}/result"):
        assert client.get(path).status_code == 403
        assert client.get(path, headers=other).status_code == 404
    assert client.delete(f"/jobs/{job}").status_code == 403
    assert client.delete(f"/jobs/{job}", headers=other).status_code == 404
    while client.get(f"/jobs/{job}/result", headers=own).status_code == 404:
        time.sleep(0.05)
    assert client.delete(f"/jobs/{job}", headers=own).status_code == 204


DOUBT = SentenceWarning("numbers", "1 became 2")


class Doubting(Shouting):
    """Marks the sentences with a digit."""

    def translate(self, request, **_):
        return [
            translation.with_sentences(
                each.warned([DOUBT] if any(map(str.isdigit, each.source)) else [])
                for each in translation.sentences
            )
            for translation in super().translate(request)
        ]


@pytest.mark.parametrize("output", ["same", "tmx"])
def test_marked_sentences_of_a_job_have_their_place(client_of, output):
    client = client_of(Models([Model("doubting", Doubting("en"))]))
    content = b"# Title\n\nOne here. Take 1 of them.\n\n1 more.\n"
    job = _add(client, content=content, output=output).json()["id"]
    state = _wait_until(client, job, lambda state: state["status"] == "done")
    found = [(marked["place"], marked["source"], marked["target"]) for marked in state["marked"]]
    assert found == [
        ("line 3", "Take 1 of them.", "TAKE 1 OF THEM."),
        ("line 5", "1 more.", "1 MORE."),
    ]
    assert state["marked"][0]["warning"].endswith("1 became 2")
    assert state["marks"] == 2


@pytest.mark.slow
def test_of_many_marked_sentences_the_first_are_kept(client_of):
    client = client_of(Models([Model("doubting", Doubting("en"))]))
    long = f"{'long ' * 200}2."
    job = _add(client, "a.txt", "\n\n".join([long, *["Take 1."] * 600]).encode()).json()["id"]
    state = _wait_until(client, job, lambda state: state["status"] == "done")
    assert (len(state["marked"]), state["marks"]) == (500, 601)
    assert state["marked"][0]["source"] == long[:500] + "…"


def test_progress_is_by_sentence(waiting):
    client, may_go_on = waiting
    job = _add(client).json()["id"]
    may_go_on.release()
    state = _wait_until(client, job, lambda state: state["sentences"] == 1)
    assert (state["status"], state["total"]) == ("translating", 3)
    assert client.get(f"/jobs/{job}/result").status_code == 404
    may_go_on.release(2)
    _wait_until(client, job, lambda state: state["status"] == "done")


def test_events_tell_of_every_step_until_the_end(waiting):
    client, may_go_on = waiting
    job = _add(client).json()["id"]
    may_go_on.release(3)
    with client.stream("GET", f"/jobs/{job}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        text = "".join(answer.iter_text())
    events = [
        dict(line.split(": ", 1) for line in e.splitlines()) for e in text.strip().split("\n\n")
    ]
    states = [json.loads(event["data"]) for event in events]
    assert states[-1]["status"] == "done"
    counts = [state["sentences"] for state in states]
    assert counts == sorted(counts)
    assert counts[-1] == 3


def test_a_cancelled_job_stops_and_leaves_no_files(waiting, tmp_path):
    client, may_go_on = waiting
    job = _add(client).json()["id"]
    may_go_on.release()
    _wait_until(client, job, lambda state: state["sentences"] == 1)
    assert client.delete(f"/jobs/{job}").status_code == 204
    assert client.get(f"/jobs/{job}").status_code == 404
    assert list((tmp_path / "jobs").iterdir()) == []
    other = _add(client).json()["id"]
    may_go_on.release(3 + 1)  # The cancelled one may take one before it notices.
    _wait_until(client, other, lambda state: state["status"] == "done")


def test_the_queue_has_an_end(client_of):
    translator = Waiting()
    client = client_of(Models([Model("waiting", translator)]), job_limit=2)
    jobs = [_add(client).json()["id"] for _ in range(2)]
    refused = _add(client)
    assert (refused.status_code, "error" in refused.json()) == (429, True)
    assert int(refused.headers["retry-after"]) > 0
    translator.may_go_on.release(6)
    for job in jobs:
        _wait_until(client, job, lambda state: state["status"] == "done")
    assert _add(client).status_code == 202
    translator.may_go_on.release(3)


@pytest.mark.parametrize(
    ("values", "status"),
    [({"target": "zz"}, 400), ({"output": "pdf"}, 400), ({"consistent": "perhaps"}, 400)],
)
def test_a_job_that_cannot_be_done_is_refused(client, tmp_path, values, status):
    assert _add(client, **values).status_code == status
    assert list((tmp_path / "jobs").iterdir()) == []


def test_a_file_over_the_limit_leaves_nothing(client_of, tmp_path):
    client = client_of(file_limit=10)
    assert _add(client, content=b"a" * 11).status_code == 413
    assert list((tmp_path / "jobs").iterdir()) == []


def test_a_page_with_sentences_side_by_side_can_be_asked_for(client):
    job = _add(client, content=b"Open the file.\n", output="html-review").json()["id"]
    _wait_until(client, job, lambda state: state["status"] == "done")
    page = client.get(f"/jobs/{job}/result")
    assert "a.md.html" in page.headers["content-disposition"]
    assert "Öffnen Sie die Datei." in page.text


def test_what_ended_long_ago_is_deleted(client_of):
    client = client_of(keep_files=1)
    old = _add(client).json()["id"]
    _wait_until(client, old, lambda state: state["status"] == "done")
    time.sleep(1.1)
    _add(client)
    assert client.get(f"/jobs/{old}").status_code == 404


def test_jobs_go_on_when_the_service_is_started_again(tmp_path):
    models = Models([Model("waiting", Waiting())])
    may_go_on = models[0].translator.may_go_on

    def service():
        return Service.of(ServiceSettings(), models, tmp_path)

    from starlette.testclient import TestClient

    from docmt_serve.web.app import make_app

    with TestClient(make_app(service()), "http://localhost") as client:
        job = _add(client).json()["id"]
        may_go_on.release()
        _wait_until(client, job, lambda state: state["sentences"] == 1)
    (tmp_path / "jobs" / "damaged").mkdir()
    (tmp_path / "jobs" / "damaged" / "job.json").write_text("{")
    with TestClient(make_app(service()), "http://localhost") as client:
        may_go_on.release(3)
        _wait_until(client, job, lambda state: state["status"] == "done")
        assert client.get(f"/jobs/{job}/result").text == "ONE. TWO. THREE.\n"
    assert not (tmp_path / "jobs" / "damaged").exists()


def test_a_file_of_an_unknown_format_is_refused_unless_asked_for(client):
    def ended(**values):
        files = {"file": ("menu.eml", b"Open the file.\n")}
        job = client.post("/jobs", data={"target": "de", **values}, files=files).json()
        end = time.monotonic() + 20
        while (state := client.get(f"/jobs/{job['id']}").json())["status"] not in ("done", "error"):
            assert time.monotonic() < end
            time.sleep(0.05)
        return state, client.get(f"/jobs/{job['id']}/result")

    state, _ = ended()
    assert state["status"] == "error"
    assert "menu.eml: has the file extension of neither plain text" in state["message"]
    assert "add `file_format=text`" in state["message"]
    state, result = ended(file_format="text")
    assert (state["status"], result.text) == ("done", "Öffnen Sie die Datei.\n")


def test_a_format_that_does_not_exist_is_refused(client):
    files = {"file": ("a.txt", b"Open the file.\n")}
    for path in ("/jobs", "/v2/document"):
        values = {"target": "de", "target_lang": "DE", "file_format": "xyz"}
        unused = "target_lang" if path == "/jobs" else "target"
        del values[unused]
        answer = client.post(path, data=values, files=files)
        assert answer.status_code == 400
        assert "`file_format=xyz`" in answer.text
