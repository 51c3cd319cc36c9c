"""Sentences with a similar one in a memory are translated in the words of the person."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

import docmt_nmt
from docmt.memory import TranslationMemory, Unit
from docmt.translating.from_memory import FromMemory
from docmt.translating.text_repairs import similar_words
from docmt.translating.text_repairs.of_texts import repairs
from docmt.translating.text_repairs.similar_words import SimilarWords
from docmt_files import word_spans
from docmt_nmt.base.translations import TranslatedSentence, Translation
from docmt_nmt.translators import TranslationRequest, Translator, planned
from firefox_models import needs_firefox_models

SOURCE = "Close the backup before you delete the other files."
UNIT = Unit("Close the backup before you delete these files.",
            "Feche a segurança antes de apagar estes arquivos.")  # fmt: skip
FREE = "Feche o backup antes de excluir os outros arquivos."
GOOD = "Feche a segurança antes de apagar os outros arquivos."
WORDS = {"close": "Feche", "backup": "segurança", "before": "antes", "delete": "apagar",
         "files": "arquivos"}  # fmt: skip


@dataclass(frozen=True)
class Searching(Translator):
    """Gives the free translation, and with required words another one."""

    again: str
    log_probability: float = -0.2
    gives: frozenset[str] = frozenset({"sentences", "words", "revisions"})
    languages: tuple[str, str] = ("en", "pt")
    requests: list[TranslationRequest] = field(default_factory=list)

    def translate(self, request, *, progress=None, journal=None):  # noqa: ARG002
        request = planned(self, request).request
        self.requests.append(request)
        is_again = request.revision is not None and bool(request.revision.required)
        text = (self.again, self.log_probability) if is_again else (FREE, -0.2)
        return [
            Translation(each.id, (TranslatedSentence(each.sentences[0].text, *text),), (1,))
            for each in request.sources
        ]


@pytest.fixture
def by_table(monkeypatch):
    """Words are aligned by a table."""

    def align(document, indices):
        found = {}
        for index in indices:
            texts = document.source[index], document.target[index]
            own, theirs = ([t[a:b] for a, b in word_spans(t)] for t in texts)
            rows = [[float(WORDS.get(o.lower()) == t) for t in theirs] for o in own]
            found[index] = np.array(rows)
        return found

    monkeypatch.setattr(similar_words, "code_aligner", lambda _: (align, list))


def translated(translator, unit=UNIT, source=SOURCE):
    memory = TranslationMemory(None, ("en", "pt"))
    memory.add([unit])
    document = docmt_nmt.Document("d", (source,))
    found = docmt_nmt.translate(FromMemory(translator, (memory,)), [document], [SimilarWords()])
    return found[0].sentences[0]


@pytest.mark.usefixtures("by_table")
def test_words_of_the_person_are_required_and_the_match_is_still_shown():
    translator = Searching(GOOD)
    found = translated(translator)
    assert (found.target, found.match.kind, found.match.target) == (GOOD, "fuzzy", UNIT.target)
    required = translator.requests[-1].revision.required
    assert required == {(0, 0): [("segurança", "Segurança"), ("apagar", "Apagar")]}


@pytest.mark.usefixtures("by_table")
@pytest.mark.parametrize(
    ("again", "log_probability"),
    [
        (GOOD, -1.3),
        ("Feche a segurança antes de excluir os outros arquivos.", -0.2),
        ("Segurança, apagar.", -0.2),
        ("Feche a segurança. Depois pode apagar os outros arquivos.", -0.2),
    ],
)
def test_a_translation_that_loses_something_is_not_taken(again, log_probability):
    assert translated(Searching(again, log_probability)).target == FREE


@pytest.mark.usefixtures("by_table")
@pytest.mark.parametrize(
    "unit", [replace(UNIT, is_reviewed=False), replace(UNIT, target="Feche antes os arquivos.")]
)
def test_without_words_of_a_person_nothing_is_asked_again(unit):
    translator = Searching(GOOD)
    assert translated(translator, unit).target == FREE
    assert len(translator.requests) == 1


@pytest.mark.usefixtures("by_table")
def test_a_language_model_is_not_asked_again():
    translator = Searching(GOOD, gives=Searching.gives | {"instructions"})
    assert (translated(translator).target, len(translator.requests)) == (FREE, 1)


@needs_firefox_models
def test_a_model_of_firefox_takes_the_words_of_the_memory(en_pt):
    memory = TranslationMemory(None, ("en", "pt"))
    memory.add(
        [Unit("To open a guide, follow these steps.", "Para abrir uma guia, siga as etapas.")]
    )
    document = docmt_nmt.Document("a", ("To open a new guide, follow these steps.",))
    targets = [
        docmt_nmt.translate(FromMemory(en_pt, (memory,)), [document], each)[0].target[0]
        for each in ([], repairs(consistent=False))
    ]
    assert ["etapas" in target for target in targets] == [False, True]
