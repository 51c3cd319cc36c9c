"""Large language models translate for the service, as many requests at a time as their run says."""

from __future__ import annotations

import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import UnavailableError
from docmt_llm.document_language_model.document_lm import DocumentLM
from docmt_llm.language_model.language_model import LanguageModelTranslator
from docmt_llm.language_model_settings import PromptSettings
from docmt_serve.jobs.translation_tasks import for_request
from docmt_serve.models.models import Model, Models
from docmt_serve.scheduler import BatchScheduler, CancelledError, ScheduledRequest
from document_lms import LikesKnownWords, Scripted
from scripted_model import ScriptedModel, honest, sentences_of, translate


def _translator(model, **request):
    settings = PromptSettings(shape="sentence", **request)
    return LanguageModelTranslator.of(model, ("en", "de"), request=settings)


@pytest.fixture
def client_of_model(client_of):
    return lambda model, **request: client_of(Models([Model("lm", _translator(model, **request))]))


def test_texts_and_files_go_through_a_language_model(client_of_model):
    client = client_of_model(ScriptedModel())
    asked = {"q": "Open the file. Close it.", "source": "en", "target": "de", "sentences": True}
    body = client.post("/translate", json=asked).json()
    assert body["translatedText"] == f"{translate('Open the file.')} {translate('Close it.')}"
    assert [pair["target"] for pair in body["sentences"]][1] == translate("Close it.")
    languages, files = {"source": "en", "target": "de"}, {"file": ("a.md", b"Open **it**.\n")}
    job = client.post("/translate_file", data=languages, files=files)
    assert client.get(job.json()["translatedFileUrl"]).text == "Upin **ot**.\n"


def test_a_language_model_places_the_codes_of_texts_itself(client_of_model):
    def reorder(sentences, request):
        assert list(sentences.values()) == ["Now select ⟦1⟧OK⟦2⟧."]
        return honest(dict.fromkeys(sentences, "Select ⟦1⟧OK⟦2⟧ now."), request)

    asked = {"source": "en", "target": "de", "format": "html"}
    client = client_of_model(ScriptedModel(reorder))
    moved = client.post("/translate", json=asked | {"q": "<p>Now select <b>OK</b>.</p>"}).json()
    words = [translate(word) for word in ("Select", "OK", "now")]
    assert moved["translatedText"] == "<p>{} <b>{}</b> {}.</p>".format(*words)


@pytest.mark.parametrize("document", [False, True])
def test_codes_are_those_of_their_own_text(client_of_model, document):
    texts = ["Open it.", "", "<b>Close</b> the file. Save <i>it</i>.", "<b>One</b> more."]
    asked = {"source": "en", "target": "de", "format": "html", "q": texts, "document": document}
    model = ScriptedModel()
    answer = client_of_model(model).post("/translate", json=asked | {"context": "One. Two."}).json()
    tags = re.compile(r"(<.*?>)")
    assert answer["translatedText"] == [
        "".join(part if tags.match(part) else translate(part) for part in tags.split(text))
        for text in texts
    ]
    assert "Save ⟦1⟧it⟦2⟧." in {text for r in model.requests for text in sentences_of(r).values()}


def test_all_requests_together_keep_to_the_concurrency_of_the_run(client_of_model):
    model = ScriptedModel(delay=0.02)
    client = client_of_model(model, concurrency=3)

    def ask(number):
        asked = {"q": f"Open file {number}. Close it.", "source": "en", "target": "de"}
        return client.post("/translate", json=asked).json()["translatedText"]

    with ThreadPoolExecutor(12) as threads:
        texts = list(threads.map(ask, range(12)))
    assert texts == [f"{translate(f'Open file {n}.')} {translate('Close it.')}" for n in range(12)]
    assert model.most_open == 3


def test_a_request_that_was_given_up_ends_with_the_next_sentence():
    model = ScriptedModel(delay=0.01)
    scheduled = ScheduledRequest(BatchScheduler())
    translator = for_request(_translator(model, concurrency=1), scheduled)
    timer = threading.Timer(0.05, scheduled.cancelled.set)
    timer.start()
    started = time.monotonic()
    with pytest.raises(CancelledError):
        translator.translate([Document("d", tuple(f"Sentence {n}." for n in range(1000)))])
    assert time.monotonic() - started < 5
    assert len(model.requests) < 500


def test_a_request_that_was_given_up_ends_with_the_next_sentence_that_a_document_lm_chooses():
    scheduled = ScheduledRequest(BatchScheduler())

    class GivingUp(LikesKnownWords):
        def log_probabilities(self, groups):
            scheduled.cancelled.set()
            return super().log_probabilities(groups)

    translator = for_request(DocumentLM(Scripted(), model := GivingUp()), scheduled)
    with pytest.raises(CancelledError):
        translator.translate([Document("d", ("a;b",) * 100)])
    assert len(model.asked) == 1


def test_a_request_that_was_given_up_does_not_wait_for_an_endpoint_that_hangs():
    model = ScriptedModel(delay=600)
    scheduled = ScheduledRequest(BatchScheduler())
    translator = for_request(_translator(model), scheduled)
    timer = threading.Timer(0.05, scheduled.cancelled.set)
    timer.start()
    started = time.monotonic()
    with pytest.raises(CancelledError):
        translator.translate([Document("d", ("Open the file.",))])
    assert time.monotonic() - started < 30
    assert model.open == 0


def test_an_endpoint_that_cannot_be_used_is_no_fault_of_the_client(client_of_model, caplog):
    def refuse(sentences, request):
        raise UnavailableError("llm.internal refuses the key", cure="Correct the key")

    client = client_of_model(ScriptedModel(refuse))
    asked = {"q": "Open the file.", "source": "en", "target": "de"}
    answer = client.post("/translate", json=asked)
    assert (answer.status_code, int(answer.headers["Retry-After"]) > 0) == (503, True)
    told = client.post("/v2/translate", json={"text": ["Open the file."], "target_lang": "DE"})
    assert (told.status_code, list(told.json())) == (503, ["message"])
    files = {"file": ("a.md", b"Open the file.")}
    job = client.post("/jobs", data={"source": "en", "target": "de"}, files=files).json()["id"]
    while (state := client.get(f"/jobs/{job}").json())["status"] not in ("done", "error"):
        time.sleep(0.01)
    assert (state["status"], "try again" in state["message"]) == ("error", True)
    assert "internal" not in answer.text + told.text + state["message"]
    assert "llm.internal refuses the key" in caplog.text


def test_a_file_is_resumed_from_the_answers_that_a_stopped_service_has_kept(tmp_path):
    from starlette.testclient import TestClient

    from docmt_serve.service.service import Service
    from docmt_serve.service.service_settings import ServiceSettings
    from docmt_serve.web.app import make_app

    text = "".join(f"Sentence number {n}.\n\n" for n in range(40))
    first, second = ScriptedModel(delay=0.02), ScriptedModel()

    def client(model):
        models = Models([Model("lm", _translator(model, concurrency=1))])
        return TestClient(
            make_app(Service.of(ServiceSettings(), models, tmp_path)), "http://localhost"
        )

    with client(first) as one:
        values = {"source": "en", "target": "de"}
        job = one.post("/jobs", data=values, files={"file": ("a.md", text.encode())}).json()["id"]
        while one.get(f"/jobs/{job}").json()["sentences"] < 5:
            time.sleep(0.01)
    assert len(first.requests) < 40
    with client(second) as two:
        while (state := two.get(f"/jobs/{job}").json())["status"] != "done":
            assert state["status"] != "error", state
            time.sleep(0.01)
        assert two.get(f"/jobs/{job}/result").text == translate(text)
    assert len(second.requests) <= 40 - 5
