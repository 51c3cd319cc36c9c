"""Editors for translators: Weblate's request to a language model, OmegaT by Apertium's route."""

from __future__ import annotations

import json

import pytest

from docmt_llm.language_model.language_model import LanguageModelTranslator
from docmt_serve.apis.weblate import WeblateRequest
from docmt_serve.models.models import Model, Models
from scripted_model import ScriptedModel

MESSAGE = {
    "source_language": "en",
    "target_language": "de",
    "glossary": [{"source": "folder", "target": "Ordner", "flags": ["terminology"]}],
    "strings": [
        {"source": "Open the file.", "parts": [{"type": "text", "text": "Open the file."}]},
        {
            "source": "Save @@PH1@@ in the folder.",
            "parts": [
                {"type": "text", "text": "Save "},
                {"type": "placeholder", "id": "@@PH1@@", "kind": "syntax", "text": ""},
                {"type": "text", "text": " in the folder."},
            ],
            "placeholders": {"@@PH1@@": "%s"},
            "explanation": "A button",
        },
        {
            "source": "Select @@PH2@@OK@@PH3@@ & close it.",
            "parts": [
                {"type": "text", "text": "Select "},
                {"type": "placeholder", "id": "@@PH2@@", "close_id": "@@PH3@@", "text": "OK",
                 "translatable": True},
                {"type": "text", "text": " & close it."},
            ],
        },
        {"source": "Open it.\nClose it."},
    ],
}  # fmt: skip


def weblate(client, message, model="en-de"):
    """Ask as Weblate does, with an example before the question. Gives the answer's array."""
    messages = [
        {"role": "system", "content": "You are a professional translation engine."},
        {"role": "user", "content": json.dumps({"strings": [{"source": "Weblate"}]})},
        {"role": "assistant", "content": '["Weblate"]'},
        {"role": "user", "content": json.dumps(message)},
    ]
    asked = {"model": model, "messages": messages, "temperature": 0, "frequency_penalty": 0}
    answer = client.post("/v1/chat/completions", json=asked)
    assert answer.status_code == 200, answer.text
    return json.loads(answer.json()["choices"][0]["message"]["content"])


def test_weblate_gets_a_string_for_each_with_its_placeholders(client):
    first, second, third, lines = weblate(client, MESSAGE)
    assert first == "Öffnen Sie die Datei."
    assert second.count("@@PH1@@") == 1 and "Ordner" in second
    assert third.index("@@PH2@@") < third.index("OK") < third.index("@@PH3@@")
    assert "<" not in second + third and "&amp;" not in third
    assert lines.count("\n") == 1


def test_a_language_model_reads_what_a_string_is_for(client_of):
    scripted = ScriptedModel()
    many = LanguageModelTranslator.of(scripted, ("en", "de"), all_languages=("en", "de", "fr"))
    answers = weblate(
        client_of(Models([Model("many", many)])), MESSAGE | {"target_language": "fr"}, "many"
    )
    assert answers[1] == "Sevi @@PH1@@ on thi fuldir."
    described = [r for r in scripted.requests if "A button" in r.messages[1].content]
    assert described and all("Save" in request.messages[1].content for request in described)
    assert all("into French" in request.messages[0].content for request in scripted.requests)


def test_weblate_cannot_ask_for_a_pair_that_no_run_has(client):
    content = json.dumps(MESSAGE | {"target_language": "ja"})
    asked = {"model": "en-de", "messages": [{"role": "user", "content": content}]}
    answer = client.post("/v1/chat/completions", json=asked)
    assert answer.status_code == 400 and "ja is not supported" in answer.text


@pytest.mark.parametrize("text", ["{}", "{not json", '{"strings": []}', "[1]", '"a"', "Open it."])
def test_other_texts_are_not_of_weblate(text):
    assert WeblateRequest.of(text) is None


def test_text_around_placeholders_comes_back_as_it_is():
    for string in WeblateRequest.of(json.dumps(MESSAGE)).strings:
        assert string.read(string.text) == string.source


def test_omegat_asks_by_the_route_of_apertium(client):
    asked = {"q": "Open the file.", "markUnknown": "no", "langpair": "en|de", "key": "own"}
    answer = client.get("/translate", params=asked)
    assert answer.status_code == 200
    data = answer.json()
    assert data["responseData"] == {"translatedText": "Öffnen Sie die Datei."}
    assert data["responseStatus"] == 200
    for pair, status in (("en|ja", 400), ("ende", 400)):
        answer = client.get("/translate", params=asked | {"langpair": pair})
        assert answer.status_code == status
        assert answer.json()["status"] == "error" and answer.json()["message"]
    assert client.get("/translate").status_code == 400


def test_deepl_lists_languages_by_resource(client):
    found = client.get("/v3/languages", params={"resource": "translate_text"}).json()
    assert {
        each["lang"]: (each["usable_as_source"], each["usable_as_target"]) for each in found
    } == {"en": (True, False), "de": (False, True)}
    assert found[0]["name"] == "English" and found[0]["status"] == "stable"
    assert found[0]["features"]["glossary"] == {"status": "stable"}
    for params in ({}, {"resource": "voice"}):
        assert client.get("/v3/languages", params=params).status_code == 400
