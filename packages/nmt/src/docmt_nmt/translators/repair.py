"""`Repair`: a reason to translate sentences again, and `Retry`: the new request."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from docmt_nmt.base.translations import Translation
from docmt_nmt.translators.requests import Revision, SentenceIndex, TranslationRequest
from docmt_nmt.translators.translator import Translator


@dataclass(frozen=True)
class Retry:
    """A request for the sentences to translate again.

    Attributes:
        request: the request. The revision names the sentences; with none named, nothing is
            translated. The documents may have other texts for these sentences.
    """

    request: TranslationRequest

    @property
    def sentences(self) -> frozenset[SentenceIndex]:
        """The sentences to translate again."""
        revision = self.request.revision
        return frozenset() if revision is None else revision.sentences

    def accepts(self, sentence: SentenceIndex, old: Translation, new: Translation) -> bool:
        """Return whether the new translation of a sentence replaces the old one.

        Args:
            sentence: one of the sentences.
            old: the translation of its document so far.
            new: the new translation of the document.
        """
        del sentence, old, new
        return True

    def concluded(
        self, translations: Sequence[Translation], accepted: Collection[SentenceIndex]
    ) -> list[Translation]:
        """Return the repaired translations, with a record of the repair if translations keep one.

        Args:
            translations: the translations with all accepted sentences.
            accepted: the accepted sentences.
        """
        del accepted
        return list(translations)


def revision_for(
    request: TranslationRequest,
    translations: Sequence[Translation],
    wanted: Collection[SentenceIndex],
) -> Revision | None:
    """Return the revision for the sentences to translate again; None for no sentence. In the
    translations of a revision, only the revised sentences are repaired.

    Args:
        request: the request of the translations.
        translations: the translations of its documents.
        wanted: the sentences.
    """
    revision = request.revision
    sentences = frozenset(wanted) if revision is None else revision.sentences.intersection(wanted)
    if not sentences:
        return None
    known = tuple(translation.document for translation in translations)
    return replace(revision or Revision(known, sentences), known=known, sentences=sentences)


class Repair(Protocol):
    """A reason to translate sentences again. Repairs are frozen dataclasses: the settings in the
    `repr` are part of the fingerprint of a translation."""

    def check(self, translator: Translator) -> None:
        """Check, before anything is translated, that a translator can be repaired.

        Raises:
            InputError: it cannot, and the user has asked for the repair.
        """
        del translator

    @abstractmethod
    def retry(
        self,
        translator: Translator,
        request: TranslationRequest,
        translations: Sequence[Translation],
    ) -> Retry | None:
        """Return the request for the sentences to translate again; None if all is well. Only
        translators with revisions are asked again.

        Args:
            translator: the translator that made the translations.
            request: their request.
            translations: the translations of its documents.
        """
