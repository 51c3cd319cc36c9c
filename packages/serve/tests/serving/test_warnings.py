"""Warnings reach clients of all APIs, also those that read translations only."""

from __future__ import annotations

import json

import pytest

from docmt_files.base.documents import SentenceWarning
from docmt_serve.models.models import Model, Models
from shouting_translator import Shouting

WARNING = SentenceWarning("numbers", "ü\r\nSet-Cookie: a")


class Warned(Shouting):
    """Warns of numbers in sentences with the word WARN."""

    def translate(self, request, **keys):
        translations = super().translate(request, **keys)
        return [
            translation.with_sentences(
                each.warned([WARNING] if "WARN" in each.source else [])
                for each in translation.sentences
            )
            for translation in translations
        ]


@pytest.fixture
def client(client_of):
    return client_of(Models([Model("m", Warned("en", "de"))]))


TEXTS = ["One. Two.", "", "One. WARN two. WARN three."]


@pytest.mark.parametrize(
    ("path", "asked", "told"),
    [
        ("/translate", {"q": TEXTS, "source": "en", "target": "de"}, "2.1 numbers, 2.2 numbers"),
        ("/v2/translate", {"text": TEXTS, "target_lang": "DE"}, "2.1 numbers, 2.2 numbers"),
        (
            "/v1/chat/completions",
            {"model": "m", "messages": [{"role": "user", "content": "One. WARN."}]},
            "0.1 numbers",
        ),
        ("/translate", {"q": "One.", "source": "en", "target": "de"}, None),
        (
            "/translate",
            {"q": "WARN. " * 70, "source": "en", "target": "de"},
            ", ".join([*(f"0.{n} numbers" for n in range(50)), "and 20 more"]),
        ),
    ],
)
def test_a_header_says_which_sentence_has_which_warning(client, path, asked, told):
    answer = client.post(path, json=asked)
    assert (answer.status_code, answer.headers.get("x-docmt-warnings")) == (200, told)


class InParts(Warned):
    """Gives a stream a sentence at a time."""

    @property
    def gives(self):
        return super().gives | {"revisions"}


@pytest.mark.parametrize(("kind", "parts"), [(Warned, 1), (InParts, 4)])
def test_the_last_chunk_of_a_stream_has_the_warnings(client_of, kind, parts):
    client = client_of(Models([Model("m", kind("en", "de"))]))
    asked = [{"role": "user", "content": "One. WARN two. Three. WARN four."}]
    answer = client.post(
        "/v1/chat/completions", json={"model": "m", "stream": True, "messages": asked}
    )
    *chunks, last, end = answer.text.split("\n\n")[:-1]
    assert (len(chunks), end) == (parts, "data: [DONE]")
    assert json.loads(last.removeprefix("data: "))["warnings"] == ["0.1 numbers", "0.3 numbers"]
    assert not any("warnings" in chunk for chunk in chunks)
