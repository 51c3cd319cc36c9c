"""One run of many languages, through every API of the service."""

from __future__ import annotations

import time

import pytest

from docmt_llm.language_model.language_model import LanguageModelTranslator
from docmt_serve.models.models import Model, Models
from scripted_model import ScriptedModel, translate

LANGUAGES = ("en", "de", "fr", "pt-BR")


@pytest.fixture
def scripted():
    return ScriptedModel()


@pytest.fixture
def client(client_of, scripted):
    many = LanguageModelTranslator.of(scripted, ("en", "de"), all_languages=LANGUAGES)
    return client_of(Models([Model("many", many)]))


def into(scripted):
    """The languages of the last request, as the prompt names them."""
    system = scripted.requests[-1].messages[0].content.partition(",")[0]
    return system.removeprefix("You translate a document from ").split(" into ")


@pytest.mark.parametrize(
    ("source", "target", "names"),
    [
        ("en", "de", ["English", "German"]),
        ("fr", "en", ["French", "English"]),
        ("de", "pb", ["German", "Portuguese (Brazil)"]),
        ("auto", "fr", ["English", "French"]),
    ],
)
def test_libretranslate_translates_between_all(client, scripted, source, target, names):
    asked = {"q": "This is the new file of the project.", "source": source, "target": target}
    body = client.post("/translate", json=asked).json()
    assert body["translatedText"] == translate(asked["q"])
    assert into(scripted) == names


def test_languages_are_listed_with_all_others(client):
    listed = {each["code"]: set(each["targets"]) for each in client.get("/languages").json()}
    assert listed == {code: set(LANGUAGES) - {code} for code in LANGUAGES}
    deepl = client.get("/v2/languages", params={"type": "target"}).json()
    codes = {each["language"] for each in deepl}
    assert codes == {"DE", "EN-GB", "EN-US", "FR", "PT-BR"}
    formal = {each["language"] for each in deepl if each["supports_formality"]}
    assert formal == {"DE", "FR", "PT-BR"}
    (model,) = client.get("/models").json()
    assert model["name"] == "many" and model["sources"] == model["targets"] == list(LANGUAGES)


def test_deepl_translates_between_all(client, scripted):
    asked = {"text": ["Open it."], "source_lang": "FR", "target_lang": "PT-BR"}
    answer = client.post("/v2/translate", json=asked).json()
    assert answer["translations"][0]["detected_source_language"] == "FR"
    assert into(scripted) == ["French", "Portuguese (Brazil)"]


def test_a_name_may_have_languages(client, scripted):
    asked = {"model": "many/fr/de", "messages": [{"role": "user", "content": "Open it."}]}
    assert client.post("/v1/chat/completions", json=asked).status_code == 200
    assert into(scripted) == ["French", "German"]
    asked["model"] = "many/fr/ja"
    assert client.post("/v1/chat/completions", json=asked).status_code >= 400


def test_a_file_is_translated_between_the_languages_of_its_request(client, scripted):
    files = {"file": ("a.md", b"Open **it**.\n")}
    job = client.post("/translate_file", data={"source": "de", "target": "fr"}, files=files)
    assert client.get(job.json()["translatedFileUrl"]).text == "Upin **ot**.\n"
    assert into(scripted) == ["German", "French"]


def test_a_language_that_the_run_lacks_is_refused(client):
    for source, target in (("ja", "de"), ("en", "ja")):
        answer = client.post("/translate", json={"q": "a", "source": source, "target": target})
        assert answer.status_code == 400
        assert answer.json() == {"error": "ja is not supported"}


def test_deepl_passes_instructions_and_formality_on(client, scripted):
    asked = {"text": ["Open it."], "source_lang": "EN", "target_lang": "DE"}
    more = {"custom_instructions": ["Be brief.", "No jokes."], "formality": "prefer_less"}
    assert client.post("/v2/translate", json=asked | more).status_code == 200
    system = scripted.requests[-1].messages[0].content
    assert r"Be brief.\nNo jokes." in system and "informally wherever German" in system
    described = asked | {"q": "Open", "source": "en", "target": "de", "description": "a button"}
    del described["text"], described["source_lang"], described["target_lang"]
    assert client.post("/translate", json=described).status_code == 200
    assert '"description": "a button"' in scripted.requests[-1].messages[1].content


GERMAN, ENGLISH = b"Das ist ein Satz, den jeder lesen kann.", b"This is a sentence for everyone."


def ended(client, job):
    """The state of a job of DeepL's API at its end."""
    path, key = f"/v2/document/{job['document_id']}", {"document_key": job["document_key"]}
    while (state := client.post(path, json=key).json())["status"] in ("queued", "translating"):
        time.sleep(0.01)
    return state


def test_the_language_of_a_file_is_detected(client, scripted):
    for text, name in ((GERMAN, "German"), (ENGLISH, "English")):
        files = {"file": ("a.txt", text)}
        job = client.post("/translate_file", data={"source": "auto", "target": "fr"}, files=files)
        assert job.status_code == 200
        assert into(scripted) == [name, "French"]
        job = client.post("/v2/document", data={"target_lang": "PT-BR"}, files=files).json()
        assert ended(client, job)["status"] == "done"
        assert into(scripted) == [name, "Portuguese (Brazil)"]
    job = client.post("/jobs", data={"source": "auto", "target": "fr"}, files=files).json()
    while (state := client.get(f"/jobs/{job['id']}").json())["status"] != "done":
        assert state["status"] != "error", state
        time.sleep(0.01)
    assert state["model"] == "many/en/fr"


def test_a_file_in_the_target_language_is_refused(client, scripted):
    files = {"file": ("a.txt", GERMAN)}
    job = client.post("/v2/document", data={"target_lang": "DE"}, files=files).json()
    state = ended(client, job)
    assert state["status"] == "error"
    assert "Source and target language of the file are both German" in state["error_message"]
    assert scripted.requests == []
    told = {"target_lang": "DE", "source_lang": "FR"}
    assert (
        ended(client, client.post("/v2/document", data=told, files=files).json())["status"]
        == "done"
    )


def test_english_has_no_formality(client):
    asked = {"text": ["Offen."], "source_lang": "DE", "target_lang": "EN-US", "formality": "more"}
    answer = client.post("/v2/translate", json=asked)
    assert answer.json() == {"message": "Target language does not support 'formality'."}
    asked["formality"] = "prefer_more"
    assert client.post("/v2/translate", json=asked).status_code == 200


def test_a_glossary_of_a_language_that_no_model_has_is_refused(client):
    asked = {"name": "a", "source_lang": "en", "target_lang": "ja", "entries": "a\tb"}
    assert client.post("/v2/glossaries", json=asked).status_code == 400
    empty = client.post("/v3/glossaries", json={"name": "a", "dictionaries": []})
    assert empty.json()["dictionaries"] == []
