"""`AnswerRetries`: one target sentence for each source sentence, whatever a large language model
answers.

Every answer is checked. After a faulty answer, sentences are asked for again in smaller and smaller
requests: each half of the sentences, then one sentence, then one sentence without context. Each
retry has fewer sentences or less context, so the procedure terminates. The translation with the
fewest faults is used. If no answer is usable, the sentence stays untranslated, with a warning.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Self

from docmt_llm.answers.answer_checks import AnswerChecks, Candidate
from docmt_llm.answers.answer_faults import Fault
from docmt_llm.answers.exchanged_text import belongs_elsewhere, sentences_in_doubt
from docmt_llm.chat_model import ChatAnswer, ChatRequest, ContextTooLongError
from docmt_llm.endpoints.request_counts import RequestCounts, RetryStep
from docmt_llm.endpoints.request_shapes import Shape
from docmt_llm.prompting.prompt_context import Passage, PromptContext
from docmt_llm.prompting.sentence_task import SentenceTask

ContextOf = Callable[[int, int], PromptContext]
"""Returns the context of the sentences from one index to another (exclusive)."""

NeighborsOf = Callable[[int, int], Sequence[Passage]]
"""Returns the sentences around the sentences from one index to another (exclusive)."""

_WITHOUT = PromptContext()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome for a sentence.

    Attributes:
        index: the index of the sentence in the document, from 0.
        text: the translation, or the source sentence.
        is_kept: whether the source sentence is kept.
        faults: the faults of the translation; for a kept sentence, the faults of the last answer.
        codes: the offsets of inline codes in the translation, if known.
    """

    index: int
    text: str
    is_kept: bool = False
    faults: tuple[Fault, ...] = ()
    codes: tuple[int, ...] | None = None

    @classmethod
    def of(cls, task: SentenceTask, candidate: Candidate) -> Self:
        """The outcome of a translated sentence."""
        return cls(task.index, candidate.text, faults=candidate.faults, codes=candidate.codes)


@dataclass(slots=True)
class AnswerRetries:
    """Translates sentences of a document.

    Attributes:
        ask: returns the answer to a request.
        shape: the shape of requests.
        checks: finds the faults of answers.
        context_of: returns the context of sentences.
        neighbors_of: returns the sentences around sentences, with the translations known so far.
        counts: counts of requests and faults.
        probes: the number of sentences of each answer for several sentences that are asked for
            again in one request, to find exchanged translations.
    """

    ask: Callable[[ChatRequest], Awaitable[ChatAnswer]]
    shape: Shape
    checks: AnswerChecks
    context_of: ContextOf
    neighbors_of: NeighborsOf
    counts: RequestCounts
    probes: int = 0
    _earlier: dict[int, list[Candidate]] = field(default_factory=dict, init=False)

    async def translate(self, tasks: Sequence[SentenceTask]) -> AsyncIterator[Outcome]:
        """Translate consecutive sentences.

        Yields:
            The outcome of each sentence, once, as soon as it is known.
        """
        if len(tasks) == 1 or tasks[0].previous is not None:
            for task in tasks:
                yield await self._alone(task)
            return
        suspects: Sequence[SentenceTask] = tasks
        try:
            candidates = await self._candidates(tasks, self._context(tasks))
        except ContextTooLongError:
            pass
        else:
            suspects = []
            is_misplaced = any(candidate.is_misplaced for candidate in candidates)
            if not is_misplaced and await self._is_exchanged(tasks, candidates):
                self.counts.retry_steps["alone"] += len(tasks)
                for task in tasks:
                    yield await self._alone(task)
                return
            for task, candidate in zip(tasks, candidates, strict=True):
                if not is_misplaced and candidate.is_accepted:
                    self._earlier.pop(task.index, None)
                    yield Outcome.of(task, candidate)
                    continue
                if not is_misplaced and candidate.can_be_corrected:
                    self._earlier.pop(task.index, None)
                    corrected = await self._corrected(task, candidate, self._context([task]))
                    yield Outcome.of(task, corrected)
                    continue
                suspects.append(task)
                if not is_misplaced:
                    self._earlier.setdefault(task.index, []).append(candidate)
        middle = (len(suspects) + 1) // 2
        for half in (suspects[:middle], suspects[middle:]):
            if len(half) > 1:
                self.counts.retry_steps["halves"] += 1
            elif half:
                self.counts.retry_steps["alone"] += 1
            if half:
                async for outcome in self.translate(half):
                    yield outcome

    async def _is_exchanged(
        self, tasks: Sequence[SentenceTask], candidates: Sequence[Candidate]
    ) -> bool:
        """Ask for some sentences again, in reverse order. Return whether a sentence of one of the
        two answers has the translation of another."""
        usable = {
            task.index: (task, candidate.text)
            for task, candidate in zip(tasks, candidates, strict=True)
            if candidate.is_usable
        }
        sources = {index: task.source for index, (task, _) in usable.items()}
        targets = {index: text for index, (_, text) in usable.items()}
        probed = sorted(islice(sentences_in_doubt(sources, targets), self.probes))
        if not probed:
            return False
        self.counts.retry_steps["compared"] += 1
        again = [usable[index][0] for index in probed]
        try:
            answer = await self._answer(self.shape.request(again[::-1], self._context(again)))
        except ContextTooLongError:
            return False
        texts = self.shape.read(answer, again) or {}
        is_exchanged = any(
            belongs_elsewhere(task.index, texts[task.id], targets)
            for task in again
            if task.id in texts
        )
        self.counts.faults["other-sentence"] += is_exchanged
        return is_exchanged

    async def _alone(self, task: SentenceTask) -> Outcome:
        """Translate one sentence."""
        candidates = self._earlier.pop(task.index, [])
        context = self._context([task])
        if task.previous is not None:
            return Outcome.of(task, await self._previous_corrected(task, task.previous, context))
        candidates.append(await self._one(task, context))
        if not self._is_settled(candidates) and context != _WITHOUT:
            candidates.append(await self._one(task, _WITHOUT, "without-context"))
        usable = [candidate for candidate in candidates if candidate.is_usable]
        if usable:
            best = min(usable, key=lambda each: (each.is_misplaced, len(each.faults)))
            return Outcome.of(task, best)
        self.counts.retry_steps["kept"] += 1
        return Outcome(task.index, task.source, is_kept=True, faults=candidates[-1].faults)

    def _is_settled(self, candidates: Sequence[Candidate]) -> bool:
        """Return whether a better answer is unlikely: the last one is accepted, was already
        corrected by the model or repeats an earlier one, or the sentence is too long for the
        model."""
        last = candidates[-1]
        if any(fault.kind == "too-long-for-model" for fault in last.faults):
            return True
        given = [candidate.text for candidate in candidates[:-1] if candidate.is_usable]
        return last.is_accepted or last.can_be_corrected or (last.is_usable and last.text in given)

    async def _one(
        self, task: SentenceTask, context: PromptContext, step: RetryStep | None = None
    ) -> Candidate:
        """The answer for one sentence, corrected by the model where possible."""
        if step is not None:
            self.counts.retry_steps[step] += 1
        shorter = context
        while True:
            try:
                (candidate,) = await self._candidates([task], shorter)
                break
            except ContextTooLongError:
                if shorter == _WITHOUT:
                    return self._counted(Candidate("", "", (Fault("too-long-for-model"),)))
                self.counts.retry_steps["shortened"] += 1
                half = shorter.half()
                shorter = half if half != shorter and half.before else _WITHOUT
        return await self._corrected(task, candidate, shorter)

    async def _corrected(
        self, task: SentenceTask, candidate: Candidate, context: PromptContext
    ) -> Candidate:
        """The corrected answer, if the correction is better; otherwise the answer itself."""
        wrong = [fault.detail for fault in candidate.faults if fault.rule.is_corrected]
        if not candidate.is_usable or not wrong:
            return candidate
        return await self._asked_to_correct(task, candidate, wrong, context)

    async def _previous_corrected(
        self, task: SentenceTask, previous: str, context: PromptContext
    ) -> Candidate:
        """The corrected translation of a repair; without a better one, the translation itself."""
        (candidate,) = self.checks.candidates(
            [task], {task.id: previous}, self._neighbors([task]), "stop", is_readable=True
        )
        wrong = [fault.detail for fault in candidate.faults if fault.rule.is_repaired]
        return await self._asked_to_correct(task, candidate, wrong, context) if wrong else candidate

    async def _asked_to_correct(
        self, task: SentenceTask, candidate: Candidate, wrong: Sequence[str], context: PromptContext
    ) -> Candidate:
        """The answer of the model to a request to correct faults, if it is better than the
        candidate.

        Args:
            wrong: descriptions of the faults.
        """
        if not self.shape.corrects:
            return candidate
        self.counts.retry_steps["corrected"] += 1
        request = self.shape.correction(task, context, candidate.raw, wrong)
        try:
            answer = await self._answer(request)
        except ContextTooLongError:
            return candidate
        (corrected,) = self._checked([task], answer)
        is_better = corrected.is_usable and len(corrected.faults) < len(candidate.faults)
        return corrected if is_better else candidate

    def _context(self, tasks: Sequence[SentenceTask]) -> PromptContext:
        return self.context_of(tasks[0].index, tasks[-1].index + 1)

    def _neighbors(self, tasks: Sequence[SentenceTask]) -> Sequence[Passage]:
        return self.neighbors_of(tasks[0].index, tasks[-1].index + 1)

    async def _candidates(
        self, tasks: Sequence[SentenceTask], context: PromptContext
    ) -> list[Candidate]:
        """The answers for some sentences.

        Raises:
            ContextTooLongError: the request is too long for the model.
        """
        answer = await self._answer(self.shape.request(tasks, context))
        return self._checked(tasks, answer)

    async def _answer(self, request: ChatRequest) -> ChatAnswer:
        answer = await self.ask(request)
        self.counts.requests += 1
        return answer

    def _checked(self, tasks: Sequence[SentenceTask], answer: ChatAnswer) -> list[Candidate]:
        found = self.shape.read(answer, tasks)
        candidates = self.checks.candidates(
            tasks,
            found or {},
            self._neighbors(tasks),
            answer.finish_reason,
            is_readable=found is not None,
        )
        return [self._counted(candidate) for candidate in candidates]

    def _counted(self, candidate: Candidate) -> Candidate:
        for kind in dict.fromkeys(fault.kind for fault in candidate.faults):
            self.counts.faults[kind] += 1
        return candidate
