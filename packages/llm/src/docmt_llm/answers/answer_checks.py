"""`AnswerChecks`: the faults of translations in an answer of a large language model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import regex

from docmt_files.base.documents import WARNING_WORDS, Document
from docmt_files.base.languages import primary_language
from docmt_files.storage.characters import NOT_TEXT
from docmt_llm.answers.answer_faults import Fault
from docmt_llm.answers.misplaced_text import contains_other, find_misplaced_text, is_repeated
from docmt_llm.answers.refusals import Refusals
from docmt_llm.chat_model import FinishReason
from docmt_llm.prompting.prompt_context import Passage
from docmt_llm.prompting.sentence_task import SentenceTask
from docmt_nmt.translators.checks.translation_checks import (
    CheckThresholds,
    check_translation,
    length_ratio,
)

_LINE_ENDS = regex.compile(r"[\t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]+")
_CONTROLS = regex.compile(r"\p{Cc}")

_LOWER = regex.compile(r"(?<![\p{L}\p{N}])(?:\p{Ll}|\p{Lo})\p{L}*+")
"""A word other than a name."""

_MAX_RATIO = 20.0
"""Maximum length ratio of a translation. A longer answer is not a translation."""

_MIN_WORDS = 2
"""Sentences with fewer such words may be equal in two languages."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """The answer of a model for one sentence.

    Attributes:
        raw: the answer, with placeholders; empty if there is none.
        text: the translation.
        faults: the faults of the translation.
        codes: the offsets of the inline codes in the translation; None if the answer does not place
            each of them.
    """

    raw: str
    text: str
    faults: tuple[Fault, ...] = ()
    codes: tuple[int, ...] | None = None

    @property
    def is_usable(self) -> bool:
        """Whether the text is a translation at all."""
        return not any(fault.rule.is_unusable for fault in self.faults)

    @property
    def is_misplaced(self) -> bool:
        """Whether text may have moved between the sentences of the answer."""
        return any(fault.rule.is_misplaced for fault in self.faults)

    @property
    def is_accepted(self) -> bool:
        """Whether all faults are left to later repairs."""
        return all(fault.rule.is_repaired for fault in self.faults)

    @property
    def can_be_corrected(self) -> bool:
        """Whether the model is asked for a correction, and all other faults are left to later
        repairs."""
        rules = [fault.rule for fault in self.faults]
        return any(rule.is_corrected for rule in rules) and all(
            rule.is_corrected or rule.is_repaired for rule in rules
        )


@dataclass(frozen=True, slots=True)
class AnswerChecks:
    """Checks of answers.

    Attributes:
        languages: the codes of the source and of the target language.
        thresholds: limits of an unusual translation.
        refusals: finds refusals.
    """

    languages: tuple[str, str]
    thresholds: CheckThresholds
    refusals: Refusals

    @classmethod
    def of(cls, languages: tuple[str, str]) -> AnswerChecks:
        """The checks of translations between two languages, given by their codes."""
        return cls(languages, CheckThresholds.default(languages), Refusals(languages))

    def candidates(
        self,
        tasks: Sequence[SentenceTask],
        answers: Mapping[str, str],
        neighbors: Sequence[Passage],
        finish_reason: FinishReason,
        *,
        is_readable: bool,
    ) -> list[Candidate]:
        """Return the answer for each sentence, with the faults of the translation.

        Args:
            tasks: the sentences.
            answers: the translations in the answer, by sentence id.
            neighbors: sentences around the sentences, with their translations where known.
            finish_reason: the reason why the answer ends.
            is_readable: whether the answer has the requested form.
        """
        found = [
            self._candidate(task, answers.get(task.id), neighbors, finish_reason, is_readable)
            for task in tasks
        ]
        if len(tasks) > 1:
            usable = {
                task.index: candidate.text
                for task, candidate in zip(tasks, found, strict=True)
                if candidate.is_usable
            }
            misplaced: dict[int, list[Fault]] = {}
            for index, fault in find_misplaced_text(
                {task.index: task.source for task in tasks}, usable
            ):
                misplaced.setdefault(index, []).append(fault)
            found = [
                replace(each, faults=(*each.faults, *misplaced.get(task.index, ())))
                for task, each in zip(tasks, found, strict=True)
            ]
        return found

    def _candidate(
        self,
        task: SentenceTask,
        answer: str | None,
        neighbors: Sequence[Passage],
        finish_reason: FinishReason,
        is_readable: bool,
    ) -> Candidate:
        if answer is None:
            return Candidate("", "", (_why_missing(finish_reason, is_readable),))
        if length_ratio(task.sentence.text, answer) > _MAX_RATIO:
            # Nothing of such a text is read again, as context or for a correction.
            return Candidate("", "", (Fault("endless", f"{len(answer):,} characters"),))
        raw = _LINE_ENDS.sub(" ", answer).strip()
        text, codes = task.sentence.restore(raw)
        unusable = self._unusable(task, raw, text, finish_reason)
        if unusable is not None:
            return Candidate(raw, text, (unusable,))
        faults = [Fault("codes", detail) for detail in task.sentence.faults(raw)]
        if self._is_copied(task.source, text):
            faults.append(Fault("copied", "the same as the source"))
        faults += [Fault("terms", detail) for detail in task.missing_words(text)]
        faults += _text_of_neighbors(task.source, text, neighbors)
        pair = Document("", (task.source,), (text,))
        faults += [
            Fault("unusual", f"{WARNING_WORDS[warning.kind]}: {warning.detail}")
            for warning in check_translation(pair, self.thresholds, self.languages)
        ]
        return Candidate(raw, text, tuple(faults), codes)

    def _is_copied(self, source: str, text: str) -> bool:
        """Return whether an answer copies the sentence, and the sentence is more than names and
        numbers."""
        source_language, target_language = map(primary_language, self.languages)
        if source_language == target_language or text.casefold() != source.casefold():
            return False
        return len(_LOWER.findall(source)) >= _MIN_WORDS

    def _unusable(
        self, task: SentenceTask, raw: str, text: str, finish_reason: FinishReason
    ) -> Fault | None:
        """The reason why an answer is not a translation, or None if it is one."""
        if not text:
            return Fault("empty")
        if NOT_TEXT.search(raw) or set(_CONTROLS.findall(raw)) - set(task.source):
            return Fault("not-text")
        if finish_reason == "filter":
            return Fault("withheld")
        if refusal := self.refusals.find(task.source, text):
            return Fault("refusal", refusal)
        return None


def _text_of_neighbors(source: str, text: str, neighbors: Sequence[Passage]) -> Iterator[Fault]:
    """The faults of a translation with text of the neighbors."""
    for other_source, other_target in neighbors:
        if other_target is None:
            continue
        if is_repeated(source, text, other_source, other_target):
            yield Fault("repeated", f"the same as for {other_source[:40]!r}")
        elif contains_other(source, text, other_source, other_target):
            yield Fault("other-sentence", f"has that of {other_source[:40]!r}")


def _why_missing(finish_reason: FinishReason, is_readable: bool) -> Fault:
    """The fault of an answer without a translation of the sentence."""
    if finish_reason == "length":
        return Fault("cut-off")
    if finish_reason == "filter":
        return Fault("withheld")
    return Fault("no-answer" if is_readable else "unreadable")
