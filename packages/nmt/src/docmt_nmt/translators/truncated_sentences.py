"""`TruncatedSentences`: sentences that were cut off at the maximum length because the system does
not know how to write their protected words, such as placeholders.

They are translated again without the words, which the caller puts back by alignment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from docmt_files.base.documents import Sentence
from docmt_nmt.base.translations import Translation
from docmt_nmt.translators.repair import Repair, Retry, revision_for
from docmt_nmt.translators.requests import TranslationRequest
from docmt_nmt.translators.translator import Translator


@dataclass(frozen=True)
class TruncatedSentences(Repair):
    """Translates truncated sentences again without their protected words
    (`Sentence.without_words`)."""

    def retry(
        self,
        translator: Translator,
        request: TranslationRequest,
        translations: Sequence[Translation],
    ) -> Retry | None:
        del translator
        wanted = {
            (owner, index)
            for owner, translation in enumerate(translations)
            for index in translation.truncated
            if _fails_on_words(request.sentence((owner, index)), translation.source[index])
        }
        revision = revision_for(request, translations, wanted)
        if revision is None:
            return None
        chosen = revision.sentences
        reduced = request.with_sentences(
            lambda index, sentence: _without_words(sentence) if index in chosen else sentence
        )
        return Retry(replace(reduced, revision=revision))


def _fails_on_words(sentence: Sentence, translated: str) -> bool:
    """Return whether a sentence has been translated with words that can be taken out."""
    return sentence.without_words is not None and translated == sentence.text


def _without_words(sentence: Sentence) -> Sentence:
    """The sentence with neither protected words nor codes, which the caller puts back."""
    assert sentence.without_words is not None
    return replace(
        sentence, text=sentence.without_words, protected=(), without_words=None, codes=()
    )
