"""Drafts for systems that learn to correct them (Voita et al. 2019, section 6.1). A draft is a
sample of the frozen part of the system or, with some probability, a reference. In both, random
words replace some tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from numpy.random import Generator
from numpy.typing import NDArray

from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate_source
from docmt_nmt.decoding.beam_search import search
from docmt_nmt.decoding.limits import limits
from docmt_nmt.decoding.sampling import Sampling
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.systems import System
from docmt_nmt.training.precision import autocast


@runtime_checkable
class DraftSettings(Protocol):
    """The settings of a system from which its drafts are made.

    Attributes:
        min_context_sentences: number of previous sentences that a sentence must have in its
            instance to be learned.
        reference_drafts: probability that a draft is the reference with random words in it instead
            of a sample of the frozen system.
        reference_noise: share of the tokens of such a reference that are replaced.
        sample_noise: share of the tokens of a sample that are replaced.
        draft_temperature: temperature at which drafts are sampled.
    """

    @property
    def min_context_sentences(self) -> int: ...
    @property
    def reference_drafts(self) -> float: ...
    @property
    def reference_noise(self) -> float: ...
    @property
    def sample_noise(self) -> float: ...
    @property
    def draft_temperature(self) -> float: ...


@dataclass(frozen=True, eq=False)
class SampledDrafts:
    """Writes the drafts of instances: samples of the frozen part of the system, or references.

    Attributes:
        system: the trained system, which corrects drafts.
    """

    system: System
    run: SystemRun
    device: torch.device

    def write(
        self, instances: Sequence[Instance], seeds: Sequence[Sequence[int]], *, training: bool
    ) -> list[Instance]:
        """The instances with drafts.

        Args:
            instances: with their references.
            seeds: for each instance, the seeds of the random numbers.
            training: whether drafts may be references, and have random words. If not, they are all
                samples.
        """
        settings = self.run.recipe.system
        assert isinstance(settings, DraftSettings)
        draws = [np.random.default_rng([*seed, 0]) for seed in seeds]
        given = settings.min_context_sentences
        # Without so much context sentences are not learned, and any draft will do.
        sampled = [
            [
                index >= given and not (training and u < settings.reference_drafts)
                for index, u in enumerate(draw.random(len(instance.source)))
            ]
            for instance, draw in zip(instances, draws, strict=True)
        ]
        samples = iter(self._sample(instances, sampled, seeds, settings.draft_temperature))
        result = []
        for instance, chosen, draw in zip(instances, sampled, draws, strict=True):
            assert instance.target is not None
            drafts: list[Sequence[int]] = []
            for reference, is_sample in zip(instance.target, chosen, strict=True):
                draft = next(samples) if is_sample else reference
                noise = settings.sample_noise if is_sample else settings.reference_noise
                drafts.append(self._with_noise(draft, noise, draw) if training else draft)
            result.append(replace(instance, drafts=drafts, given=given))
        return result

    def _sample(
        self,
        instances: Sequence[Instance],
        sampled: Sequence[Sequence[bool]],
        seeds: Sequence[Sequence[int]],
        temperature: float,
    ) -> list[tuple[int, ...]]:
        """A sample for each chosen sentence."""
        alone, own_seeds = [], []
        for instance, chosen, seed in zip(instances, sampled, seeds, strict=True):
            for index in np.flatnonzero(chosen).tolist():
                sentence = [instance.source[index]]
                alone.append(Instance(instance.document, instance.first + index, sentence))
                own_seeds.append([*seed, 1, index])
        if not alone:
            return []
        recipe, pipeline = self.run.recipe, self.run.pipeline
        source = collate_source(alone, pipeline.special_tokens)
        lengths = source.sentences.host_lengths - pipeline.special_tokens.source_overhead
        system = self.system.draft_system
        assert system is not None
        with autocast(self.device, recipe.training.precision):
            samples = search(
                system,
                source.to(self.device),
                pipeline.special_tokens,
                beam_size=1,
                sampling=Sampling(own_seeds, temperature),
                **limits(lengths, pipeline, recipe.search),
            )
        return [hypotheses[0].sentences[0] for hypotheses in samples]

    @cached_property
    def _words(self) -> NDArray[np.int64]:
        """The target vocabulary without special tokens."""
        vocabulary = self.run.pipeline.target_vocabulary
        return np.setdiff1d(np.arange(len(vocabulary)), sorted(vocabulary.special_ids))

    def _with_noise(self, sentence: Sequence[int], share: float, draw: Generator) -> Sequence[int]:
        """A sentence with random words in the place of a share of the tokens."""
        replaced = draw.random(len(sentence)) < share
        others = draw.choice(self._words, len(sentence))
        noisy: list[int] = np.where(replaced, others, sentence).tolist()
        return noisy
