"""Contrastive evaluation with a run: how often a system assigns the right translation of a sentence
in context a higher probability than all others of a suite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, Literal

from docmt_files.base.documents import Document
from docmt_files.base.wording import counted
from docmt_nmt.evaluation.signatures import signature
from docmt_nmt.translators.repairs import translate
from docmt_nmt.translators.translator import ProgressCallback
from docmt_research.analysis.contrastive_suites import ContrastiveCase, Suite
from docmt_research.analysis.proportions import Accuracy, accuracy, mcnemar
from docmt_research.analysis.sentences_in_context import shuffled_contexts, with_context
from docmt_research.forced_decoding.forced_decoder import Candidates, ForcedDecoder

TargetContext = Literal["reference", "own"]
"""Translations of the context for a system that reads them: from the suite, or written by the
system itself."""

_SEED = 12345

_ALONE = "no context"

_SHUFFLED = "shuffled context"


@dataclass(frozen=True, slots=True)
class Decisions:
    """The most probable candidates for a system, under one condition.

    Attributes:
        name: the condition, or the name of another run.
        log_probabilities: of the candidates of each case, in nats; none where a control has no
            other context for the case.
        right: whether the right candidate of each case is the most probable one, and no other is as
            probable; None where a control has no other context for the case.
    """

    name: str
    log_probabilities: tuple[tuple[float, ...], ...]
    right: tuple[bool | None, ...]


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """The result of a suite.

    Attributes:
        suite: the suite.
        target_context: which translations of the context the system reads; None if it reads none.
        decisions: the decisions of the system in context.
        controls: the decisions without context and in the context of other cases, and the decisions
            of other runs.
    """

    suite: Suite
    target_context: TargetContext | None
    decisions: Decisions
    controls: tuple[Decisions, ...] = ()

    @property
    def signature(self) -> str:
        """Return the settings of the accuracies, besides the runs."""
        shuffled = any(control.name == _SHUFFLED for control in self.controls)
        return signature(
            map(astuple, self.suite.cases),
            suite=self.suite.name,
            cases=len(self.suite.cases),
            target_context=self.target_context or "none",
            seed=_SEED if shuffled else None,
        )

    @property
    def notes(self) -> list[str]:
        """Notes for the reader: on left out candidates and cases, and on controls that could not be
        made."""
        notes = []
        if self.suite.repeated:
            candidates = counted(self.suite.repeated, "candidate")
            notes.append(f"{candidates} left out, the same as another one of their case")
        if self.suite.left_out:
            cases = counted(self.suite.left_out, "case")
            notes.append(f"{cases} left out, of which all candidates are the same")
        for control in self.controls:
            lacking, cases = control.right.count(None), counted(len(control.right), "case")
            other = "context" if control.name == _ALONE else "other context"
            if lacking == len(control.right):
                notes.append(f"{control.name} is not measurable: no case has {other}")
            elif lacking:
                notes.append(f"{control.name}: {lacking:,} of {cases} left out, without {other}")
        return notes

    def groups(self) -> dict[str, list[int]]:
        """The cases by kind, as indices: all, by phenomenon, by distance."""
        cases = self.suite.cases
        groups = {"all": list(range(len(cases)))}
        for name_of in (_phenomenon, _distance):
            names = sorted({name_of(case) for case in cases} - {""})
            for name in names if len(names) > 1 else ():
                groups[name] = [i for i, case in enumerate(cases) if name_of(case) == name]
        return groups

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values, for JSON: accuracies by group, and each case's decisions."""
        every = (self.decisions, *self.controls)
        return {
            "suite": self.suite.name,
            "signature": self.signature,
            "cases": len(self.suite.cases),
            "repeated_candidates": self.suite.repeated,
            "cases_left_out": self.suite.left_out,
            "target_context": self.target_context,
            "notes": self.notes,
            "accuracy": {
                name: {
                    decisions.name: _share(decisions, cases)._asdict()
                    | {"p": None if decisions is self.decisions else self.p(decisions, cases)}
                    for decisions in every
                }
                for name, cases in self.groups().items()
            },
            "decisions": [
                {
                    "id": case.id,
                    "phenomenon": case.phenomenon,
                    "distance": case.distance,
                    "right": case.right,
                    "log_probabilities": {d.name: list(d.log_probabilities[i]) for d in every},
                }
                for i, case in enumerate(self.suite.cases)
            ],
        }

    def accuracy(self, decisions: Decisions, cases: Iterable[int]) -> Accuracy:
        """Number of right decisions on some of the cases."""
        return _share(decisions, cases)

    def p(self, control: Decisions, cases: Iterable[int]) -> float | None:
        """The p-value of McNemar's test of the system in context against a control, on some of the
        cases; None if the control has none of them."""
        pairs = [
            (bool(self.decisions.right[index]), right)
            for index in cases
            if (right := control.right[index]) is not None
        ]
        return mcnemar(*zip(*pairs, strict=True)) if pairs else None


def contrast(
    forced_decoder: ForcedDecoder,
    suite: Suite,
    *,
    target_context: TargetContext = "reference",
    controls: bool = True,
    baselines: Mapping[str, ForcedDecoder] | None = None,
    progress: ProgressCallback | None = None,
) -> SuiteResult:
    """Evaluate a system on a contrastive suite.

    Args:
        forced_decoder: of the system.
        suite: the suite.
        target_context: translations of the context, for systems with a target context.
        controls: also evaluate it without context, and with the contexts of other cases.
        baselines: other systems to compare with, by name.
        progress: called with the sentences done so far and the sentences in all.
    """
    documents = [
        Document(case.id, case.source, (*case.context, case.candidates[case.right]))
        for case in suite.cases
    ]
    conditions: list[tuple[str, ForcedDecoder, Sequence[Document | None]]] = [
        ("context", forced_decoder, documents)
    ]
    if controls:
        alone = [with_context(document, len(document) - 1, 0) for document in documents]
        shuffled = shuffled_contexts(documents, _SEED)
        conditions += [
            (_ALONE, forced_decoder, _as_control(alone, documents)),
            (_SHUFFLED, forced_decoder, _as_control(shuffled, documents)),
        ]
    conditions += [(name, other, documents) for name, other in (baselines or {}).items()]
    per_condition = sum(len(case.candidates) for case in suite.cases)
    decisions = []
    for number, (name, system, read) in enumerate(conditions):

        def report(done: int, _: int, before: int = number * per_condition) -> None:
            if progress is not None:
                progress(before + done, per_condition * len(conditions))

        given = _own_context(system, read) if target_context == "own" else read
        decisions.append(_decide(name, system, suite, given, report))
    return SuiteResult(
        suite,
        target_context if forced_decoder.reads_target else None,
        decisions[0],
        tuple(decisions[1:]),
    )


def _as_control(
    documents: Sequence[Document | None], own: Sequence[Document]
) -> Sequence[Document | None]:
    """The documents of a control; none at all if no document differs from the case itself."""
    differs = any(one not in (None, other) for one, other in zip(documents, own, strict=True))
    return documents if differs else [None] * len(own)


def _decide(
    name: str,
    forced_decoder: ForcedDecoder,
    suite: Suite,
    documents: Sequence[Document | None],
    progress: ProgressCallback,
) -> Decisions:
    """The decisions of a system, given the context of these documents."""
    candidates = [
        Candidates(document, case.candidates)
        for document, case in zip(documents, suite.cases, strict=True)
        if document is not None
    ]
    found = iter(forced_decoder.candidate_log_probabilities(candidates, progress))
    log_probabilities = [
        () if document is None else tuple(sentence.log_probability for sentence in next(found))
        for document in documents
    ]
    right = [
        _is_right(of_case, case) if of_case else None
        for of_case, case in zip(log_probabilities, suite.cases, strict=True)
    ]
    return Decisions(name, tuple(log_probabilities), tuple(right))


def _is_right(log_probabilities: Sequence[float], case: ContrastiveCase) -> bool:
    """Return whether the right candidate is more probable than every other."""
    of_right = log_probabilities[case.right]
    return all(of_right > x for i, x in enumerate(log_probabilities) if i != case.right)


def _own_context(
    forced_decoder: ForcedDecoder, documents: Sequence[Document | None]
) -> list[Document | None]:
    """Documents with the system's own translations of all their sentences but the last, where it
    reads them."""
    if not forced_decoder.reads_target:
        return list(documents)
    contexts = dict.fromkeys(document.source[:-1] for document in documents if document)
    different = [source for source in contexts if source]
    documents_before = [Document(str(number), source) for number, source in enumerate(different)]
    translations = translate(forced_decoder.translator, documents_before)
    written: dict[tuple[str, ...], tuple[str, ...]] = {(): ()}
    for source, translation in zip(different, translations, strict=True):
        written[source] = translation.document.target or ()
    return [d and replace(d, target=(*written[d.source[:-1]], "")) for d in documents]


def _share(decisions: Decisions, cases: Iterable[int]) -> Accuracy:
    right = (decisions.right[index] for index in cases)
    return accuracy([one for one in right if one is not None])


def suite_notes(results: Mapping[str, SuiteResult]) -> list[str]:
    """The notes on the results of several runs for one suite, each once."""
    return list(dict.fromkeys(text for result in results.values() for text in result.notes))


def _phenomenon(case: ContrastiveCase) -> str:
    return case.phenomenon


def _distance(case: ContrastiveCase) -> str:
    return "" if case.distance is None else f"distance {case.distance}"
