"""DeepL's own client works with docmt: texts, files, glossaries, languages and usage."""

from __future__ import annotations

import csv
import io
import time
from types import SimpleNamespace

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_serve.models.models import Model, Models
from docmt_serve.requests.service_errors import ServiceError
from docmt_serve.stores.glossary_entries import glossary_of, read_entries, write_entries
from docmt_serve.stores.glossary_store import Dictionary, GlossaryStore
from shouting_translator import Shouting

ASKED = {"text": ["Open the file."], "source_lang": "EN", "target_lang": "DE"}
OPENED = "Öffnen Sie die Datei."


@pytest.fixture
def deepl(server, monkeypatch):
    package = pytest.importorskip("deepl", reason="needs the package deepl")
    # The client asks every five seconds how far a document is.
    clock = SimpleNamespace(time=time.time, sleep=lambda _: time.sleep(0.05))
    monkeypatch.setattr("deepl.translator.time", clock)
    url, key = server
    return package.DeepLClient(key, server_url=url, send_platform_info=False)


def test_texts_are_translated_each_on_its_own(deepl):
    one = deepl.translate_text("Open the file.", target_lang="DE")
    assert (one.text, one.detected_source_lang, one.billed_characters) == (OPENED, "EN", 14)
    several = deepl.translate_text(["Open the file.", ""], source_lang="EN", target_lang="DE")
    assert [each.text for each in several] == [OPENED, ""]


def test_texts_can_be_one_document(client):
    texts = ["Here is a new workbook.", "Delete it."]
    body = client.post("/v2/translate", json=ASKED | {"text": texts, "document": True}).json()
    after = ASKED | {"text": texts[1:], "context": texts[0]}
    (second,) = client.post("/v2/translate", json=after).json()["translations"]
    assert second["text"] == body["translations"][1]["text"]


def test_elements_that_are_ignored_stay_as_they_are(deepl):
    text = "Open the <x id='1'>file</x> &amp; close <b translate=\"no\">it</b>."
    result = deepl.translate_text(text, target_lang="DE", tag_handling="xml", ignore_tags="X")
    assert "<x id='1'>file</x>" in result.text
    assert '<b translate="no">it</b>' in result.text


LINES = "Open the file\nprint the page. Close it.\n\napple"


@pytest.mark.by_default(4)
@pytest.mark.parametrize(
    ("asked", "sentences"),
    [
        ({}, ["Open the file", "print the page.", "Close it.", "apple"]),
        ({"split_sentences": "1"}, ["Open the file", "print the page.", "Close it.", "apple"]),
        ({"split_sentences": 1}, ["Open the file", "print the page.", "Close it.", "apple"]),
        (
            {"split_sentences": "nonewlines"},
            ["Open the file print the page.", "Close it.", "apple"],
        ),
        ({"split_sentences": "0"}, ["Open the file print the page. Close it. apple"]),
        ({"tag_handling": "html"}, ["Open the file print the page.", "Close it.", "apple"]),
        (
            {"tag_handling": "html", "split_sentences": "1"},
            ["Open the file", "print the page.", "Close it.", "apple"],
        ),
        ({"tag_handling": "xml"}, ["Open the file", "print the page.", "Close it.", "apple"]),
        (
            {"tag_handling": "xml", "split_sentences": "0"},
            ["Open the file print the page. Close it. apple"],
        ),
    ],
)
def test_sentences_end_as_the_request_says(client, asked, sentences):
    values = ASKED | {"text": [LINES], "sentences": True} | asked
    (found,) = client.post("/v2/translate", json=values).json()["translations"]
    assert [each["source"] for each in found["sentences"]] == sentences


def test_as_many_lines_come_out_as_go_in(deepl):
    lines = ["apple", "", "bread and butter", "  proton beam", "12", "the End"] * 20
    result = deepl.translate_text("\r\n".join(lines), source_lang="EN", target_lang="DE")
    translated = result.text.split("\r\n")
    assert [bool(line) for line in translated] == [bool(line) for line in lines]
    assert translated[3].startswith("  ") and translated[4] == "12"


def test_a_file_is_uploaded_watched_and_downloaded_once(deepl, tmp_path):
    source, target = tmp_path / "a.md", tmp_path / "b.md"
    source.write_text("Open the **file**.\n")
    status = deepl.translate_document_from_filepath(source, target, target_lang="DE")
    assert target.read_text("utf-8") == "Öffnen Sie die **Datei**.\n"
    assert (status.done, status.billed_characters) == (True, 19)


def test_a_document_needs_its_key_and_is_deleted_when_it_was_downloaded(client):
    files = {"file": ("a.md", b"Open the file.\n")}
    handle = client.post("/v2/document", data={"target_lang": "DE"}, files=files).json()
    url, key = f"/v2/document/{handle['document_id']}", {"document_key": handle["document_key"]}
    assert client.post(url, json={"document_key": "wrong"}).status_code == 404
    end = time.monotonic() + 20
    while (result := client.post(f"{url}/result", json=key)).status_code == 503:
        assert client.post(url, data=key).json()["status"] in ("queued", "translating", "done")
        assert time.monotonic() < end
        time.sleep(0.05)
    assert result.content == f"{OPENED}\n".encode()
    assert client.post(url, json=key).status_code == 404


def test_a_document_is_reached_by_its_own_api_only(client):
    files = {"file": ("a.md", b"Open the file.\n")}
    handle = client.post("/v2/document", data={"target_lang": "DE"}, files=files).json()
    job, key = handle["document_id"], handle["document_key"]
    url = f"/v2/document/{job}"
    end = time.monotonic() + 20
    while client.post(url, json={"document_key": key}).json()["status"] != "done":
        assert time.monotonic() < end
        time.sleep(0.05)
    others = [f"/jobs/{job}", f"/jobs/{job}/result", f"/jobs/{job}/events"]
    others += [f"/download_file/{job}/a.md", f"/download_file/{job}.{key}/a.md"]
    assert [client.get(path).status_code for path in others] == [404] * 5
    assert client.delete(f"/jobs/{job}").status_code == 404
    assert client.post(url, json={"document_key": key}).status_code == 200


def test_a_glossary_of_version_two_is_made_used_and_deleted(deepl):
    glossary = deepl.create_glossary("one", "EN", "DE", {"folder": "Mappe", "file": "Akte"})
    assert (glossary.entry_count, glossary.ready) == (2, True)
    assert deepl.get_glossary_entries(glossary) == {"folder": "Mappe", "file": "Akte"}
    assert [each.glossary_id for each in deepl.list_glossaries()] == [glossary.glossary_id]
    text = deepl.translate_text_with_glossary("Delete the folder.", glossary).text
    assert "Mappe" in text
    deepl.delete_glossary(glossary)
    assert deepl.list_glossaries() == []


def test_a_glossary_of_version_three_has_several_dictionaries(deepl):
    from deepl.api_data import MultilingualGlossaryDictionaryEntries as Dictionary

    made = deepl.create_multilingual_glossary(
        "two",
        [Dictionary("EN", "DE", {"folder": "Mappe"}), Dictionary("DE", "EN", {"Mappe": "map"})],
    )
    assert len(made.dictionaries) == 2
    changed = deepl.update_multilingual_glossary_dictionary(
        made, Dictionary("EN", "DE", {"file": "Akte"})
    )
    entries = deepl.get_multilingual_glossary_entries(changed, "EN", "DE").dictionaries[0].entries
    assert entries == "folder\tMappe\nfile\tAkte"
    deepl.replace_multilingual_glossary_dictionary(made, Dictionary("EN", "DE", {"file": "Akte"}))
    deepl.delete_multilingual_glossary_dictionary(made, source_lang="DE", target_lang="EN")
    renamed = deepl.update_multilingual_glossary_name(made, "three")
    assert (renamed.name, len(renamed.dictionaries)) == ("three", 1)
    text = deepl.translate_text(
        "Open the file.", source_lang="EN", target_lang="DE", glossary=renamed
    )
    assert "Akte" in text.text
    assert [each.name for each in deepl.list_multilingual_glossaries()] == ["three"]
    deepl.delete_multilingual_glossary(made)


def test_languages_and_usage_are_told(deepl):
    before = deepl.get_usage().character.count
    deepl.translate_text("Open the file.", target_lang="DE")
    usage = deepl.get_usage()
    assert (usage.character.count - before, usage.any_limit_reached) == (14, False)
    assert [each.code for each in deepl.get_source_languages()] == ["EN"]
    assert [(each.code, each.supports_formality) for each in deepl.get_target_languages()] == [
        ("DE", False)
    ]


def test_a_translation_memory_is_listed_used_and_deleted(server, deepl, tmp_path):
    headers = {"Authorization": f"Bearer {server[1]}"}
    files = {"file": ("a.tsv", b"a\tOpen the file.\tAkte auf!\n")}
    asked = {"source": "en", "target": "de", "name": "Corporate"}
    made = httpx2.post(f"{server[0]}/memories", headers=headers, data=asked, files=files)
    assert made.status_code == 201, made.text
    (memory,) = deepl.list_translation_memories(page_size=5)
    assert (memory.name, memory.segment_count) == ("Corporate", 1)
    text = "Open the file. Close it."
    found = deepl.translate_text(
        text, source_lang="EN", target_lang="DE", translation_memory=memory,
        translation_memory_threshold=80,
    )  # fmt: skip
    assert found.text.startswith("Akte auf! ")
    (tmp_path / "a.txt").write_text("Open the file.")
    deepl.translate_document_from_filepath(
        tmp_path / "a.txt", tmp_path / "b.txt", source_lang="EN", target_lang="DE",
        translation_memory=memory,
    )  # fmt: skip
    assert (tmp_path / "b.txt").read_text() == "Akte auf!"
    assert deepl.get_translation_memory(memory).name == "Corporate"
    deepl.delete_translation_memory(memory)
    assert deepl.list_translation_memories() == []


def test_a_wrong_key_is_an_authorization_error(server, deepl):
    import deepl as package

    client = package.DeepLClient("wrong", server_url=server[0], send_platform_info=False)
    with pytest.raises(package.AuthorizationException):
        client.translate_text("a", target_lang="DE")


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"text": []}, 400),
        ({"target_lang": None}, 400),
        ({"target_lang": "XX"}, 400),
        ({"formality": "more"}, 400),
        ({"tag_handling": "pdf"}, 400),
        ({"split_sentences": "2"}, 400),
        ({"split_sentences": True}, 400),
        ({"glossary_id": "0" * 32}, 404),
        ({"text": ["a" * 101]}, 413),
    ],
)
def test_errors_have_a_message(client_of, change, status):
    answer = client_of(char_limit=100).post("/v2/translate", json=ASKED | change)
    assert (answer.status_code, list(answer.json())) == (status, ["message"])


@pytest.mark.parametrize(
    "name", ["custom_instructions", "style_id", "translation_memory", "glosary_id"]
)
def test_a_parameter_that_is_not_honored_is_refused_by_name(client, name):
    message = {"message": f"Parameter '{name}' is not supported."}
    answer = client.post("/v2/translate", json=ASKED | {name: "a"})
    assert (answer.status_code, answer.json()) == (400, message)
    languages = {"source_lang": "EN", "target_lang": "DE", name: "a"}
    files = {"file": ("a.txt", b"Open the file.")}
    answer = client.post("/v2/document", data=languages, files=files)
    assert (answer.status_code, answer.json()) == (400, message)


def test_each_text_of_a_list_has_its_own_language(client_of):
    models = [Model(source, Shouting(source)) for source in ("en", "fr")]
    client = client_of(Models(models))
    texts = ["faisceau de protons", "proton beam", "OK", "Ouvrez le fichier avec la souris."]
    asked = {"text": texts, "target_lang": "DE"}
    answers = client.post("/v2/translate", json=asked).json()["translations"]
    detected = [each["detected_source_language"] for each in answers]
    assert detected == ["FR", "EN", "FR", "FR"]  # "OK" has the language of all texts together
    assert [each["text"] for each in answers] == [text.upper() for text in texts]
    answers = client.post("/v2/translate", json=asked | {"document": True}).json()["translations"]
    assert {each["detected_source_language"] for each in answers} == {"FR"}


def test_each_code_is_listed_once_with_its_region(client_of):
    targets = ("en", "en-GB", "en_US", "pt", "pt-BR", "zh-Hant", "de")
    models = [Model(f"{n}", Shouting("fr", target)) for n, target in enumerate(targets)]
    models += [Model(f"from {tag}", Shouting(tag, "fr")) for tag in ("pt", "pt-BR", "pt_PT")]
    client = client_of(Models(models))
    answers = client.get("/v2/languages", params={"type": "target"}).json()
    assert {each["language"]: each["name"] for each in answers} == {
        "EN-GB": "English (United Kingdom)",
        "EN-US": "English (United States)",
        "PT-PT": "Portuguese (Portugal)",
        "PT-BR": "Portuguese (Brazil)",
        "ZH-HANT": "Chinese (Traditional)",
        "DE": "German",
        "FR": "French",
    }
    assert len(answers) == 7
    answers = client.get("/v2/languages").json()
    assert [each["language"] for each in answers] == ["FR", "PT"]


def test_a_region_chooses_words(client_of):
    client = client_of(Models([Model("fr-pt", Shouting("fr", "pt"))]))
    for target, expected in (("PT-BR", "USUÁRIO"), ("PT-PT", "UTILIZADOR"), ("PT", "UTILIZADOR")):
        asked = {"text": ["utilizador"], "source_lang": "FR", "target_lang": target}
        (answer,) = client.post("/v2/translate", json=asked).json()["translations"]
        assert answer["text"] == expected
    asked = {"q": "usuário", "source": "fr", "target": "pt-PT"}
    assert client.post("/translate", json=asked).json()["translatedText"] == "UTILIZADOR"
    models = Models([Model("fr-pt", Shouting("fr", "pt"))])
    regional = models.choose("fr", "pt-BR")
    assert regional.name == "fr-pt/fr/pt-BR"
    assert models.choose(None, None, regional.name) is regional


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ({"entries": "a"}, 400),
        ({"entries": "a\tb\na\tc"}, 400),
        ({"entries": ""}, 400),
        ({"entries_format": "xml"}, 400),
        ({"entries": 'a,"b', "entries_format": "csv"}, 400),
        ({"entries": '"a\nevil\tboese",c', "entries_format": "csv"}, 400),
        ({"entries": '"a\tb",c', "entries_format": "csv"}, 400),
        ({"entries": 'a,"b\u2028c"', "entries_format": "csv"}, 400),
        ({"entries": "\n" * 300_001}, 413),
        ({"source_lang": "not a language"}, 400),
        ({"name": " "}, 400),
    ],
)
def test_a_faulty_glossary_is_refused(client, values, status):
    whole = {"name": "g", "source_lang": "en", "target_lang": "de", "entries": "a\tb"}
    answer = client.post("/v2/glossaries", json=whole | values)
    assert (answer.status_code, list(answer.json())) == (status, ["message"])
    assert client.get("/v2/glossaries").json() == {"glossaries": []}


def test_glossaries_outlive_the_service_and_belong_to_their_account(tmp_path):
    first = GlossaryStore(tmp_path)
    first.open()
    stored = first.add("one", "g", (Dictionary("en", "de", (("a", "b"),)),))
    (tmp_path / "damaged.json").write_text("{}")
    again = GlossaryStore(tmp_path)
    again.open()
    assert again.of("one") == [stored]
    with pytest.raises(ServiceError):
        again.get("two", stored.id)


@given(
    st.lists(
        st.tuples(*[st.text(st.characters(exclude_categories=["Cs"]), min_size=1)] * 2),
        min_size=1,
        max_size=5,
    )
)
def test_entries_that_are_taken_are_read_back_alike(pairs):
    written = io.StringIO()
    csv.writer(written).writerows(pairs)
    try:
        entries = read_entries(written.getvalue(), "csv")
    except ServiceError:
        return
    assert read_entries(write_entries(entries), "tsv") == entries


def test_a_glossary_is_built_once(tmp_path, monkeypatch):
    built = []
    monkeypatch.setattr(
        "docmt_serve.stores.glossary_store.glossary_of",
        lambda entries: built.append(entries) or glossary_of(entries),
    )
    monkeypatch.setattr("docmt_serve.stores.glossary_store.MAX_ENTRIES", 2)
    store = GlossaryStore(tmp_path)
    store.open()
    first, second, third = (
        store.add("one", "g", (Dictionary("en", "de", ((text, text), ("c", "c"))),))
        for text in "xyz"
    )
    del third
    for glossary in (first, second, first, second):
        store.terms("one", [glossary.id], "en", "de")
    assert len(built) == 2
    changed = first.with_entries(Dictionary("en", "de", (("d", "d"),)))
    store.put(changed)
    assert len(store.terms("one", [first.id], "en", "de")) == 3
    assert len(built) == 3
    assert store.terms("one", [first.id], "en", "de").normalized(str.upper) is store.terms(
        "one", [first.id], "en", "de"
    ).normalized(str.upper)


def test_ignored_tags_count_and_have_a_limit(client_of):
    client = client_of(char_limit=100, batch_limit=10)
    many = ",".join(f"a{number}" for number in range(11))
    for tags, status in ((many, 400), ("a" * 100, 413), ("x", 200)):
        asked = ASKED | {"tag_handling": "xml", "ignore_tags": tags}
        assert client.post("/v2/translate", json=asked).status_code == status
