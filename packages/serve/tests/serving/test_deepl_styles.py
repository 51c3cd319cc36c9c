"""Style rules and several glossaries of DeepL's API, with a language model and without."""

from __future__ import annotations

import pytest

from docmt_llm.language_model.language_model import LanguageModelTranslator
from docmt_serve.models.models import Model, Models
from scripted_model import ScriptedModel

ASKED = {"text": ["Open the file."], "source_lang": "EN", "target_lang": "DE"}
RULES = {
    "name": "House",
    "language": "de",
    "configured_rules": {"punctuation": {"apostrophe": "use_curly_apostrophes"}},
    "custom_instructions": [
        {"label": "a", "prompt": "Be brief."},
        {"label": "b", "prompt": "Keep French names.", "source_language": "fr"},
    ],
}


@pytest.fixture
def scripted():
    return ScriptedModel()


@pytest.fixture
def follower(client_of, scripted):
    """A client of a service whose model follows instructions."""
    many = LanguageModelTranslator.of(scripted, ("en", "de"), all_languages=("en", "de", "fr"))
    return client_of(Models([Model("many", many)]))


def test_a_language_model_reads_the_style_rules_of_a_request(follower, scripted):
    style = follower.post("/v3/style_rules", json=RULES).json()
    more = {"style_id": style["style_id"], "custom_instructions": ["No jokes."]}
    assert follower.post("/v2/translate", json=ASKED | more).status_code == 200
    system = scripted.requests[-1].messages[0].content
    assert r"punctuation, apostrophe: use curly apostrophes\nBe brief.\nNo jokes." in system
    assert "French names" not in system
    more = {"style_id": style["style_id"], "source_lang": "FR"}
    follower.post("/v2/translate", json=ASKED | more)
    assert "Keep French names." in scripted.requests[-1].messages[0].content


def test_style_rules_are_for_their_language_and_account(follower):
    style = follower.post("/v3/style_rules", json=RULES).json()["style_id"]
    answer = follower.post("/v2/translate", json=ASKED | {"style_id": style, "target_lang": "FR"})
    assert (answer.status_code, "must match the language" in answer.json()["message"]) == (
        400,
        True,
    )
    answer = follower.post("/v2/translate", json=ASKED | {"style_id": "other"})
    assert answer.json() == {"message": "Style rule not found"}


def test_a_file_is_translated_by_style_rules(follower, scripted):
    style = follower.post("/v3/style_rules", json=RULES).json()["style_id"]
    values = {"source_lang": "EN", "target_lang": "DE", "style_id": style}
    job = follower.post("/v2/document", data=values, files={"file": ("a.txt", b"Open.")}).json()
    path, key = f"/v2/document/{job['document_id']}", {"document_key": job["document_key"]}
    while follower.post(path, json=key).json()["status"] != "done":
        pass
    assert "Be brief." in scripted.requests[-1].messages[0].content


def test_changes_of_style_rules_are_kept(follower):
    path = f"/v3/style_rules/{follower.post('/v3/style_rules', json=RULES).json()['style_id']}"
    follower.patch(path, json={"name": "New"})
    follower.put(f"{path}/configured_rules", json={"numbers": {"currency": "before"}})
    first, second = follower.get(path).json()["custom_instructions"]
    one = f"{path}/custom_instructions/{first['id']}"
    follower.put(one, json={"label": "c", "prompt": "Be formal."})
    follower.delete(f"{path}/custom_instructions/{second['id']}")
    style = follower.get(path).json()
    assert (style["name"], style["version"]) == ("New", 5)
    assert style["configured_rules"] == {"numbers": {"currency": "before"}}
    assert [each["prompt"] for each in style["custom_instructions"]] == ["Be formal."]
    listed = follower.get("/v3/style_rules").json()["style_rules"]
    assert [each["name"] for each in listed] == ["New"]
    assert "custom_instructions" not in listed[0]
    assert follower.delete(path).status_code == 204
    assert follower.get("/v3/style_rules").json() == {"style_rules": []}


@pytest.mark.parametrize(
    "rules",
    [
        {"name": "", "language": "de"},
        {"name": "a"},
        {"name": "a", "language": "de", "configured_rules": {"a": "b"}},
        {"name": "a", "language": "de", "custom_instructions": [{"label": "a"}]},
        {
            "name": "a",
            "language": "de",
            "custom_instructions": [{"label": "a", "prompt": "b" * 301}],
        },
    ],
)
def test_style_rules_that_are_not_valid_are_refused(follower, rules):
    assert follower.post("/v3/style_rules", json=rules).status_code == 400


def test_a_model_that_follows_no_instructions_refuses_style_rules(client):
    style = client.post("/v3/style_rules", json=RULES).json()["style_id"]
    answer = client.post("/v2/translate", json=ASKED | {"style_id": style})
    assert answer.json() == {"message": "Parameter 'style_id' is not supported."}


def _glossary(client, entries):
    pair = {"source_lang": "en", "target_lang": "de", "entries": entries}
    return client.post("/v2/glossaries", json={"name": "g", **pair}).json()["glossary_id"]


def test_terms_of_several_glossaries_are_used(client):
    first, second = _glossary(client, "file\tAkte"), _glossary(client, "folder\tMappe\nfile\tFeile")
    asked = ASKED | {"text": ["Delete the file.", "Delete the folder."]}
    answer = client.post("/v2/translate", json=asked | {"glossary_ids": [first, second]})
    texts = [each["text"] for each in answer.json()["translations"]]
    assert ("Akte" in texts[0], "Mappe" in texts[1]) == (True, True)
    values = {"source_lang": "EN", "target_lang": "DE", "glossary_ids": f"{first},{second}"}
    files = {"file": ("a.txt", b"Delete the folder.")}
    job = client.post("/v2/document", data=values, files=files).json()
    path, key = f"/v2/document/{job['document_id']}", {"document_key": job["document_key"]}
    while client.post(path, json=key).json()["status"] != "done":
        pass
    assert "Mappe" in client.post(f"{path}/result", json=key).text


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"glossary_ids": ["a"] * 6}, "more than 5"),
        ({"glossary_ids": ["a"], "glossary_id": "b"}, "cannot be used with"),
        ({"glossary_ids": ["a"], "source_lang": ""}, "'source_lang' is needed"),
        ({"glossary_ids": ["a"]}, "Glossary not found"),
    ],
)
def test_lists_of_glossaries_that_cannot_be_used_are_refused(client, values, told):
    answer = client.post("/v2/translate", json=ASKED | values)
    assert answer.status_code >= 400 and told in answer.json()["message"]
