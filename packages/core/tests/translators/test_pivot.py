"""Two translators through a language between, one sentence for one."""

from __future__ import annotations

import pytest

import docmt_nmt
from docmt.translating.pivot import Pivot
from docmt_files.base.errors import InputError
from shouting_translator import Shouting


class Ending(Shouting):
    """Adds its target language to each sentence, and can keep any words."""

    @property
    def gives(self):
        return frozenset({"sentences", "words"})

    def can_keep(self, sentence, words):
        return all(word in sentence for word in words)

    def translate(self, request, **keys):
        self.asked = docmt_nmt.translators.request_of(request)
        translations = super().translate(request, **keys)
        ended = []
        for each in translations:
            target = [f"{text.lower()} {self.languages[1]}" for text in each.document.target]
            ended.append(each.with_best(target))
        return ended


def test_each_sentence_goes_through_both():
    pivot = Pivot(Ending("pt", "en"), Ending("en", "de"))
    document = docmt_nmt.Document("a", ("Um.", "Dois.", "Três."))
    (translation,) = docmt_nmt.translate(pivot, [document])
    assert pivot.languages == ("pt", "de")
    assert translation.document.source == document.source
    assert translation.document.target == ("um. en de", "dois. en de", "três. en de")


def test_protected_words_and_terms_are_kept_in_the_second_translation():
    pivot = Pivot(Ending("pt", "en"), Ending("en", "de"))
    glossary = docmt_nmt.translators.glossary.Glossary(
        [docmt_nmt.translators.glossary.Term(("chave",), ("chave-schlüssel",))]
    )
    request = docmt_nmt.TranslationRequest(
        [
            docmt_nmt.SourceDocument(
                "a", (docmt_nmt.Sentence("chave-schlüssel {0}", protected=("{0}",)),)
            )
        ],
        glossary=glossary,
    )
    docmt_nmt.translate(pivot, request)
    assert pivot.first.asked.glossary is glossary
    asked = pivot.second.asked.sentence((0, 0))
    assert asked == docmt_nmt.Sentence("chave-schlüssel {0} en", ("{0}", "chave-schlüssel"))


def test_translators_that_do_not_meet_are_refused():
    with pytest.raises(InputError, match="do not meet in one language"):
        Pivot(Shouting("pt", "en"), Shouting("fr", "de"))


def test_progress_runs_once_from_nothing_to_all():
    seen = []

    class Slow(Shouting):
        def translate(self, request, *, progress=None, **_):
            total = docmt_nmt.translators.request_of(request).size
            for done in range(1, total + 1):
                progress(done, total)
            return super().translate(request)

    pivot = Pivot(Slow("pt", "en"), Slow("en", "de"))
    docmt_nmt.translate(
        pivot,
        [docmt_nmt.Document("a", ("a", "b"))],
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(0, 2), (1, 2), (1, 2), (2, 2)]
