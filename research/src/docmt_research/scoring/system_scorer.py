"""`SystemScorer`: the log-probability of given translations.

A translation is scored as the system would write it: token by token, given the source, the context
that the system reads and the target tokens before. Candidates for the same sentence share their
source and whatever their targets begin with; both are computed once
(`docmt_research.nn.shared_prefixes`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from docmt.data import Instance, last_instance
from docmt.decoding.assembling import translated_sentences, without_empty
from docmt.decoding.beam_search_translator import BeamSearchTranslator
from docmt.decoding.forced_decoding import (
    ForcedDecoding,
    ForcedInstance,
    batches_of_groups,
    forced_instance,
)
from docmt.ground.choices import Precision
from docmt.ground.documents import Document
from docmt.runs.system_run import SystemRun
from docmt.translators.requests import TranslationRequest
from docmt.translators.translator import ProgressCallback
from docmt_research.scoring.label_probabilities import label_log_probabilities
from docmt_research.scoring.scorer import Candidates, Scorer, SentenceScore, check_case


class SystemScorer(ForcedDecoding, Scorer):
    """Scores given translations with a trained system.

    Args:
        translator: the system, its text pipeline and how it cuts documents.
    """

    @property
    def reads_target(self) -> bool:
        """True if the score of a sentence depends on the target sentences before it."""
        order, instances = self.translator.system.writing_order, self.translator.instances
        return order.reads_translations or (order.in_one_pass and instances.kind != "sentence")

    @property
    def max_context(self) -> int | None:
        """The most sentences before a sentence that the system reads with it; None without a limit
        but that of tokens."""
        settings, contexts = self.translator.instances, self.translator.contexts
        if settings.kind == "sentence":
            return settings.previous_sentences if contexts is None else None
        return settings.window - 1 if settings.kind == "window" else None

    def score(
        self, documents: Sequence[Document], progress: ProgressCallback | None = None
    ) -> list[list[SentenceScore | None]]:
        """Score the targets of documents, cut into instances as in training: by both sides, so that
        no target is longer than what the system has learned to write. (When documents are
        translated they are cut by the source alone.)

        Args:
            documents: the documents, with targets.
            progress: called with the sentences scored so far and the sentences in all.

        Returns:
            For each document its sentences' scores; None where the source is empty, which the
            system does not translate.

        Raises:
            InputError: `documents` is not a sequence of documents, or a document has no sentences
                or no target.
        """
        instances = self.instances(documents)
        scores = iter(self._scores(list(chain.from_iterable(instances)), progress))
        return [
            _at(
                translated_sentences(document),
                [score for _ in instances_of_document for score in next(scores)],
                len(document),
            )
            for document, instances_of_document in zip(documents, instances, strict=True)
        ]

    def score_candidates(
        self, cases: Sequence[Candidates], progress: ProgressCallback | None = None
    ) -> list[list[SentenceScore]]:
        """Score candidates for the last sentence of each document, given as much of the document
        before it as the system reads at once.

        Args:
            cases: the documents and the candidates.
            progress: called with the sentences scored so far and the sentences in all.

        Raises:
            InputError: a document's last sentence is empty, or it lacks a target that the system
                reads.
        """
        translator = self.translator
        TranslationRequest([case.document for case in cases])
        contexts = translator.target_context([case.document for case in cases])
        forced = []
        for case, context in zip(cases, contexts, strict=True):
            check_case(case, reads_target=self.reads_target)
            read = self.context_of(context)
            instances = self._candidate_instances(case)
            forced += [forced_instance(instance, [labels], read) for instance, labels in instances]
        scores = iter(self._scores(forced, progress))
        return [[next(scores)[0] for _ in case.targets] for case in cases]

    def _candidate_instances(self, case: Candidates) -> list[tuple[Instance, int]]:
        """For each candidate the instance that ends with it, and its number of labels."""
        translator, document = self.translator, without_empty(case.document)
        # Systems that do not read the translation of the context need a sentence there, but not
        # which.
        before = ("",) * (len(document) - 1)
        if document.target is not None and self.reads_target:
            before = document.target[:-1]
        pipeline = translator.pipeline
        targets = [pipeline.encode_sentence(text, "target") for text in case.targets]
        longest = case.targets[max(range(len(targets)), key=lambda index: len(targets[index]))]
        encoded = translator.encode(replace(document, target=(*before, longest)))
        instance = last_instance(encoded, translator.instances, pipeline.special_tokens)
        assert instance.target is not None
        instances = [
            replace(instance, target=[*instance.target[:-1], target]) for target in targets
        ]
        if translator.instances.join_sentences:
            instances = [instance.join() for instance in instances]
        return [(one, len(t) + 1) for one, t in zip(instances, targets, strict=True)]

    @torch.inference_mode()
    def _scores(
        self, forced: Sequence[ForcedInstance], progress: ProgressCallback | None
    ) -> list[list[SentenceScore]]:
        """The scores of the last sentences of each one."""
        scores: list[list[SentenceScore]] = [[] for _ in forced]
        total, done = sum(len(one.lengths) for one in forced), 0
        with self.translator.system.evaluating():
            for batch in batches_of_groups(forced):
                groups = self.with_auxiliary([[forced[i] for i in group] for group in batch])
                results = self._label_log_probabilities(groups)
                for index, result in zip(chain.from_iterable(batch), results, strict=True):
                    scores[index] = self._by_sentence(forced[index], result)
                    done += len(forced[index].lengths)
                if progress is not None:
                    progress(done, total)
        return scores

    def _label_log_probabilities(
        self, groups: list[list[ForcedInstance]]
    ) -> list[NDArray[np.float32]]:
        """For each instance the log-probabilities of the labels that are scored."""
        translator = self.translator
        draft_system, special_tokens = (
            translator.system.draft_system,
            translator.pipeline.special_tokens,
        )

        results = label_log_probabilities(
            translator.system, groups, special_tokens, translator.device, self.with_drafts
        )
        if draft_system is not None:
            # The draft of what has no sentence before it is not corrected.
            firsts = [_first_sentence(one) for one in chain.from_iterable(groups)]
            known = [[one] for one in firsts if one is not None]
            values = iter(
                label_log_probabilities(
                    draft_system, known, special_tokens, translator.device, self.with_drafts
                )
                if known
                else []
            )
            for result, one in zip(results, firsts, strict=True):
                if one is not None:
                    result[: one.labels] = next(values)
        return results

    def _by_sentence(self, one: ForcedInstance, values: NDArray[np.float32]) -> list[SentenceScore]:
        """The scores of a one's sentences from the log-probabilities of their labels."""
        assert one.instance.target is not None
        pipeline = self.translator.pipeline
        end = pipeline.special_tokens.target_end
        labels = [label for s in one.instance.target for label in (*s, end)][-len(values) :]
        names = [pipeline.target_vocabulary.tokens[label] for label in labels]
        ends = np.cumsum(one.lengths).tolist()
        return [
            SentenceScore(tuple(names[begin:end]), tuple(values[begin:end].tolist()))
            for begin, end in pairwise([0, *ends])
        ]


def _first_sentence(one: ForcedInstance) -> ForcedInstance | None:
    """The first sentence of an instance, alone, if it is scored."""
    instance = one.instance
    assert instance.target is not None
    if len(one.lengths) < len(instance.target):
        return None
    alone = Instance(instance.document, instance.first, instance.source[:1], instance.target[:1])
    return ForcedInstance(alone, one.lengths[:1])


def _at(
    indices: Sequence[int], scores: Sequence[SentenceScore], sentences: int
) -> list[SentenceScore | None]:
    """Scores of the sentences of these indices, in a list of all."""
    made: list[SentenceScore | None] = [None] * sentences
    for index, score in zip(indices, scores, strict=True):
        made[index] = score
    return made


def open_scorer(
    run: SystemRun, *, device: str | None = None, precision: Precision | None = None
) -> SystemScorer:
    """The scorer of the run of a trained system; as `docmt_research.scoring.load_scorer`."""
    return SystemScorer(BeamSearchTranslator.of(run, device=device, precision=precision))
