"""`TruncatedSentences`: sentences that were cut off at the maximum length because the system does
not know how to write their protected words, such as placeholders.

They are translated again without the words, which the caller puts back by alignment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from docmt.ground.translations import Translation
from docmt.translators.repair import Repair, Retry, revision_for
from docmt.translators.requests import TranslationRequest
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
        del translator
        wanted = {
            (owner, index)
            for owner, translation in enumerate(translations)
            for index in translation.truncated
            if translation.document.source[index] in request.without_words
        }
        revision = revision_for(request, translations, wanted)
        if revision is None:
            return None
        documents = []
        for owner, document in enumerate(revision.known):
            texts = [
                request.without_words[text] if (owner, index) in revision.sentences else text
                for index, text in enumerate(document.source)
            ]
            documents.append(replace(document, source=tuple(texts)))
        codes = {k: own for k, own in request.codes.items() if k not in revision.sentences}
        return Retry(replace(request, documents=documents, codes=codes, revision=revision))
