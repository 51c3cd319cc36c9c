"""Words left beside codes are translated with other stand-ins, or marked."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import docmt_nmt
from docmt.translating.text_repairs.left_words import LeftWords
from docmt_nmt.base.translations import TranslatedSentence, Translation
from docmt_nmt.translators import SourceDocument, TranslationRequest, Translator, planned

KNOWN = docmt_nmt.Sentence("It ended a year ago.")
CREATED = docmt_nmt.Sentence("Key created {value} ago.", protected=("{value}",))
DAYS = docmt_nmt.Sentence("last %{count} days", protected=("%{count}",))
ANSWERS = {
    KNOWN.text: "Acabou há um ano.",
    CREATED.text: "Chave criada {value} ago.",
    DAYS.text: "último %{count} dias",
}


@dataclass(frozen=True)
class Answering(Translator):
    """Gives answers, each with a log-probability; others are in capitals."""

    answers: dict[str, str | tuple[str, float]]
    languages: tuple[str, str] = ("en", "pt")
    gives: frozenset[str] = frozenset({"sentences", "words", "revisions"})

    def translate(self, request, *, progress=None, journal=None):  # noqa: ARG002
        request = planned(self, request).request
        return [self._translated(request, owner) for owner in range(len(request.sources))]

    def _translated(self, request, owner):
        made = []
        for index, sentence in enumerate(request.sources[owner].sentences):
            answer = self.answers.get(sentence.text, sentence.text.upper())
            if request.revision and (owner, index) not in request.revision.sentences:
                answer = request.revision.known[owner].target[index]
            text, log_probability = answer if isinstance(answer, tuple) else (answer, -0.1)
            made.append(TranslatedSentence(sentence.text, text, log_probability))
        return Translation(request.sources[owner].id, tuple(made), (len(made),))


def repaired(sentences, answers, **how):
    request = TranslationRequest([SourceDocument("d", tuple(sentences))])
    (translation,) = docmt_nmt.translate(Answering(answers, **how), request, [LeftWords()])
    return translation.sentences


def test_a_word_left_beside_a_code_is_translated_with_another_stand_in():
    better = {"Key created X ago.": "Chave criada há X."}
    _, found = repaired([KNOWN, CREATED], ANSWERS | better)
    assert (found.source, found.target) == (CREATED.text, "Chave criada há {value}.")
    assert found.warnings == ()


def test_names_have_placeholders_for_other_stand_ins():
    named = docmt_nmt.Sentence("Run copyTo a day ago.", protected=("copyTo",))
    answers = {named.text: "Execute copyTo ago.", "Run %1 a day ago.": "Execute %1 há um dia."}
    assert repaired([KNOWN, named], ANSWERS | answers)[1].target == "Execute copyTo há um dia."


@pytest.mark.parametrize(
    "second", ["Chave criada há tempo.", "Chave X.", ("Chave criada há X.", -0.9), "Criada. Há X."]
)
def test_a_second_translation_that_loses_something_is_not_taken_and_marks_the_sentence(second):
    _, found = repaired([KNOWN, CREATED], ANSWERS | {"Key created X ago.": second})
    assert found.target == ANSWERS[CREATED.text]
    assert [tuple(each) if isinstance(each, tuple) else (each.kind, each.detail)
            for each in found.warnings] == [("copy", "not translated: ago")]  # fmt: skip


def test_words_that_the_document_keeps_are_words_of_the_language():
    other = docmt_nmt.Sentence("Long ago.")
    answers = ANSWERS | {KNOWN.text: "Um ano ago.", other.text: "Faz tempo."}
    better = {"Key created X ago.": "Chave criada há X."}
    assert repaired([KNOWN, CREATED, other], answers | better)[1].target == ANSWERS[CREATED.text]
    assert repaired([CREATED], answers | better)[0].target == ANSWERS[CREATED.text]


def test_words_in_a_row_are_a_name():
    line = docmt_nmt.Sentence("The pick, put line of {value}.", protected=("{value}",))
    others = docmt_nmt.Sentence("Now pick it."), docmt_nmt.Sentence("Now put it.")
    answers = {line.text: "A linha pick, put de {value}."}
    answers["The pick, put line of X."] = "A linha escolhida e posta de X."
    assert repaired([line, *others], answers)[0].target == answers[line.text]


@pytest.mark.parametrize(
    ("second", "target"),
    [
        ("últimos 5 dias", "últimos %{count} dias"),
        ("os últimos 5 dias", "último %{count} dias"),
        ("última 15 dias", "último %{count} dias"),
        ("último 5 dias", "último %{count} dias"),
        (("nos últimos 5 dias", -0.05), "nos últimos %{count} dias"),
        (("nos últimos dias", -0.05), "último %{count} dias"),
    ],
)
def test_words_agree_with_a_count(second, target):
    (found,) = repaired([DAYS], ANSWERS | {"last 5 days": second})
    assert (found.target, found.warnings) == (target, ())


def test_a_count_before_a_singular_and_other_codes_have_no_second_translation():
    day = docmt_nmt.Sentence("last {count} day", protected=("{count}",))
    name = docmt_nmt.Sentence("last {name} days", protected=("{name}",))
    answers = {"last 5 day": "LASTS 5 DAY", "last 5 days": "LASTS 5 DAYS"}
    assert [s.target for s in repaired([day, name], answers)] == [
        day.text.upper(), name.text.upper()
    ]  # fmt: skip


@pytest.mark.parametrize(
    "how",
    [
        {"languages": ("en", "ru")},
        {"languages": ("pt", "pt")},
        {"gives": frozenset({"sentences", "words", "revisions", "instructions"})},
    ],
)
def test_other_translators_are_not_asked_again(how):
    better = {"Key created X ago.": "Chave criada há X."}
    assert repaired([KNOWN, CREATED], ANSWERS | better, **how)[1].target == ANSWERS[CREATED.text]
