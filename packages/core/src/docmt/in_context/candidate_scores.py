"""How much more probable one candidate for a sentence is than another one, by a system whose
decoder sees no other target sentence: the source is encoded once for both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from docmt_files.base.documents import Document
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.data import Instance, InstanceSettings, cut
from docmt_nmt.data.collate import collate_source, pack_sentences
from docmt_nmt.decoding.constraints import not_finite_error
from docmt_nmt.nn import FullPass, Memory
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.systems import System
from docmt_nmt.text import Pipeline

_BATCH_TOKENS = 8192
"""Source tokens encoded at once."""

_MAX_LOGITS = 2**23
"""The maximum number of logits at a time."""


class Candidates(NamedTuple):
    """Sentences, some with two candidates.

    Attributes:
        source: the source sentences, none empty.
        targets: for some sentences, by their indices, the two candidates.
    """

    source: tuple[str, ...]
    targets: Mapping[int, tuple[str, str]]


class _Scored(NamedTuple):
    """An instance, with the candidates of its sentences as token ids.

    Attributes:
        owner: the index of the candidates that it is of.
        instance: the instance.
        targets: for some of its sentences, by the index in the instance, the candidates.
    """

    owner: int
    instance: Instance
    targets: Mapping[int, tuple[Sequence[int], Sequence[int]]]


class ForcedSentences(NamedTuple):
    """What a system says of given sentences.

    Attributes:
        sums: (S,) the log-probability of each sentence, EOS included, in nats.
        is_greedy: (S,) whether each token of the sentence is the most probable one; of several that
            are as probable, any.
    """

    sums: NDArray[np.float64]
    is_greedy: NDArray[np.bool_]


@torch.inference_mode()
def candidate_gains(
    system: System, pipeline: Pipeline, instances: InstanceSettings, cases: Sequence[Candidates]
) -> list[dict[int, float]]:
    """How much higher the log-probability of the second candidate is than that of the first, in
    sums over the tokens and EOS, in nats.

    Args:
        system: in eval mode; its decoder sees no other target sentence.
        pipeline: its text pipeline.
        instances: how documents are cut.
        cases: the sentences and the candidates.

    Returns:
        For each case the gains, by the index of the sentence.

    Raises:
        InputError: logits are not finite.
    """
    assert not system.writing_order.in_one_pass, "sentences are written on their own"
    device = next(system.parameters()).device
    scored = [
        one for index, case in enumerate(cases) for one in _cut(index, case, pipeline, instances)
    ]
    gains: list[dict[int, float]] = [{} for _ in cases]
    for batch in _batches(scored):
        source = collate_source([one.instance for one in batch], pipeline.special_tokens)
        memory = system.encode(source.to(device))
        pairs = [one.targets.get(i) for one in batch for i in range(len(one.instance.source))]
        # The tokens that both begin with have the same probabilities.
        shared = [0 if pair is None else _shared(*pair) for pair in pairs]
        first, second = (
            forced_sentences(
                system,
                memory,
                [None if pair is None else pair[rank] for pair in pairs],
                pipeline.special_tokens,
                shared,
            ).sums
            for rank in (0, 1)
        )
        differences = iter((second - first).tolist())
        for one in batch:
            for position in sorted(one.targets):
                gains[one.owner][one.instance.first + position] = next(differences)
    return gains


def forced_sentences(
    system: System,
    memory: Memory,
    targets: Sequence[Sequence[int] | None],
    special_tokens: SpecialTokens,
    skipped: Sequence[int] | None = None,
) -> ForcedSentences:
    """Let a system read given target sentences.

    Args:
        memory: the encoded source.
        targets: for each sentence of the source the token ids of the target; None for no target.
        skipped: for each sentence the number of its first tokens that do not count. Default: 0.

    Returns:
        What it says of the given sentences, in order.

    Raises:
        InputError: logits are not finite.
    """
    opening, end = special_tokens.target_opening, special_tokens.target_end
    given = [target is not None for target in targets]
    sentences = [[] if each is None else [*opening, *each, end] for each in targets]
    begins = memory.source.first_sentences.tolist()
    target = pack_sentences([sentences[a:b] for a, b in pairwise(begins)]).to(memory.states.device)
    states = system.target_states(target.tokens, FullPass(target, memory))
    before = np.asarray(skipped or [0] * len(targets))[given] + len(opening)
    labels = target.sentences.host_lengths[given] - before
    starts = labels.cumsum() - labels
    firsts = target.sentences.host_offsets[:-1][given] + before - 1
    rows = np.arange(int(labels.sum())) + (firsts - starts).repeat(labels)
    values, is_best = [], []
    for part in np.array_split(rows, -(-len(rows) * len(system.output_weight) // _MAX_LOGITS)):
        index = to_device(part, states.device)
        logits, tokens = system.scores(states[index]).float(), target.tokens[index + 1]
        found = logits.gather(1, tokens[:, None])[:, 0]
        best = logits.amax(dim=1)  # `max` with the index takes five times as long
        # In place: the logits of a part are tens of megabytes, and new ones cost a page fault each.
        values.append(found - best - logits.sub_(best[:, None]).exp_().sum(dim=1).log())
        is_best.append(found == best)
    sums = np.add.reduceat(torch.cat(values).cpu().numpy().astype(np.float64), starts)
    if np.isnan(sums).any():
        raise not_finite_error()
    is_greedy = np.logical_and.reduceat(torch.cat(is_best).cpu().numpy(), starts)
    return ForcedSentences(sums, is_greedy)


def _shared(first: Sequence[int], second: Sequence[int]) -> int:
    """The number of tokens that both begin with."""
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _cut(
    owner: int, case: Candidates, pipeline: Pipeline, instances: InstanceSettings
) -> Iterator[_Scored]:
    """The instances of sentences that have candidates."""
    encoded = pipeline.encode(Document("candidates", case.source))
    for instance in cut(encoded, instances.disjoint, pipeline.special_tokens):
        targets: dict[int, tuple[Sequence[int], Sequence[int]]] = {}
        for position in range(len(instance.source)):
            if (texts := case.targets.get(instance.first + position)) is not None:
                first, second = (pipeline.encode_sentence(text, "target") for text in texts)
                targets[position] = first, second
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
