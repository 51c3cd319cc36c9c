"""The log-probability of given target tokens.

Candidates for the same sentence share the source and a prefix of the target; both are computed once
(`docmt_research.nn.shared_prefixes`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import linear

from docmt.data import Instance
from docmt.data.collate import collate, collate_source
from docmt.decoding.constraints import not_finite_error
from docmt.decoding.teacher_forcing import ForcedInstance
from docmt.ground.special_tokens import SpecialTokens
from docmt.nn import Packed
from docmt.nn.transfer import to_device
from docmt.systems import EncoderDecoder, System
from docmt_research.nn.shared_prefixes import PrefixTree, SharedPrefixes

_MAX_LOGITS = 2**23
"""The maximum number of logits at a time."""


def label_log_probabilities(
    system: System,
    groups: Sequence[Sequence[ForcedInstance]],
    special_tokens: SpecialTokens,
    device: torch.device,
    with_drafts: Callable[[Packed], Packed],
) -> list[NDArray[np.float32]]:
    """The log-probabilities of the given labels, for each instance of all groups.

    Args:
        system: in eval mode.
        groups: instances of the same source; the first of each has the encodings of context
            encoders.
        with_drafts: adds drafts to a source, for a system that corrects drafts.

    Raises:
        InputError: logits are not finite.
    """
    forced = list(chain.from_iterable(groups))
    if isinstance(system, EncoderDecoder):
        source = collate_source([group[0].instance for group in groups], special_tokens)
        memory = system.encode(source.to(device))
        tree = PrefixTree.of(
            [[_with_special(one.instance, special_tokens) for one in group] for group in groups]
        ).to(device)
        states = system.decode(tree.nodes.tokens, SharedPrefixes(tree, memory))
        states, target, rows = system.readout(states), tree.paths, tree.node_of
    else:
        batch = collate([one.instance for one in forced], special_tokens).to(device)
        batch = replace(batch, source=with_drafts(batch.source))
        states, target = system.states(batch), batch.target
        rows = np.arange(len(batch.target.tokens))
    tokens = target.tokens.cpu().numpy()
    after = _label_positions(target, forced, len(special_tokens.target_opening))
    values = _log_probabilities(system, states, rows[after], tokens[after + 1])
    return np.split(values, np.cumsum([one.labels for one in forced])[:-1])


def _with_special(instance: Instance, special_tokens: SpecialTokens) -> list[list[int]]:
    """The target sentences with their special tokens."""
    assert instance.target is not None
    opening, end = special_tokens.target_opening, special_tokens.target_end
    return [[*opening, *sentence, end] for sentence in instance.target]


def _label_positions(
    target: Packed, forced: Sequence[ForcedInstance], opening: int
) -> NDArray[np.int64]:
    """The positions before the given labels, in order."""
    sentences = target.sentences
    positions = np.arange(sentences.total)
    in_sentence = positions - sentences.host_offsets[:-1].repeat(sentences.host_lengths)
    left = sentences.host_lengths.repeat(sentences.host_lengths) - in_sentence
    labelled = positions[(in_sentence >= opening - 1) & (left > 1)]
    ends = np.searchsorted(labelled, target.instances.host_offsets[1:])
    chosen = [labelled[end - one.labels : end] for one, end in zip(forced, ends, strict=True)]
    return np.concatenate(chosen)


def _log_probabilities(
    system: System, states: Tensor, rows: NDArray[np.int64], labels: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The log-probability of each label, (n,), after the state of its row, (n,)."""
    order = np.argsort(rows, kind="stable")
    used, index = np.unique(rows[order], return_inverse=True)
    weight, bias = system.output_weight, system.output_bias
    size = max(1, _MAX_LOGITS // len(weight))
    parts = []
    for begin in range(0, len(used), size):
        first, last = np.searchsorted(index, (begin, begin + size))
        states_of_part = states[to_device(used[begin : begin + size], states.device)]
        log_p = linear(states_of_part, weight, bias).float().log_softmax(1)
        rows_and_labels = np.stack([index[first:last] - begin, labels[order[first:last]]])
        row, label = to_device(rows_and_labels, log_p.device)
        parts.append(log_p[row, label])
    values = np.empty(len(rows), np.float32)
    values[order] = torch.cat(parts).cpu().numpy()
    if np.isnan(values).any():
        raise not_finite_error()
    return values
