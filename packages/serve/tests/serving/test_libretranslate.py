"""LibreTranslate's API answers as LibreTranslate does, in all forms of requests."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.base.translations import Translation
from docmt_serve.models.models import Model, Models
from docmt_serve.requests.identifiers import safe_name
from docmt_serve.service.service_settings import ServiceSettings
from shouting_translator import Shouting

ASKED = {"q": "Open the file.", "source": "en", "target": "de"}
OPENED = "Öffnen Sie die Datei."


class Counting(Shouting):
    """Translates a sentence into its number and that of all sentences of its document."""

    def translate(self, request, **keys):
        numbered = [
            Document(d.id, tuple(f"{i}/{len(d)}" for i in range(1, len(d) + 1)))
            for d in request.documents
        ]
        counted = super().translate(replace(request, documents=numbered), **keys)
        return [
            Translation.of(document.id, document.source, each.target)
            for document, each in zip(request.documents, counted, strict=True)
        ]


@pytest.fixture
def shouting(client_of):
    return client_of(Models([Model("fr-de", Shouting())]))


def test_each_line_is_translated_by_itself(client):
    lines = ["apple", "bread", "", "Open the file", "print the page"]
    answer = client.post("/translate", json=ASKED | {"q": "\n".join(lines), "sentences": True})
    body = answer.json()
    assert [each["source"] for each in body["sentences"]] == [line for line in lines if line]
    assert len(body["translatedText"].split("\n")) == len(lines)


@pytest.mark.parametrize(
    "form",
    [
        {"json": ASKED},
        {"data": ASKED},
        {"params": ASKED},
        {"files": {k: (None, v) for k, v in ASKED.items()}},
    ],
    ids=["json", "form", "url", "multipart"],
)
def test_every_form_of_a_request_is_understood(client, form):
    answer = client.post("/translate", **form)
    assert answer.status_code == 200
    assert answer.json() == {"translatedText": OPENED}


def test_a_list_gives_a_list_and_alternatives_only_where_they_are_asked_for(client):
    answer = client.post(
        "/translate", json=ASKED | {"q": ["Open the file.", ""], "alternatives": 1}
    )
    body = answer.json()
    assert body["translatedText"] == [OPENED, ""]
    assert [len(each) for each in body["alternatives"]] == [1, 0]
    assert "detectedLanguage" not in body


def test_the_detected_language_is_told_where_it_was_not_given(client):
    body = client.post("/translate", json=ASKED | {"source": "auto"}).json()
    assert body["detectedLanguage"]["language"] == "en"
    assert 0 <= body["detectedLanguage"]["confidence"] <= 100


def test_tags_stay_in_html_and_characters_stay_escaped(shouting):
    asked = {"q": "<p>a &lt; b <b>c</b></p>", "source": "fr", "target": "de", "format": "html"}
    body = shouting.post("/translate", json=asked).json()
    assert body["translatedText"] == "<p>A &lt; B <b>C</b></p>"


def test_texts_of_one_document_are_context_for_each_other(client_of):
    client = client_of(Models([Model("counting", Counting())]))
    asked = {"q": ["un. deux.", "trois."], "source": "fr", "target": "de"}
    one = client.post("/translate", json=asked | {"document": True, "sentences": True}).json()
    assert one["translatedText"] == ["1/3 2/3", "3/3"]
    pairs = [[pair["source"] for pair in text] for text in one["sentences"]]
    assert pairs == [["un.", "deux."], ["trois."]]
    alone = client.post("/translate", json=asked).json()
    assert alone["translatedText"] == ["1/2 2/2", "1/1"]
    after = client.post("/translate", json=asked | {"q": "trois.", "context": "un. deux."}).json()
    assert after["translatedText"] == "3/3"


def test_a_translation_goes_on_from_sentences_that_are_known(client):
    text = "Open the file. Then close it."
    asked = ASKED | {"q": text, "sentences": True, "known": ["Machen Sie die Datei auf."]}
    pairs = client.post("/translate", json=asked).json()["sentences"]
    assert pairs[0]["target"] == "Machen Sie die Datei auf."
    assert [pair["chunk"] for pair in pairs] == [0, 0]
    for wrong in ({"known": ["a", "b"]}, {"q": [text, text], "document": False}):
        assert client.post("/translate", json=asked | wrong).status_code == 400


def test_a_glossary_can_come_with_the_text(client):
    asked = ASKED | {"q": "Delete the folder.", "glossary": "folder\tMappe\n"}
    assert "Mappe" in client.post("/translate", json=asked).json()["translatedText"]
    assert client.post("/translate", json=asked | {"glossary": "folder"}).status_code == 400


@pytest.mark.parametrize(
    ("change", "status", "message"),
    [
        ({"q": None}, 400, "Invalid request: missing q parameter"),
        ({"source": None}, 400, "Invalid request: missing source parameter"),
        ({"target": "zz"}, 400, "zz is not supported"),
        ({"target": "nonsense!"}, 400, "not supported"),
        ({"format": "pdf"}, 400, "pdf format is not supported"),
        ({"alternatives": -1}, 400, "alternatives must be a number"),
        ({"q": 5}, 400, "q must be a text"),
        ({"q": ["a", {}]}, 400, "q must be a text"),
        ({"q": "\ud800"}, 400, "not valid JSON"),
        ({"q": "a" * 101}, 413, "exceed text limit (100)"),
        ({"q": ["a"] * 4}, 400, "exceed the limit (3)"),
        ({"document": "perhaps"}, 400, "document must be true or false"),
    ],
)
def test_what_is_wrong_is_told_as_an_error(client_of, change, status, message):
    import json

    client = client_of(char_limit=100, batch_limit=3)
    body = json.dumps({k: v for k, v in (ASKED | change).items() if v is not None})
    answer = client.post("/translate", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == status
    assert message.replace("exceeds", "exceed") in answer.json()["error"].replace(
        "exceeds", "exceed"
    )


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", b"[" * 100_000, b'{"q":' + b'{"a":' * 500])
def test_a_body_that_is_not_an_object_is_refused(client, body):
    answer = client.post("/translate", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert "error" in answer.json()


def test_a_body_over_the_limit_is_refused_before_it_is_read(client_of):
    client = client_of(char_limit=10)
    assert client.post("/translate", data=ASKED | {"q": "a" * 100_000}).status_code == 413


def test_an_internal_error_says_nothing_of_the_text(shouting, caplog):
    answer = shouting.post("/translate", data={"q": "fail", "source": "fr", "target": "de"})
    assert (answer.status_code, answer.json()) == (500, {"error": "internal error"})
    assert "secret" not in caplog.text


def test_languages_and_their_targets_are_listed_and_those_without_targets_too(client_of, model):
    models = [model, Model("a", Shouting("en", "fr")), Model("b", Shouting("pt_BR", "zh_Hant"))]
    client = client_of(Models(models))
    listed = client.get("/languages").json()
    assert [(each["code"], each["targets"]) for each in listed] == [
        ("en", ["de", "fr"]),
        ("pt-BR", ["zh-Hant"]),
        ("de", []),
        ("fr", []),
        ("zh-Hant", []),
    ]
    assert client.post("/languages").status_code == 405
    values = {"q": "a", "source": "pb", "target": "zt"}
    assert client.post("/translate", data=values).json() == {"translatedText": "A"}


def test_a_model_can_be_asked_for_by_its_name(client_of):
    models = Models([Model("one", Shouting()), Model("two", Shouting("fr", "en"))])
    client = client_of(models)
    asked = {"q": "un", "source": "fr", "target": "en", "model": "two"}
    assert client.post("/translate", data=asked).json() == {"translatedText": "UN"}
    for name in ("one", "three"):  # of other languages, and unknown
        assert client.post("/translate", data=asked | {"model": name}).status_code == 400


def test_the_most_probable_language_is_detected(client_of):
    client = client_of(Models([Model("a", Shouting("fr")), Model("b", Shouting("en"))]))
    ranked = client.post("/detect", data={"q": "Ouvrez le fichier et fermez la porte."}).json()
    assert [each["language"] for each in ranked] == ["fr", "en"]
    assert ranked[0]["confidence"] > 50 > ranked[1]["confidence"]


def test_browsers_of_other_pages_may_use_it(client):
    for answer in (client.options("/translate"), client.get("/health"), client.get("/nothing")):
        assert answer.headers["access-control-allow-origin"] == "*"


def test_a_file_comes_back_translated_as_an_attachment(client):
    values = {"source": "en", "target": "de"}
    answer = client.post(
        "/translate_file", data=values, files={"file": ("g.md", b"Open the **file**.\n")}
    )
    url = answer.json()["translatedFileUrl"]
    assert url.startswith("http://")
    assert url.endswith("/g.md")
    file = client.get(url)
    assert file.content == "Öffnen Sie die **Datei**.\n".encode()
    assert file.headers["content-disposition"].startswith("attachment")
    assert file.headers["x-content-type-options"] == "nosniff"
    job = url.split("/")[-2].partition(".")[0]
    for opened in ("0" * 32, job, f"{job}.", f"{job}.wrong"):
        assert client.get(f"/download_file/{opened}/g.md").status_code == 404
    assert client.get(f"/jobs/{job}/result").status_code == 404


def test_a_file_that_cannot_be_translated_is_an_error_without_paths(client, tmp_path):
    values = {"source": "en", "target": "de"}
    answer = client.post("/translate_file", data=values, files={"file": ("g.pdf", b"%PDF-1.7")})
    assert answer.status_code == 400
    assert "PDF" in answer.json()["error"]
    assert str(tmp_path) not in answer.json()["error"]
    assert (
        client.post("/translate_file", data=values).json()["error"]
        == "Invalid request: missing file"
    )


def test_a_bomb_is_refused_and_the_service_goes_on(client):
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"\0" * 300_000_000)
    values = {"source": "en", "target": "de"}
    answer = client.post(
        "/translate_file", data=values, files={"file": ("b.docx", bomb.getvalue())}
    )
    assert answer.status_code == 400
    assert client.post("/translate", data=ASKED).status_code == 200


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\docs\\a.docx", "a.docx"),
        ("a\r\nSet-Cookie: b.md", "a__Set-Cookie_ b.md"),
        (".hidden", "hidden"),
        ("", "file"),
        (None, "file"),
        ("..", "file"),
        ("é" * 300 + ".docx", "é" * 97 + ".docx"),
    ],
)
def test_names_of_files_are_kept_without_what_could_do_harm(name, kept):
    assert safe_name(name) == kept


def test_other_machines_are_served_only_if_somebody_says_so():
    with pytest.raises(InputError, match="keys"):
        ServiceSettings(host="0.0.0.0")
    ServiceSettings(host="0.0.0.0", open=True)


def test_a_parameter_that_is_not_honored_is_refused_by_name(client):
    answer = client.post("/translate", json=ASKED | {"glossary_id": "a"})
    assert (answer.status_code, answer.json()) == (400, {"error": "glossary_id is not supported"})
    languages, files = {"source": "en", "target": "de"}, {"file": ("a.txt", b"Open the file.")}
    for path in ("/translate_file", "/jobs"):
        answer = client.post(path, data=languages | {"glossary_id": "a"}, files=files)
        assert (answer.status_code, answer.json()["error"]) == (400, "glossary_id is not supported")


def test_another_value_in_the_url_than_in_the_body_is_refused(client):
    answer = client.post("/translate?target=fr", json=ASKED)
    assert (answer.status_code, answer.json()) == (
        400,
        {"error": "target has other values in the URL and in the body"},
    )
    assert client.post(f"/translate?target={ASKED['target']}", json=ASKED).status_code == 200


def test_each_text_of_a_list_is_translated_by_the_model_of_its_language(client_of):
    client = client_of(Models([Model("fr-de", Shouting()), Model("es-de", Shouting("es"))]))
    texts = [
        "Ouvrez le fichier avec la souris.",
        "Abra el archivo con el ratón.",
        "Fermez la porte.",
    ]
    asked = {"q": texts, "source": "auto", "target": "de"}
    answer = client.post("/translate", json=asked).json()
    assert [each["language"] for each in answer["detectedLanguage"]] == ["fr", "es", "fr"]
    assert answer["translatedText"] == [text.upper() for text in texts]


PORTUGUESE = (
    "Abra o ficheiro e feche a porta, porque o tempo não espera por ninguém e o gato ainda está no "
    "telhado da casa, onde as crianças brincam todas as tardes."
)


def test_a_language_that_is_not_served_is_named_and_refused(client_of):
    client = client_of(Models([Model("m", Shouting("en", "de")), Model("n", Shouting("fr", "de"))]))
    first, *others = client.post("/detect", json={"q": PORTUGUESE}).json()
    assert first["language"] == "pt" and first["confidence"] > 50
    assert {each["language"] for each in others} == {"en", "fr"}
    asked = {"q": PORTUGUESE, "source": "auto", "target": "de"}
    answer = client.post("/translate", json=asked)
    assert answer.status_code == 400
    assert "Portuguese, from which no model translates into German" in answer.json()["error"]
    given = client.post("/translate", json={**asked, "source": "en"})
    assert given.json()["translatedText"] == PORTUGUESE.upper()
    short = {**asked, "q": "O gato dorme no sofá porque está cansado."}
    assert client.post("/translate", json=short).status_code == 400
    for text in ("OK", "Dr. Silva, Lisboa", "The word gato is Portuguese."):
        assert client.post("/translate", json={**asked, "q": text}).status_code == 200
