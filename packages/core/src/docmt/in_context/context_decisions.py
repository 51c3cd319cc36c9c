"""What a `ContextSwitch` finds and what it changes: decisions about sentences, and the changes that
are taken, explained, kept in journals and told in notes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from threading import Lock
from typing import NamedTuple

from docmt_files.base.wording import counted
from docmt_nmt.base.translations import ContextChoice, TranslatedSentence, Translation
from docmt_nmt.translators.requests import TranslationRequest
from docmt_nmt.translators.translator import Journal

_LISTED = 10
"""Changed sentences that a note lists."""


class ContextDecision(NamedTuple):
    """A sentence whose translation differs in context.

    Attributes:
        document, sentence: the indices of the document and of the sentence, from 0.
        alone: the translation of the sentence alone, a.
        in_context: its translation in context, b.
        log_probability: mean natural log-probability per token of b.
        margin: how much more the context prefers b, in nats.
        lost: what b loses, in words; empty if nothing.
    """

    document: int
    sentence: int
    alone: str
    in_context: str
    log_probability: float
    margin: float
    lost: tuple[str, ...]


class ContextChange(NamedTuple):
    """A sentence whose translation in context was taken.

    Attributes:
        document, sentence: the indices of the document and of the sentence, from 0.
        by: the index of the sentence before that decides most by itself.
        in_context: the translation in context.
        log_probability: mean natural log-probability per token of it.
    """

    document: int
    sentence: int
    by: int
    in_context: str
    log_probability: float


class ChangeLog:
    """The changes since the last note, of all threads: the id of the document, the number of the
    sentence and that of the sentence that decides, from 1."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._found: list[tuple[str, int, int]] = []

    def add(self, request: TranslationRequest, changes: Sequence[ContextChange]) -> None:
        """Add the changes of a request."""
        with self._lock:
            self._found += [
                (request.sources[each.document].id, each.sentence + 1, each.by + 1)
                for each in changes
            ]

    def take_notes(self) -> list[str]:
        """A note about the changes since the last call, if there are some."""
        with self._lock:
            found, self._found = self._found, []
        if not found:
            return []
        listed = "; ".join(
            f"{name}, sentence {sentence:,} by sentence {by:,}"
            for name, sentence, by in found[:_LISTED]
        )
        more = f"; {len(found) - _LISTED:,} more" if len(found) > _LISTED else ""
        return [f"the sentences before decided {counted(len(found), 'sentence')} ({listed}{more})"]


def with_changes(
    translations: Sequence[Translation], changes: Sequence[ContextChange], n_best: int
) -> list[Translation]:
    """Translations with the sentences that were taken from those in context."""
    by_owner: dict[int, dict[int, ContextChange]] = defaultdict(dict)
    for each in changes:
        by_owner[each.document][each.sentence] = each
    changed = list(translations)
    for owner, own in by_owner.items():
        changed[owner] = translations[owner].with_sentences(
            _changed(translations[owner], own[index], n_best) if index in own else sentence
            for index, sentence in enumerate(translations[owner].sentences)
        )
    return changed


def _changed(translation: Translation, change: ContextChange, n_best: int) -> TranslatedSentence:
    """A sentence with the translation in context; that alone is the second best."""
    sentence = translation.sentences[change.sentence]
    return replace(
        sentence,
        target=change.in_context,
        log_probability=change.log_probability,
        others=sentence.alternatives[: max(0, n_best - 1)],
        positions=(),
        codes=(),
        context=ContextChoice(translation.source[change.by], sentence.target),
    )


def kept_changes(
    journal: Journal | None, request: TranslationRequest
) -> list[ContextChange] | None:
    """The changes in a journal; None if they are not there."""
    value = None if journal is None else journal.next()
    if journal is None or value is None:
        return None
    try:
        changes = [
            ContextChange(int(owner), int(index), int(by), str(text), float(probability))
            for owner, index, by, text, probability in value
        ]
        if all(each.sentence < len(request.sources[each.document]) for each in changes):
            return changes
    except (TypeError, ValueError, IndexError):
        pass
    journal.discard()
    return None
