"""The log-probability of candidates for sentences of a document, by a system whose decoder sees no
other target sentence: the source is encoded once for all candidates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from docmt_files.base.documents import Document
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.data import Instance, InstanceSettings, cut
from docmt_nmt.data.collate import collate_source, pack_sentences
from docmt_nmt.decoding.label_probabilities import log_probabilities
from docmt_nmt.nn import FullPass, Packed
from docmt_nmt.systems import System
from docmt_nmt.text import Pipeline

_BATCH_TOKENS = 8192
"""Source tokens encoded at once."""


class Candidates(NamedTuple):
    """Sentences, some with candidates.

    Attributes:
        source: the source sentences, none empty.
        targets: for some sentences, by their indices, equally many candidates.
    """

    source: tuple[str, ...]
    targets: Mapping[int, tuple[str, ...]]


class _Scored(NamedTuple):
    """An instance, with the candidates of its sentences as token ids.

    Attributes:
        owner: the index of the candidates that it is of.
        instance: the instance.
        targets: for some of its sentences, by the index in the instance, the candidates.
    """

    owner: int
    instance: Instance
    targets: Mapping[int, Sequence[Sequence[int]]]


@torch.inference_mode()
def candidate_scores(
    system: System, pipeline: Pipeline, instances: InstanceSettings, cases: Sequence[Candidates]
) -> list[dict[int, tuple[float, ...]]]:
    """The log-probabilities, sums over the tokens and EOS in nats, of all candidates.

    Args:
        system: in eval mode; its decoder sees no other target sentence.
        pipeline: its text pipeline.
        instances: how documents are cut.
        cases: the sentences and the candidates.

    Returns:
        For each case, by the index of the sentence, the scores of its candidates.

    Raises:
        InputError: logits are not finite.
    """
    assert not system.writing_order.in_one_pass, "sentences are written on their own"
    device = next(system.parameters()).device
    scored = [
        one for index, case in enumerate(cases) for one in _cut(index, case, pipeline, instances)
    ]
    found: list[dict[int, tuple[float, ...]]] = [{} for _ in cases]
    for batch in _batches(scored):
        source = collate_source([one.instance for one in batch], pipeline.special_tokens).to(device)
        memory = system.encode(source)
        number = max(len(each) for one in batch for each in one.targets.values())
        columns = []
        for rank in range(number):
            target = _packed(batch, rank, pipeline.special_tokens).to(device)
            states = system.target_states(target.tokens, FullPass(target, memory))
            columns.append(
                _sums(system, states, target, len(pipeline.special_tokens.target_opening))
            )
        sums = iter(np.stack(columns, axis=1).tolist())
        for one in batch:
            for position in sorted(one.targets):
                index = one.instance.first + position
                found[one.owner][index] = tuple(next(sums)[: len(one.targets[position])])
    return found


def _cut(
    owner: int, case: Candidates, pipeline: Pipeline, instances: InstanceSettings
) -> Iterator[_Scored]:
    """The instances of sentences that have candidates."""
    encoded = pipeline.encode(Document("candidates", case.source))
    for instance in cut(encoded, instances.disjoint, pipeline.special_tokens):
        targets = {
            position: [pipeline.encode_sentence(text, "target") for text in case.targets[index]]
            for position, index in enumerate(
                range(instance.first, instance.first + len(instance.source))
            )
            if index in case.targets
        }
        if targets:
            yield _Scored(owner, instance, targets)


def _batches(scored: Sequence[_Scored]) -> Iterator[list[_Scored]]:
    """Instances to compute together, of like length."""
    sizes = [sum(len(s) + 1 for s in one.instance.source) for one in scored]
    batch: list[_Scored] = []
    longest = 0
    for index in sorted(range(len(scored)), key=lambda index: -sizes[index]):
        if batch and (len(batch) + 1) * longest > _BATCH_TOKENS:
            yield batch
            batch = []
        longest = longest if batch else sizes[index]
        batch.append(scored[index])
    if batch:
        yield batch


def _packed(batch: Sequence[_Scored], rank: int, special_tokens: SpecialTokens) -> Packed:
    """The candidates of this rank, or the last ones, packed; sentences without candidates have no
    tokens at all."""
    opening, end = special_tokens.target_opening, special_tokens.target_end

    def tokens(one: _Scored, position: int) -> list[int]:
        if position not in one.targets:
            return []
        candidates = one.targets[position]
        return [*opening, *candidates[min(rank, len(candidates) - 1)], end]

    return pack_sentences(
        [[tokens(one, position) for position in range(len(one.instance.source))] for one in batch]
    )


def _sums(
    system: System, states: torch.Tensor, target: Packed, opening: int
) -> NDArray[np.float64]:
    """The log-probability of each sentence with tokens, in order."""
    lengths = target.sentences.host_lengths
    begins = target.sentences.host_offsets[:-1][lengths > 0]
    labels = lengths[lengths > 0] - opening
    starts = labels.cumsum() - labels
    rows = np.arange(int(labels.sum())) + (begins + opening - 1 - starts).repeat(labels)
    values = log_probabilities(system, states, rows, target.tokens.cpu().numpy()[rows + 1])
    return np.add.reduceat(values.astype(np.float64), starts)
