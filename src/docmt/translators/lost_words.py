"""`LostWords`: words that the vocabulary of a translator lacks, and that its translation has lost.

A system may write such words by itself, in bytes that it has learned with the names they are in.
So a sentence is translated as it is first. Where the translator then warns of lost words, the
sentence is translated again with stand-ins in the place of the words
(`docmt.decoding.missing_characters`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from docmt.ground.documents import Translation
from docmt.translators.repair import Repair, Retry
from docmt.translators.requests import Revision, TranslationRequest
from docmt.translators.translator import Translator


@dataclass(frozen=True)
class LostWords(Repair):
    """Translates sentences that have lost words again, with stand-ins."""

    def retry(
        self,
        translator: Translator,
        request: TranslationRequest,
        translations: Sequence[Translation],
    ) -> Retry | None:
        del translator
        wanted = {
            (owner, warning.sentence)
            for owner, translation in enumerate(translations)
            for warning in translation.warnings
            if warning.kind == "lost-words"
        }
        if request.revision is not None:
            wanted &= request.revision.sentences
        if not wanted:
            return None
        known = tuple(translation.document for translation in translations)
        revision = replace(
            request.revision or Revision(known, frozenset()),
            known=known,
            sentences=frozenset(wanted),
            stand_ins=True,
        )
        return Retry(replace(request, revision=revision))
