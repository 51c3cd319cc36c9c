"""`SharedPrefixes`: a full pass over target sequences with common prefixes, such as the candidates
of a contrastive suite after the same context. The tokens form a tree, and a shared prefix is
computed once.

Shapes: N nodes of the tree, E tokens of all sequences, I instances of the source, P sequences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from docmt_nmt.nn.batch import Memory, Packed
from docmt_nmt.nn.choices import CountPositions, SequenceUnit
from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.nn.kernels.attend import attend
from docmt_nmt.nn.spans import Spans
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.nn.views import (
    KeysValues,
    KeyValueProjection,
    Positions,
    Reach,
    Scopes,
    Seen,
    SelfProjection,
    Sequences,
    SourceKeys,
    SourceParts,
    View,
)


@dataclass(frozen=True, eq=False)
class PrefixTree:
    """Target sequences of the instances of a source, as a tree for each instance.

    Attributes:
        nodes: the tokens of all trees, (N,), with the instances and sentences of the source: the
            nodes of a sentence, in any sequence of an instance, lie together.
        paths: the sequences themselves, (E,) tokens; each is an instance.
        node_of: (E,) the node of each token of a sequence; on the host.
        path_of: (N,) a token of a sequence for each node; on the host.
    """

    nodes: Packed
    paths: Packed
    node_of: NDArray[np.int64]
    path_of: NDArray[np.int64]

    @classmethod
    def of(cls, instances: Sequence[Sequence[Sequence[Sequence[int]]]]) -> PrefixTree:
        """The tree of the sequences of each instance, given as sentences of token ids (special
        tokens included); all sequences of an instance have as many sentences, at least one."""
        tokens: list[int] = []
        node_of: list[NDArray[np.int64]] = []
        sentence_lengths, instance_lengths = [], []
        for sequences in instances:
            before = len(tokens)
            # The last node of each sequence so far; sequences with the same prefix share the node.
            ends = [-1] * len(sequences)
            parts: list[list[int]] = [[] for _ in sequences]
            for sentence in zip(*sequences, strict=True):
                known: dict[tuple[int, int], int] = {}
                begin = len(tokens)
                for index, sequences_of_instance in enumerate(sentence):
                    node = ends[index]
                    for token in sequences_of_instance:
                        key = node, token
                        if key not in known:
                            known[key] = len(tokens)
                            tokens.append(token)
                        node = known[key]
                        parts[index].append(node)
                    ends[index] = node
                sentence_lengths.append(len(tokens) - begin)
            instance_lengths.append(len(tokens) - before)
            node_of += [np.array(part, np.int64) for part in parts]
        sequences = [
            sequence for sequences_of_instance in instances for sequence in sequences_of_instance
        ]
        all_nodes = np.concatenate(node_of)
        everything = torch.tensor(tokens, dtype=torch.int64)
        path_of = np.zeros(len(tokens), np.int64)
        path_of[all_nodes] = np.arange(len(all_nodes))
        return cls(
            Packed(everything, Spans.of(sentence_lengths), Spans.of(instance_lengths)),
            Packed(
                everything[torch.from_numpy(all_nodes)],
                Spans.of([len(s) for sequence in sequences for s in sequence]),
                Spans.of([len(part) for part in node_of]),
            ),
            all_nodes,
            path_of,
        )

    def to(self, device: torch.device | str) -> PrefixTree:
        """A copy on another device."""
        return PrefixTree(self.nodes.to(device), self.paths.to(device), self.node_of, self.path_of)


class SharedPrefixes(View):
    """The nodes of a tree of target sequences at once; each sees the nodes before it in the
    sequences.

    Args:
        tree: the sequences.
        memory: the encoded source.
    """

    def __init__(self, tree: PrefixTree, memory: Memory) -> None:
        self._nodes, self._paths = FullPass(tree.nodes, memory), FullPass(tree.paths, memory)
        self._spans = tree.paths.sentences, tree.paths.instances
        device = memory.states.device
        self._node_of = to_device(tree.node_of, device)
        self._path_of = to_device(tree.path_of, device)

    @cached_property
    def own(self) -> Scopes:
        sentences, instances = (
            _AlongPaths(spans, self._node_of, self._path_of) for spans in self._spans
        )
        return Scopes(sentences, instances)

    def source_as(self, name: str) -> Scopes:
        return self._nodes.source_as(name)

    def auxiliary(self, name: str) -> KeysValues | None:
        return self._nodes.auxiliary(name)

    def look(self, reach: Reach[Seen], x: Tensor) -> Seen:
        """Look from each node as in the sequence of the node. Where a reach sees later sentences,
        only the states of last sentences are meaningful: earlier states are shared by sequences
        with different continuations."""
        if reach.of_source:
            return reach.full_pass(self._nodes, x)
        seen: Seen = reach.full_pass(self._paths, x[self._node_of]).of_paths(
            self._node_of, self._path_of
        )
        return seen

    def positions(self, count_from: CountPositions) -> Positions:
        values, limit = self._paths.positions(count_from)
        return Positions(values[self._path_of], limit)

    def sequences(self, unit: SequenceUnit = "sentence") -> Sequences:
        """The target as a recurrence writes it, which needs no other state than its own."""
        return _PathSequences(self._paths.sequences(unit), self._node_of, self._path_of)


class _PathSequences(Sequences):
    """The sequences of nodes: each from its beginning to its end, with the states of nodes in the
    place of those of tokens."""

    def __init__(self, paths: Sequences, node_of: Tensor, path_of: Tensor) -> None:
        self._paths, self._node_of, self._path_of = paths, node_of, path_of
        self.memory, self.translated = paths.memory, paths.translated

    def in_time_order(self, x: Tensor) -> Tensor:
        return self._paths.in_time_order(x[self._node_of])

    def in_text_order(self, x: Tensor) -> Tensor:
        return self._paths.in_text_order(x)[self._path_of]

    def sizes(self) -> Sequence[int]:
        return self._paths.sizes()

    def state(self, owner: nn.Module) -> Tensor | None:
        return self._paths.state(owner)

    def keep_state(self, owner: nn.Module, state: Tensor) -> None:
        self._paths.keep_state(owner, state)

    def by_sequence(self, states: list[Tensor]) -> list[Tensor]:  # noqa: ARG002
        """Not for recurrent networks with attention, whose states are not those of nodes."""
        raise TypeError("recurrent networks with attention share no prefixes")

    def source(
        self,
        owner: nn.Module,  # noqa: ARG002
        states: Tensor,  # noqa: ARG002
        parts: SourceParts | None = None,  # noqa: ARG002
    ) -> SourceKeys:
        """Not for recurrent networks with attention; see `by_sequence`."""
        raise TypeError("recurrent networks with attention share no prefixes")


class _AlongPaths(KeysValues):
    """The nodes before each one, in spans of the sequences: keys and values are made once for a
    node, and put where the sequences have it."""

    def __init__(self, spans: Spans, node_of: Tensor, path_of: Tensor) -> None:
        self._spans, self._node_of, self._path_of = spans, node_of, path_of

    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:
        return self._attend(q, *owner.keys_and_values(x))

    def attend_from(self, x: Tensor, owner: SelfProjection) -> Tensor:
        return self._attend(*owner.queries_keys_values(x))

    def _attend(self, *of_nodes: Tensor) -> Tensor:
        """Attend, given queries, keys and values of nodes."""
        q, k, v = (y[self._node_of] for y in of_nodes)
        return attend(q, k, v, self._spans, self._spans, causal=True)[self._path_of]
