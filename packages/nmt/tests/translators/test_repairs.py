"""Repairs: sentences that a translator got wrong are asked for again, by one loop."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

import docmt_nmt
from docmt_files.base.documents import SentenceWarning
from docmt_nmt.base.translations import TranslatedSentence, Translation
from docmt_nmt.translators import (
    STANDARD,
    Repair,
    Retry,
    Revision,
    TranslationRequest,
    Translator,
    TranslatorDecorator,
    planned,
)
from docmt_nmt.translators.glossary import Glossary, Term
from docmt_nmt.translators.repairs import fingerprint
from docmt_nmt.translators.translator import Plan

LETTER = docmt_nmt.Document("letter", ("one", "two", "three"))


@dataclass(frozen=True)
class Answering(Translator):
    """Gives answers for sentences, the later ones when it is asked again."""

    answers: dict[str, list[str]]
    warned: dict[str, str] = field(default_factory=dict)
    truncated: frozenset[str] = frozenset()
    requests: list[TranslationRequest] = field(default_factory=list)

    languages = ("en", "de")
    gives = frozenset({"sentences", "words", "revisions"})

    def translate(self, request, *, progress=None, journal=None):  # noqa: ARG002
        request = planned(self, request).request
        self.requests.append(request)
        return [self._translation(request, owner) for owner in range(len(request.documents))]

    def _translation(self, request, owner):
        document = request.documents[owner]
        wanted = request.revision.sentences if request.revision else None
        sentences = []
        for index, source in enumerate(document.source):
            answers = self.answers.get(source, [source.upper()])
            asked = wanted is None or (owner, index) in wanted
            text = answers[0] if wanted is None else answers[-1]
            target = text if asked else request.revision.known[owner].target[index]
            kind = self.warned.get(f"{source}={target}")
            sentences.append(
                TranslatedSentence(
                    source,
                    target,
                    -1.0,
                    truncated=source in self.truncated,
                    warnings=(SentenceWarning(kind, ""),) if kind else (),
                )
            )
        return Translation(document.id, tuple(sentences), (len(sentences),))


def targets(translations):
    return [translation.document.target for translation in translations]


def test_a_sound_translation_is_asked_for_once():
    made = Answering({})
    assert targets(docmt_nmt.translate(made, [LETTER])) == [("ONE", "TWO", "THREE")]
    assert len(made.requests) == 1


def test_lost_words_are_forced_and_other_sentences_stay():
    made = Answering({"two": ["2", "zwei"]}, {"two=2": "lost-words"})
    (translation,) = docmt_nmt.translate(made, [LETTER])
    assert translation.document.target == ("ONE", "zwei", "THREE")
    assert translation.warnings == ()
    revision = made.requests[1].revision
    assert (revision.sentences, revision.forced_literals) == ({(0, 1)}, True)
    assert revision.known[0].target == ("ONE", "2", "THREE")


@pytest.mark.parametrize("second", ["zu kurz", "Eins. Zwei.", "noch ohne"])
def test_a_second_translation_that_has_lost_something_is_refused(second):
    first = "ein Satz mit vier Wörtern" if second == "zu kurz" else "zwei"
    warned = {f"two={first}": "lost-words", "two=noch ohne": "lost-words"}
    (translation,) = docmt_nmt.translate(Answering({"two": [first, second]}, warned), [LETTER])
    assert translation.document.target[1] == first
    assert [warning.kind for warning in translation.warnings] == ["lost-words"]


def test_lost_words_of_sentences_that_nobody_wants_are_left():
    made = Answering({"two": ["2", "2"]}, {"two=2": "lost-words"})
    known = LETTER.translated(("EINS", "ZWEI", "DREI"))
    request = TranslationRequest([LETTER], revision=Revision((known,), frozenset({(0, 0)})))
    docmt_nmt.translate(made, request)
    assert len(made.requests) == 1


def test_terms_that_were_left_out_are_required_and_taken_if_they_come():
    glossary = Glossary([Term((word,), (word[::-1],)) for word in LETTER.source])
    answers = {"one": ["EINS", "eno"], "two": ["ZWEI", "NOCH ZWEI"]}
    warned = {"one=EINS": "terms", "two=ZWEI": "terms", "three=THREE": "terms"}
    made = Answering(answers, warned)
    request = TranslationRequest([LETTER], glossary=glossary)
    (translation,) = docmt_nmt.translate(made, request)
    assert translation.document.target == ("eno", "ZWEI", "THREE")
    revision = made.requests[1].revision
    assert revision.corrected and revision.sentences == {(0, 0), (0, 1), (0, 2)}


@pytest.mark.parametrize("kind", ["not-translated", "copy", "codes"])
def test_a_correction_with_another_fault_is_refused(kind):
    glossary = Glossary([Term(("one",), ("eno",))])
    answers, warned = {"one": ["EINS", "eno"]}, {"one=EINS": "terms", "one=eno": kind}
    request = TranslationRequest([LETTER], glossary=glossary)
    (translation,) = docmt_nmt.translate(Answering(answers, warned), request)
    assert translation.document.target[0] == "EINS"


def test_left_out_words_of_a_revision_are_asked_for_again():
    answers, warned = {"one": ["EINS", "eno"]}, {"one=EINS": "terms"}

    class Twice(Answering):
        def _translation(self, request, owner):
            first = replace(request, revision=None) if len(self.requests) == 1 else request
            return super()._translation(first, owner)

    made = Twice(answers, warned)
    known = LETTER.translated(("Eins", "Zwei", "Drei"))
    revision = Revision((known,), frozenset({(0, 0)}), {(0, 0): [("eno",)]})
    (translation,) = docmt_nmt.translate(made, TranslationRequest([LETTER], revision=revision))
    assert translation.document.target[0] == "eno"
    assert made.requests[1].revision.corrected


def test_a_translator_without_revisions_is_asked_once():
    class Once(Answering):
        gives = frozenset({"sentences"})

    made = Once({}, {"one=ONE": "lost-words"})
    (translation,) = docmt_nmt.translate(made, [LETTER])
    assert [warning.kind for warning in translation.warnings] == ["lost-words"]
    assert len(made.requests) == 1


@dataclass(frozen=True)
class Doubting(Repair):
    """Wants every sentence again, and takes those that are longer."""

    refused: tuple[str, ...] = ()

    def retry(self, translator, request, translations):  # noqa: ARG002
        known = tuple(each.document for each in translations)
        wanted = frozenset((o, i) for o, each in enumerate(known) for i in range(len(each)))
        return Longer(replace(request, revision=Revision(known, wanted)))


class Longer(Retry):
    def accepts(self, sentence, old, new):
        index = sentence[1]
        return len(new.document.target[index]) > len(old.document.target[index])


def test_a_repair_takes_the_sentences_that_it_accepts_in_all_documents():
    made = Answering({"one": ["a", "bb"], "two": ["cc", "d"]})
    documents = [LETTER, docmt_nmt.Document("other", ("two", "one"))]
    found = docmt_nmt.translate(made, documents, [Doubting()])
    assert targets(found) == [("bb", "cc", "THREE"), ("cc", "bb")]


def test_sentences_of_a_retry_are_repaired_by_the_repairs_before_it():
    answers, warned = {"one": ["a", "b?"]}, {"one=b?": "lost-words"}
    made = Answering(answers, warned)
    docmt_nmt.translate(made, [LETTER], [*STANDARD, Doubting()])
    assert [bool(each.revision and each.revision.forced_literals) for each in made.requests] == [
        False,
        False,
        True,
    ]


def test_repairs_are_part_of_the_fingerprint():
    class Known(Answering):
        def fingerprint(self, request):  # noqa: ARG002
            return "same"

    request = TranslationRequest([LETTER])
    assert fingerprint(Answering({}), request) is None
    digests = {
        fingerprint(Known({}), request, repairs)
        for repairs in ((), STANDARD, (Doubting(),), (Doubting(("x",)),))
    }
    assert len(digests) == 4


def test_a_decorator_passes_every_member_on():
    public = {name for name in vars(Translator) if not name.startswith("_")}
    assert public - vars(TranslatorDecorator).keys() == set()


def test_a_plan_is_translated_as_its_request_is():
    made = Answering({})
    plan = made.plan(TranslationRequest([LETTER]))
    assert isinstance(plan, Plan)
    assert targets(docmt_nmt.translate(made, plan)) == targets(docmt_nmt.translate(made, [LETTER]))


@pytest.mark.parametrize(
    "wanted",
    [
        {"n_best": 2},
        {"glossary": Glossary([Term(("one",), ("eno",))])},
        {"contexts": [LETTER]},
        {"revision": Revision((LETTER,), frozenset({(0, 0)}))},
    ],
    ids=["alternatives", "words", "contexts", "revisions"],
)
def test_features_that_a_translator_does_not_give_are_refused(wanted):
    class Plain(Answering):
        gives = frozenset({"sentences"})

    with pytest.raises(docmt_nmt.InputError, match="does not give"):
        docmt_nmt.translate(Plain({}), TranslationRequest([LETTER], **wanted))
