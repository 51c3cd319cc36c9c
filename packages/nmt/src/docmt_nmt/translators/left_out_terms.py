"""`LeftOutTerms`: terms and required words that a translator was asked for and left out.

Search writes every term, because terms are constraints of it. A language model is asked for them,
and may leave some out: then it warns, and is asked to correct its translation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from docmt_nmt.base.translations import TranslatedSentence, Translation
from docmt_nmt.translators.glossary import Glossary
from docmt_nmt.translators.repair import Repair, Retry, revision_for
from docmt_nmt.translators.requests import SentenceIndex, TranslationRequest
from docmt_nmt.translators.term_uses import TermUse, find_uses, missing_uses, uses_of_words
from docmt_nmt.translators.translator import Translator


@dataclass(frozen=True)
class _TermRetry(Retry):
    """Asks for the missing terms. A new translation is accepted if it has more of them, and no
    warning of another kind than before.

    Attributes:
        uses: the terms and words of each sentence.
    """

    uses: dict[SentenceIndex, list[TermUse]]

    def accepts(self, sentence: SentenceIndex, old: Translation, new: Translation) -> bool:
        before, after = (each.sentences[sentence[1]] for each in (old, new))
        lacked, lacking = (
            len(missing_uses(self.uses[sentence], each.target)) for each in (before, after)
        )
        return lacking < lacked and not _warnings(after) - _warnings(before)


@dataclass(frozen=True)
class LeftOutTerms(Repair):
    """Asks for corrections of sentences without a term or word that they must have."""

    def retry(
        self,
        translator: Translator,
        request: TranslationRequest,
        translations: Sequence[Translation],
    ) -> Retry | None:
        glossary = (request.glossary or Glossary(())).normalized(translator.normalize)
        uses: dict[SentenceIndex, list[TermUse]] = {}
        for owner, translation in enumerate(translations):
            for warning in translation.warnings:
                if warning.kind == "terms":
                    index = owner, warning.sentence
                    sentence = request.sentence(index)
                    uses[index] = find_uses(glossary, sentence.text, sentence.protected)
                    if request.revision is not None:
                        uses[index] += uses_of_words(request.revision.required.get(index, ()))
        revision = revision_for(request, translations, uses)
        if revision is None:
            return None
        codes = {
            (owner, index): translations[owner].sentences[index].codes
            for owner, index in revision.sentences
        }
        revision = replace(revision, corrected=True, known_codes=codes)
        return _TermRetry(replace(request, revision=revision), uses)


def _warnings(sentence: TranslatedSentence) -> Counter[str]:
    """The kinds of the warnings about a sentence."""
    return Counter(each.kind for each in sentence.warnings)
