"""Two translators through a language between, one sentence for one."""

from __future__ import annotations

import pytest

import docmt
from docmt.ground.errors import InputError
from docmt.translators.pivot import Pivot
from shouting_translator import Shouting


class Ending(Shouting):
    """Adds its target language to each sentence, and can keep any words."""

    @property
    def gives(self):
        return frozenset({"sentences", "words"})

    def can_keep(self, sentence, words):
        return all(word in sentence for word in words)

    def translate(self, request, **keys):
        self.asked = docmt.translators.request_of(request)
        translations = super().translate(request, **keys)
        ended = []
        for each in translations:
            target = [f"{text.lower()} {self.languages[1]}" for text in each.document.target]
            ended.append(each.with_best(target))
        return ended


def test_each_sentence_goes_through_both():
    pivot = Pivot(Ending("pt", "en"), Ending("en", "de"))
    document = docmt.Document("a", ("Um.", "Dois.", "Três."))
    (translation,) = docmt.translate(pivot, [document])
    assert pivot.languages == ("pt", "de")
    assert translation.document.source == document.source
    assert translation.document.target == ("um. en de", "dois. en de", "três. en de")


def test_protected_words_and_terms_are_kept_in_the_second_translation():
    pivot = Pivot(Ending("pt", "en"), Ending("en", "de"))
    glossary = docmt.glossaries.Glossary([docmt.glossaries.Term(("chave",), ("chave-schlüssel",))])
    request = docmt.TranslationRequest(
        [docmt.SourceDocument("a", (docmt.Sentence("chave-schlüssel {0}", protected=("{0}",)),))],
        glossary=glossary,
    )
    docmt.translate(pivot, request)
    assert pivot.first.asked.glossary is glossary
    asked = pivot.second.asked.sentence((0, 0))
    assert asked == docmt.Sentence("chave-schlüssel {0} en", ("{0}", "chave-schlüssel"))


def test_translators_that_do_not_meet_are_refused():
    with pytest.raises(InputError, match="do not meet in one language"):
        Pivot(Shouting("pt", "en"), Shouting("fr", "de"))


def test_progress_runs_once_from_nothing_to_all():
    seen = []

    class Slow(Shouting):
        def translate(self, request, *, progress=None, **_):
            total = docmt.translators.request_of(request).size
            for done in range(1, total + 1):
                progress(done, total)
            return super().translate(request)

    pivot = Pivot(Slow("pt", "en"), Slow("en", "de"))
    docmt.translate(
        pivot,
        [docmt.Document("a", ("a", "b"))],
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(0, 2), (1, 2), (1, 2), (2, 2)]
