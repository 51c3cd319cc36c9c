"""Judgments of systems: each by itself, or the first beside each other one in both orders.

Questions are about passages. Unreadable answers have no score: they are counted, and left out of
all compared systems.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean, stdev
from typing import Any

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.evaluation.signatures import signature
from docmt_nmt.translators.translator import ProgressCallback
from docmt_research.judging.judge_answers import (
    ASSESSMENT_SCHEMA,
    COMPARISON_SCHEMA,
    ErrorSpan,
    Preference,
    errors_schema,
    penalties,
    read_assessment,
    read_comparison,
    read_errors,
)
from docmt_research.judging.judge_prompts import JudgePrompt
from docmt_research.judging.judge_statistics import Difference, Estimate, difference, estimate
from docmt_research.judging.judged_passages import Passage, cut_passages
from docmt_research.judging.passage_judge import Judge, JudgeSettings, Question, Reply

_ERRORS_TOKENS = 200
"""Maximum tokens of an answer for the errors of each sentence."""

_SHORT_TOKENS = 50
"""Maximum tokens of a number or a letter in an object."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """The answers about a translation of a passage, one for each repeat.

    Attributes:
        passage: the passage.
        replies: the replies of the judge.
        values: for each repeat the scores of the sentences (of `errors`), or the one score of the
            passage; None for an unreadable answer.
    """

    passage: Passage
    replies: tuple[Reply[Any], ...]
    values: tuple[tuple[float, ...] | None, ...]

    @property
    def means(self) -> tuple[float, ...] | None:
        """The scores, as means over the readable repeats; None if there are none."""
        read = [values for values in self.values if values is not None]
        return tuple(map(fmean, zip(*read, strict=True))) if read else None


@dataclass(frozen=True, slots=True)
class JudgeResult:
    """The judgment of a system.

    Attributes:
        system: the name of the system.
        score: of `errors` minus the points per sentence, so 0 is the best; of `assessment` the mean
            of all passages, from 0 to 100.
        deviation: the standard deviation of the score between repeats, by the passages readable
            each time; None for one repeat.
        unreadable: number of unreadable answers.
        judgments: of all passages.
        against: the difference from each baseline, of the first system only.
    """

    system: str
    score: Estimate
    deviation: float | None
    unreadable: int
    judgments: tuple[Judgment, ...]
    against: Mapping[str, Difference]


@dataclass(frozen=True, slots=True)
class PreferenceResult:
    """How often a system was found better than a baseline.

    Attributes:
        system, baseline: their names.
        preference: the mean of 1 for better, 0.5 for neither and 0 for worse, over both orders and
            all repeats.
        better, worse: passages of which both orders of all repeats say so.
        p: of the sign test of these.
        deviation: the standard deviation of the preference between repeats; None for one repeat.
        first: the share of preferences for the translation given first, where one was preferred;
            0.5 if order does not matter.
        agreement: the share of passages on which both orders of a repeat agree.
        unreadable: number of unreadable answers.
        judgments: of all passages; the values are of the orders of all repeats.
    """

    system: str
    baseline: str
    preference: Estimate
    better: int
    worse: int
    p: float
    deviation: float | None
    first: float | None
    agreement: float | None
    unreadable: int
    judgments: tuple[Judgment, ...]


@dataclass(frozen=True, slots=True)
class Judgments:
    """The results of a judge.

    Attributes:
        results: of systems, or of comparisons.
        questions: number of questions.
        signature: the settings of the results.
    """

    results: tuple[JudgeResult, ...] | tuple[PreferenceResult, ...]
    questions: int
    signature: str


def judge_systems(
    judge: Judge,
    systems: Mapping[str, Sequence[Document]],
    source: Sequence[Document],
    reference: Sequence[Document] | None = None,
    settings: JudgeSettings | None = None,
    *,
    progress: ProgressCallback | None = None,
) -> Judgments:
    """Judge translations of the same documents.

    Args:
        judge: the judge.
        systems: by their names, the translations; all are compared with the first.
        source: the documents, by their source sides.
        reference: the same with references, which the judge then reads.
        settings: how they are judged.
        progress: called with the questions answered so far and the questions in all.

    Raises:
        InputError: documents have other numbers of sentences, there is nothing to compare, or the
            model cannot be asked.
    """
    settings = settings or JudgeSettings()
    for name, documents in [*systems.items(), *([("reference", reference)] if reference else [])]:
        if [len(d.target or ()) for d in documents] != [len(d) for d in source]:
            raise InputError(
                f"{name} does not have the documents and sentences of the source",
                cure="Give translations of the same sentences, and say where documents begin",
            )
    passages = list(
        cut_passages(source, reference, sentences=settings.sentences, context=settings.context)
    )
    if not passages:
        raise InputError("no source sentence has text to judge", cure="Check the source file")
    asking = _Asking(judge, judge.prompt(settings), settings, progress)
    results: tuple[JudgeResult, ...] | tuple[PreferenceResult, ...]
    if settings.method == "comparison":
        if len(systems) < 2:
            raise InputError(
                "there is nothing to compare with", cure="Add `baseline`", parameters=("baseline",)
            )
        results = tuple(asking.compare(passages, systems))
    else:
        results = tuple(asking.score(passages, systems))
    return Judgments(results, asking.asked, asking.signature(source, systems, reference))


class _Asking:
    """The common parts of all questions of a call."""

    def __init__(
        self,
        judge: Judge,
        prompt: JudgePrompt,
        settings: JudgeSettings,
        progress: ProgressCallback | None,
    ) -> None:
        self._judge, self._prompt, self._settings = judge, prompt, settings
        self._progress = progress
        self.asked = 0

    def score(
        self, passages: Sequence[Passage], systems: Mapping[str, Sequence[Document]]
    ) -> Iterator[JudgeResult]:
        """Judge each system by itself."""
        cases = list(product(systems.items(), passages))
        questions: list[Question[Any]] = [
            self._question(passage, documents[passage.document].target or (), repeat)
            for (_, documents), passage in cases
            for repeat in range(self._settings.repeats)
        ]
        replies = self._ask(questions)
        judgments: dict[str, list[Judgment]] = {name: [] for name in systems}
        for (name, _), passage in cases:
            own = tuple(next(replies) for _ in range(self._settings.repeats))
            values = tuple(self._scores(reply.value, passage) for reply in own)
            judgments[name].append(Judgment(passage, own, values))
        first = next(iter(systems))
        for name, of_system in judgments.items():
            yield JudgeResult(
                name,
                estimate(_by_document(of_system, of_system)),
                _deviation(of_system),
                _unreadable(of_system),
                tuple(of_system),
                {
                    other: difference(
                        _by_document(of_system, judgments[other]),
                        _by_document(judgments[other], of_system),
                    )
                    for other in (judgments if name == first else ())
                    if other != name
                },
            )

    def compare(
        self, passages: Sequence[Passage], systems: Mapping[str, Sequence[Document]]
    ) -> Iterator[PreferenceResult]:
        """Compare the first system with each of the others, in both orders."""
        (name, documents), *others = systems.items()
        cases = list(product(others, passages))
        orders = list(product(range(self._settings.repeats), (True, False)))
        questions: list[Question[Any]] = []
        for (_, baseline), passage in cases:
            targets = [d[passage.document].target or () for d in (documents, baseline)]
            for repeat, is_first in orders:
                data = passage.comparison_data(*(targets if is_first else targets[::-1]))
                questions.append(
                    Question(
                        self._prompt.messages(data),
                        self._settings.seed + repeat,
                        _SHORT_TOKENS,
                        COMPARISON_SCHEMA,
                        read_comparison,
                    )
                )
        replies = self._ask(questions)
        judgments: dict[str, list[Judgment]] = {other: [] for other, _ in others}
        for (other, _), passage in cases:
            own = tuple(next(replies) for _ in orders)
            values = tuple(
                None if reply.value is None else (_win(reply.value, is_first),)
                for reply, (_, is_first) in zip(own, orders, strict=True)
            )
            judgments[other].append(Judgment(passage, own, values))
        for other, of_pair in judgments.items():
            yield _preference(name, other, of_pair)

    def signature(
        self,
        source: Sequence[Document],
        systems: Mapping[str, Sequence[Document]],
        reference: Sequence[Document] | None,
    ) -> str:
        """The settings of the results. The digest includes the translations and the source."""
        settings, identity = self._settings, self._judge.model.identity
        texts = [[d.source for d in source]]
        texts += [[d.target or () for d in documents] for documents in systems.values()]
        return signature(
            [*texts, [d.target for d in reference or ()]],
            judge=identity.get("model"),
            weights=str(identity["digest"])[:8] if "digest" in identity else None,
            method=settings.method,
            prompt=self._prompt.digest[:8],
            temperature=identity.get("temperature"),
            schema="yes" if self._judge.structured else "no",
            reference="yes" if reference else "no",
            sentences=settings.sentences,
            context=settings.context,
            repeats=settings.repeats,
            seed=settings.seed,
        )

    def _ask(self, questions: Sequence[Question[Any]]) -> Iterator[Reply[Any]]:
        self.asked = len(questions)
        return iter(self._judge.ask(questions, self._progress))

    def _question(self, passage: Passage, target: Sequence[str], repeat: int) -> Question[Any]:
        messages = self._prompt.messages(passage.data(target))
        seed = self._settings.seed + repeat
        if self._settings.method == "assessment":
            return Question(messages, seed, _SHORT_TOKENS, ASSESSMENT_SCHEMA, read_assessment)
        return Question(
            messages,
            seed,
            _ERRORS_TOKENS * len(passage.indices),
            errors_schema(passage),
            lambda answer: read_errors(answer, passage, target),
        )

    def _scores(
        self, value: float | list[ErrorSpan] | None, passage: Passage
    ) -> tuple[float, ...] | None:
        """The scores from an answer."""
        if isinstance(value, list):
            return tuple(-points for points in penalties(value, passage))
        return None if value is None else (value,)


def _win(better: Preference, is_first: bool) -> float:
    """1 if the system was better, 0 if the baseline was, 0.5 if neither."""
    if better == "neither":
        return 0.5
    return float((better == "A") == is_first)


def _by_document(
    judgments: Sequence[Judgment], others: Sequence[Judgment]
) -> dict[int, list[float]]:
    """The scores of each document, in passages of which others have some, too."""
    values: dict[int, list[float]] = {}
    for own, other in zip(judgments, others, strict=True):
        if own.means is not None and other.means is not None:
            values.setdefault(own.passage.document, []).extend(own.means)
    return values


def _deviation(judgments: Sequence[Judgment], orders: int = 1) -> float | None:
    """The standard deviation between repeats of the mean score, by the passages readable each time;
    None if there are none, or one repeat only."""
    read = [j.values for j in judgments if None not in j.values]
    repeats = len(judgments[0].values) // orders
    if not read or repeats < 2:
        return None
    means = [
        fmean(
            score
            for values in read
            for value in values[repeat * orders : (repeat + 1) * orders]
            for score in value or ()
        )
        for repeat in range(repeats)
    ]
    return stdev(means)


def _unreadable(judgments: Sequence[Judgment]) -> int:
    return sum(reply.value is None for one in judgments for reply in one.replies)


def _preference(system: str, baseline: str, judgments: Sequence[Judgment]) -> PreferenceResult:
    """The result of a comparison; the orders of a repeat stand side by side."""
    from docmt_nmt.evaluation.resampling import binomial_p

    wins = [{v for values in one.values if values for v in values} for one in judgments]
    complete = [None not in one.values for one in judgments]
    better = sum(own == {1.0} and all_read for own, all_read in zip(wins, complete, strict=True))
    worse = sum(own == {0.0} and all_read for own, all_read in zip(wins, complete, strict=True))
    pairs = [
        (first[0], second[0])
        for one in judgments
        for first, second in zip(one.values[::2], one.values[1::2], strict=True)
        if first is not None and second is not None
    ]
    letters = [reply.value for one in judgments for reply in one.replies if reply.value is not None]
    decided = letters.count("A") + letters.count("B")
    return PreferenceResult(
        system,
        baseline,
        estimate(_by_document(judgments, judgments)),
        better,
        worse,
        binomial_p(better, worse),
        _deviation(judgments, orders=2),
        letters.count("A") / decided if decided else None,
        fmean(first == second for first, second in pairs) if pairs else None,
        _unreadable(judgments),
        tuple(judgments),
    )
