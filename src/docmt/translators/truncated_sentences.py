"""`TruncatedSentences`: sentences that were cut off at the maximum length because the system does
not know how to write their protected words, such as placeholders.

They are translated again without the words, which the caller puts back by alignment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from docmt.ground.documents import Translation
from docmt.translators.repair import Repair, Retry
from docmt.translators.requests import Revision, TranslationRequest
from docmt.translators.translator import Translator


@dataclass(frozen=True)
class TruncatedSentences(Repair):
    """Translates truncated sentences again without their protected words
    (`TranslationRequest.without_words`)."""

    def retry(
        self,
        translator: Translator,
        request: TranslationRequest,
        translations: Sequence[Translation],
    ) -> Retry | None:
        if request.revision is not None or "revisions" not in translator.gives:
            return None
        wanted = {
            (owner, index)
            for owner, translation in enumerate(translations)
            for index in translation.truncated
            if translation.document.source[index] in request.without_words
        }
        if not wanted:
            return None
        known = tuple(translation.document for translation in translations)
        documents = []
        for owner, document in enumerate(known):
            texts = [
                request.without_words[text] if (owner, index) in wanted else text
                for index, text in enumerate(document.source)
            ]
            documents.append(replace(document, source=tuple(texts)))
        codes = {index: own for index, own in request.codes.items() if index not in wanted}
        revision = Revision(known, frozenset(wanted))
        return Retry(replace(request, documents=documents, codes=codes, revision=revision))
