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

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate, collate_source
from docmt_nmt.decoding.label_probabilities import label_positions, log_probabilities
from docmt_nmt.decoding.teacher_forcing import ForcedInstance
from docmt_nmt.nn import Packed
from docmt_nmt.systems import EncoderDecoder, System
from docmt_research.nn.shared_prefixes import PrefixTree, SharedPrefixes


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
    after = label_positions(target, forced, len(special_tokens.target_opening))
    values = log_probabilities(system, states, rows[after], tokens[after + 1])
    return np.split(values, np.cumsum([one.labels for one in forced])[:-1])


def _with_special(instance: Instance, special_tokens: SpecialTokens) -> list[list[int]]:
    """The target sentences with their special tokens."""
    assert instance.target is not None
    opening, end = special_tokens.target_opening, special_tokens.target_end
    return [[*opening, *sentence, end] for sentence in instance.target]
