"""`LeftOutTerms`: terms that a translator was asked for and left out.

Search writes every term, because terms are constraints of it. A language model is asked for them,
and may leave some out: then it warns, and is asked again for the sentence, with the terms that are
missing as required words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from docmt.glossaries import Glossary
from docmt.glossaries.uses import TermUse, find_uses, missing_uses
from docmt.ground.documents import Translation
from docmt.translators.repair import Repair, Retry
from docmt.translators.requests import Revision, SentenceIndex, TranslationRequest
from docmt.translators.translator import Translator


@dataclass(frozen=True)
class _TermRetry(Retry):
    """Requires the missing terms. A new translation is accepted if it has more of them.

    Attributes:
        uses: the terms of each sentence.
    """

    uses: dict[SentenceIndex, list[TermUse]]

    def accepts(self, sentence: SentenceIndex, old: Translation, new: Translation) -> bool:
        before, after = (
            len(missing_uses(self.uses[sentence], (each.document.target or ())[sentence[1]]))
            for each in (old, new)
        )
        return after < before


@dataclass(frozen=True)
class LeftOutTerms(Repair):
    """Asks again for sentences without a term that they must have."""

    def retry(
        self,
        translator: Translator,
        request: TranslationRequest,
        translations: Sequence[Translation],
    ) -> Retry | None:
        glossary = request.glossary
        if glossary is None or request.revision is not None or "revisions" not in translator.gives:
            return None
        glossary = glossary.normalized(translator.normalize)
        uses: dict[SentenceIndex, list[TermUse]] = {}
        required: dict[SentenceIndex, list[tuple[str, ...]]] = {}
        for owner, translation in enumerate(translations):
            for warning in translation.warnings:
                if warning.kind == "terms":
                    index = owner, warning.sentence
                    uses[index] = _uses(glossary, request, translation, warning.sentence)
                    target = (translation.document.target or ())[warning.sentence]
                    required[index] = [use.forms for use in missing_uses(uses[index], target)]
        wanted = frozenset(index for index, forms in required.items() if forms)
        if not wanted:
            return None
        known = tuple(translation.document for translation in translations)
        revision = Revision(known, wanted, required)
        return _TermRetry(replace(request, revision=revision), uses)


def _uses(
    glossary: Glossary, request: TranslationRequest, translation: Translation, sentence: int
) -> list[TermUse]:
    """The terms of a sentence."""
    source = translation.document.source[sentence]
    return find_uses(glossary, source, request.protected.get(source, ()))
