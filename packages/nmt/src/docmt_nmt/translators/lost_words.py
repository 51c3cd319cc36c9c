"""`LostWords`: literals that a free translation has lost, such as placeholders.

Most free translations have all their literals (`docmt_nmt.decoding.literals`). Where the translator
warns of lost ones, it must write them in a second search. The second translation is taken if it is
more probable, has fewer other warnings, or has lost neither words nor punctuation besides; else the
literals stay lost, for the caller to put them where the alignment says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from docmt_files.base.documents import WarningKind
from docmt_nmt.base.translations import TranslatedSentence, Translation
from docmt_nmt.translators.checks.candidate_checks import losses
from docmt_nmt.translators.repair import Repair, Retry, revision_for
from docmt_nmt.translators.requests import SentenceIndex, TranslationRequest
from docmt_nmt.translators.translator import Translator

_MIN_WORDS = 0.8
"""The least words of a second translation, for one word of the first. Search that must write a word
may leave out others."""

_LOST: WarningKind = "lost-words"


@dataclass(frozen=True)
class _LiteralRetry(Retry):
    """Takes translations that are more probable, or have lost nothing."""

    def accepts(self, sentence: SentenceIndex, old: Translation, new: Translation) -> bool:
        before, after = (each.sentences[sentence[1]] for each in (old, new))
        kinds, known = _kinds(after), _kinds(before)
        if kinds - known:
            return False
        is_better = after.log_probability > before.log_probability or len(kinds) < len(known) - 1
        if is_better or _LOST in kinds:
            return is_better
        is_short = len(after.target.split()) < _MIN_WORDS * len(before.target.split())
        return not (is_short or any(losses(after.source, before.target, after.target)))


@dataclass(frozen=True)
class LostWords(Repair):
    """Translates sentences that have lost literals again, with the lost ones forced."""

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
            for index, sentence in enumerate(translation.sentences)
            if _has_lost(sentence)
        }
        revision = revision_for(request, translations, wanted)
        if revision is None:
            return None
        return _LiteralRetry(replace(request, revision=replace(revision, forced_literals=True)))


def _has_lost(sentence: TranslatedSentence) -> bool:
    """Return whether a translation has lost literals."""
    return _LOST in _kinds(sentence)


def _kinds(sentence: TranslatedSentence) -> set[str]:
    """The kinds of the warnings about a sentence."""
    return {warning.kind for warning in sentence.warnings}
