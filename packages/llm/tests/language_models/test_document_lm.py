"""A language model of the target side chooses among the candidates of any translator."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import docmt_nmt
from docmt_files.base.errors import InputError
from docmt_llm.document_language_model.document_lm import DocumentLM, DocumentLMSettings
from docmt_nmt.text.forms import FormTable
from docmt_nmt.translators import Revision, TranslationRequest
from docmt_nmt.translators.glossary import Glossary, Term
from document_lms import LikesKnownWords, Scripted
from shouting_translator import Shouting

CAR = docmt_nmt.Document("d", ("the car;a cart", "he runs;the car runs;x", "it stops;car stops"))


def lm(translator=None, **own):
    """A document language model with a weight of 1."""
    chosen = {"settings": DocumentLMSettings(weight=1.0), **own}
    return DocumentLM(translator or Scripted(), LikesKnownWords(), **chosen)


def targets(translator, request):
    """The target sentences of all documents."""
    return [each.document.target for each in docmt_nmt.translate(translator, request)]


def test_what_was_said_before_decides():
    assert targets(lm(), [CAR]) == [("the car", "the car runs", "car stops")]


def test_without_weight_the_translators_own_translations_stay():
    own = lm(settings=DocumentLMSettings(weight=0))
    assert targets(own, [CAR]) == targets(Scripted(), [CAR])


def test_the_first_sentence_with_words_stays():
    document = docmt_nmt.Document("d", ("", "a;b b b", "c;b"))
    model = lm()
    assert targets(model, [document]) == [("", "a", "c")]
    assert all(group.texts == ("c", "b") for call in model.model.asked for group in call)


def test_the_context_is_the_chosen_translations_of_so_many_sentences():
    document = docmt_nmt.Document("d", ("a;z", "b;a", "c;x", "d;y"))
    model = lm(settings=DocumentLMSettings(weight=1.0, context_sentences=2))
    docmt_nmt.translate(model, [document])
    contexts = [call[0].context for call in model.model.asked]
    assert contexts == [("a",), ("a", "a"), ("a", "c")]


def test_sentences_of_several_documents_are_read_together():
    other = docmt_nmt.Document("e", ("x;y", "z;x"))
    model = lm()
    together = targets(model, [CAR, other])
    assert [len(call) for call in model.model.asked] == [4, 2]
    assert together == targets(lm(), [CAR]) + targets(lm(), [other])


def test_forms_are_exchanged_where_the_translator_can_score_them():
    document = docmt_nmt.Document("d", ("it fell", "he is big"))

    def score(pairs):
        return [-0.2] * len(pairs)

    forms = FormTable.of("en")
    assert targets(lm(forms=forms, score=score), [document]) == [("it fell", "it is big")]
    assert targets(lm(forms=forms), [document]) == [("it fell", "he is big")]


def test_an_improbable_candidate_is_not_taken():
    document = docmt_nmt.Document("d", ("it fell", "he is big"))
    model = lm(forms=FormTable.of("en"), score=lambda pairs: [-2.0] * len(pairs))
    assert targets(model, [document]) == [("it fell", "he is big")]


def test_a_candidate_that_loses_a_term_or_a_protected_word_is_not_taken():
    document = docmt_nmt.Document(
        "d", ("the car", "auto {0} runs;the car runs {0}", "{0} auto;the car")
    )
    glossary = Glossary([Term(("auto",), ("auto",))])
    request = TranslationRequest([document], glossary=glossary)
    assert targets(lm(), request) == [("the car", "auto {0} runs", "{0} auto")]
    first, *others = document.source
    protected = (docmt_nmt.Sentence(source, protected=("{0}",)) for source in others)
    request = TranslationRequest(
        [docmt_nmt.SourceDocument("d", (docmt_nmt.Sentence(first), *protected))]
    )
    assert targets(lm(), request) == [("the car", "the car runs {0}", "{0} auto")]


def test_a_sentence_with_a_warning_stays_and_a_suspicious_candidate_is_not_taken():
    doubted = Scripted(doubted=frozenset({CAR.source[1]}))
    assert targets(lm(doubted), [CAR]) == [("the car", "he runs", "car stops")]
    model = lm(is_suspicious=lambda _, target, __: target == "the car runs")
    assert targets(model, [CAR])[0][1] == "he runs"


def test_in_a_revision_only_its_sentences_change_and_required_words_stay():
    known = (CAR.translated(("the car", "he runs", "it stops")),)
    request = TranslationRequest([CAR], revision=Revision(known, frozenset({(0, 2)})))
    assert targets(lm(), request) == [("the car", "he runs", "car stops")]
    revision = Revision(known, frozenset({(0, 2)}), required={(0, 2): [("it",)]})
    request = TranslationRequest([CAR], revision=revision)
    assert targets(lm(), request) == [("the car", "he runs", "it stops")]


def test_several_translations_come_in_the_order_of_the_scores():
    (translation,) = lm().translate(TranslationRequest([CAR], n_best=2))
    assert [each.sentences[1] for each in translation.alternatives] == ["the car runs", "he runs"]
    assert translation.log_probabilities == pytest.approx((-0.1, -0.2, -0.2))


class ListJournal:
    """A journal in a list."""

    def __init__(self, values=()):
        self.values, self.added, self.discarded = list(values), [], False

    def next(self):
        return self.values.pop(0) if self.values else None

    def add(self, value):
        self.added.append(value)

    def discard(self):
        self.discarded = True


def test_a_translation_goes_on_where_it_was_interrupted():
    journal = ListJournal()
    whole = lm().translate([CAR], journal=journal)
    assert len(journal.added) == 2
    again = lm()
    assert again.translate([CAR], journal=ListJournal(journal.added[:1])) == whole
    assert len(again.model.asked) == 1


@pytest.mark.parametrize("value", [[[0, 0, 1]], [[0]], 3, [["a", 1, 2]], [None]])
def test_a_journal_of_something_else_is_discarded(value):
    journal = ListJournal([value])
    assert lm().translate([CAR], journal=journal) == lm().translate([CAR])
    assert journal.discarded


def test_the_fingerprint_depends_on_model_and_settings():
    request = TranslationRequest([CAR])
    several = [lm(), lm(settings=DocumentLMSettings()), lm(forms=FormTable.of("en")), Scripted()]
    assert len({each.fingerprint(request) for each in several}) == len(several)
    assert lm().fingerprint(request) == lm().fingerprint(request)


def test_the_note_tells_the_cost_once():
    model = lm()
    translations = model.translate([CAR])
    *_, note = model.notes(TranslationRequest([CAR]), translations)
    assert "5 candidates for 2 sentences, and changed 2; it read 10 tokens in 0.0 s" in note
    assert model.notes(TranslationRequest([CAR]), translations) == []


def test_progress_ends_with_all_sentences():
    seen = []
    lm().translate([CAR], progress=lambda *values: seen.append(values))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_a_translator_of_one_translation_is_refused():
    with pytest.raises(InputError, match="several translations") as caught:
        lm(Shouting("pt", "en"))
    assert "`document_lm`" in str(caught.value)


SENTENCES = st.lists(st.sampled_from(["a", "b;a", "a b;b;c", "", "c;a c"]), min_size=1, max_size=5)


@settings(max_examples=30, deadline=None)
@given(st.lists(SENTENCES, min_size=1, max_size=3))
def test_one_target_sentence_for_each_source_sentence_always_a_candidate(sources):
    documents = [docmt_nmt.Document(str(i), tuple(each)) for i, each in enumerate(sources)]
    for document, target in zip(documents, targets(lm(), documents), strict=True):
        for source, text in zip(document.source, target, strict=True):
            assert text in source.split(";")


class Truncating(Scripted):
    """Says of each sentence that it was truncated, without a warning."""

    def translate(self, request, **keys):
        return [
            translation.with_sentences(
                replace(sentence, truncated=True) for sentence in translation.sentences
            )
            for translation in super().translate(request, **keys)
        ]


def test_a_sentence_that_was_replaced_is_not_truncated():
    (translation,) = docmt_nmt.translate(lm(Truncating()), [CAR])
    assert translation.target == ("the car", "the car runs", "car stops")
    assert translation.truncated == (0,)
