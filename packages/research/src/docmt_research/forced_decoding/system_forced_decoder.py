"""`SystemForcedDecoder`: the log-probability of given translations.

A given translation is decoded as the system would write it: token by token, given the source, the
context that the system reads and the target tokens before. Candidates for the same sentence share
their source and whatever their targets begin with; both are computed once
(`docmt_research.nn.shared_prefixes`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from docmt_files.base.documents import Document
from docmt_nmt.base.choices import Precision
from docmt_nmt.data import Instance, last_instance
from docmt_nmt.decoding.assembling import translated_sentences, without_empty
from docmt_nmt.decoding.beam_search_translator import BeamSearchTranslator
from docmt_nmt.decoding.teacher_forcing import (
    ForcedInstance,
    TeacherForcing,
    batches_of_groups,
    forced_instance,
)
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.translators.requests import TranslationRequest
from docmt_nmt.translators.translator import ProgressCallback
from docmt_research.forced_decoding.forced_decoder import (
    Candidates,
    ForcedDecoder,
    SentenceProbability,
    check_case,
)
from docmt_research.forced_decoding.label_probabilities import label_log_probabilities


class SystemForcedDecoder(TeacherForcing, ForcedDecoder):
    """The log-probability of given translations by a trained system.

    Args:
        translator: the system, its text pipeline and how it cuts documents.
    """

    @property
    def reads_target(self) -> bool:
        """True if the probability of a sentence depends on the target sentences before it."""
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

    def log_probabilities(
        self, documents: Sequence[Document], progress: ProgressCallback | None = None
    ) -> list[list[SentenceProbability | None]]:
        """The log-probabilities of the targets of documents, cut into instances as in training: by
        both sides, so that no target is longer than those that the system has learned to write.
        (When documents are translated they are cut by the source alone.)

        Args:
            documents: the documents, with targets.
            progress: called with the sentences done so far and the sentences in all.

        Returns:
            For each document a result per sentence; None where the source is empty, which the
            system does not translate.

        Raises:
            InputError: `documents` is not a sequence of documents, or a document has no sentences
                or no target.
        """
        instances = self.instances(documents)
        found = iter(self._sentences(list(chain.from_iterable(instances)), progress))
        return [
            _at(
                translated_sentences(document),
                [sentence for _ in instances_of_document for sentence in next(found)],
                len(document),
            )
            for document, instances_of_document in zip(documents, instances, strict=True)
        ]

    def candidate_log_probabilities(
        self, cases: Sequence[Candidates], progress: ProgressCallback | None = None
    ) -> list[list[SentenceProbability]]:
        """The log-probabilities of candidates for the last sentence of each document, given as much
        of the document before it as the system reads at once.

        Args:
            cases: the documents and the candidates.
            progress: called with the sentences done so far and the sentences in all.

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
        found = iter(self._sentences(forced, progress))
        return [[next(found)[0] for _ in case.targets] for case in cases]

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
    def _sentences(
        self, forced: Sequence[ForcedInstance], progress: ProgressCallback | None
    ) -> list[list[SentenceProbability]]:
        """The log-probabilities of the last sentences of each instance."""
        found: list[list[SentenceProbability]] = [[] for _ in forced]
        total, done = sum(len(one.lengths) for one in forced), 0
        with self.translator.eager.evaluating():
            for batch in batches_of_groups(forced):
                groups = self.with_auxiliary([[forced[i] for i in group] for group in batch])
                results = self._label_log_probabilities(groups)
                for index, result in zip(chain.from_iterable(batch), results, strict=True):
                    found[index] = self._by_sentence(forced[index], result)
                    done += len(forced[index].lengths)
                if progress is not None:
                    progress(done, total)
        return found

    def _label_log_probabilities(
        self, groups: list[list[ForcedInstance]]
    ) -> list[NDArray[np.float32]]:
        """For each instance the log-probabilities of the given labels."""
        translator = self.translator
        draft_system, special_tokens = (
            translator.system.draft_system,
            translator.pipeline.special_tokens,
        )

        device = torch.device(translator.device)
        results = label_log_probabilities(
            translator.eager, groups, special_tokens, device, self.with_drafts
        )
        if draft_system is not None:
            # The draft of what has no sentence before it is not corrected.
            firsts = [_first_sentence(one) for one in chain.from_iterable(groups)]
            known = [[one] for one in firsts if one is not None]
            values = iter(
                label_log_probabilities(
                    draft_system, known, special_tokens, device, self.with_drafts
                )
                if known
                else []
            )
            for result, one in zip(results, firsts, strict=True):
                if one is not None:
                    result[: one.labels] = next(values)
        return results

    def _by_sentence(
        self, one: ForcedInstance, values: NDArray[np.float32]
    ) -> list[SentenceProbability]:
        """The sentences of an instance, from the log-probabilities of the labels."""
        assert one.instance.target is not None
        pipeline = self.translator.pipeline
        end = pipeline.special_tokens.target_end
        labels = [label for s in one.instance.target for label in (*s, end)][-len(values) :]
        names = [pipeline.target_vocabulary.tokens[label] for label in labels]
        ends = np.cumsum(one.lengths).tolist()
        return [
            SentenceProbability(tuple(names[begin:end]), tuple(values[begin:end].tolist()))
            for begin, end in pairwise([0, *ends])
        ]


def _first_sentence(one: ForcedInstance) -> ForcedInstance | None:
    """The first sentence of an instance, alone, if it is given."""
    instance = one.instance
    assert instance.target is not None
    if len(one.lengths) < len(instance.target):
        return None
    alone = Instance(instance.document, instance.first, instance.source[:1], instance.target[:1])
    return ForcedInstance(alone, one.lengths[:1])


def _at(
    indices: Sequence[int], found: Sequence[SentenceProbability], sentences: int
) -> list[SentenceProbability | None]:
    """The results of the sentences of these indices, in a list of all sentences."""
    made: list[SentenceProbability | None] = [None] * sentences
    for index, sentence in zip(indices, found, strict=True):
        made[index] = sentence
    return made


def open_forced_decoder(
    run: SystemRun, *, device: str | None = None, precision: Precision | None = None
) -> SystemForcedDecoder:
    """The forced decoder of the run of a trained system, for `load_forced_decoder`."""
    return SystemForcedDecoder(BeamSearchTranslator.of(run, device=device, precision=precision))
