"""`LostWords`: words that the vocabulary of a translator lacks, and that its translation has lost.

A system may write such words by itself, in bytes that it has learned with the names they are in.
So a sentence is translated as it is first. Where the translator then warns of lost words, the
sentence is translated again with stand-ins in the place of the words
(`docmt_nmt.decoding.missing_characters`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from docmt_nmt.base.translations import Translation
from docmt_nmt.translators.repair import Repair, Retry, revision_for
from docmt_nmt.translators.requests import TranslationRequest
from docmt_nmt.translators.translator import Translator


@dataclass(frozen=True)
class LostWords(Repair):
    """Translates sentences that have lost words again, with stand-ins."""

    def retry(
        self,
        translator: Translator,
        request: TranslationRequest,
        translations: Sequence[Translation],
    ) -> Retry | None:
        wanted = {
            (owner, warning.sentence)
            for owner, translation in enumerate(translations)
            for warning in translation.warnings
            if warning.kind == "lost-words"
        }
        revision = revision_for(request, translations, wanted)
        if revision is None:
            return None
        contexts = request.contexts
        if request.revision is not None and "contexts" in translator.gives:
            # The translations that the revision read.
            contexts = contexts or request.revision.known
        revision = replace(revision, stand_ins=True)
        return Retry(replace(request, revision=revision, contexts=contexts))
