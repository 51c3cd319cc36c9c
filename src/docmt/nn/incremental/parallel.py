"""`ParallelState`: the cache of parallel document decoding, where the sentences of one document are written
at the same time, each given the last guess of the ones before it.

Shapes: R sentences that are being written, N tokens of the guess, H heads, D head dimension.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import chain

import torch
from torch import Tensor

from docmt.nn.attention import Read
from docmt.nn.incremental.source_sharing import SourceSharing
from docmt.nn.incremental.state import DecodingState, Memory, SourceWindow
from docmt.nn.incremental.token_tree import TokenTree


class ParallelState(DecodingState):
    """The cache of sentences of one document that are written at the same time. To attention within
    a sentence each is an instance of its own, and to attention over the document they are a beam,
    whose hypotheses see what stands before them: what is being written of each sentence and, where
    it has not come to yet, the last guess.

    Args:
        memory: the encoded document.
        sentences: (R,) which sentences are written.
        starts: (R,) where in the document each begins.
        ends: (R,) where in the document the guess of each ends.
        lengths: (R,) how many tokens of each are read already, from its begin mark.
        read: what attention has made of the guess; None for no guess.
    """

    def __init__(
        self,
        memory: Memory,
        sentences: Tensor,
        starts: Tensor,
        ends: Tensor,
        lengths: Tensor,
        read: Read | None,
    ) -> None:
        self.memory, self.ends = memory, ends
        read = read or Read({}, {})
        device = starts.device
        self.open = torch.zeros(1, dtype=torch.int64, device=device)
        self.readers = SourceSharing(self.open)
        self.sentence, self.starts, self.place = sentences, starts, lengths - 1
        steps = torch.arange(int(lengths.max()), device=device)
        own = steps < lengths[:, None]  # (R, longest)
        places = starts[:, None] + torch.minimum(steps, (lengths - 1).clamp_min(0)[:, None])
        self.sentences = TokenTree(own[:, None], places, read.sentences)
        made = next(chain(read.instances.values(), read.sentences.values()), None)
        guess = torch.arange(0 if made is None else made.shape[1], device=device)
        before = guess < (starts + lengths)[:, None]  # (R, N)
        self.instances = TokenTree(before[None], guess[None], read.instances)
        self.window = SourceWindow(memory.source.sentences, len(sentences))
        self.padded: dict[Hashable, tuple[Tensor, Tensor, Tensor, Tensor]] = {}
        self.carried: dict[Hashable, Tensor] = {}

    @property
    def positions(self) -> Tensor:
        """(R,) the place in the document of the token that each sentence now reads."""
        return self.starts + self.place

    @property
    def positions_in_sentence(self) -> Tensor:
        """(R,) the place in its sentence of the token that each now reads."""
        return self.place

    def advance(self, tokens: Tensor) -> None:
        """Take note that a token of every sentence is read."""
        assert len(tokens) == len(self.sentence)
        self.place = self.place + 1
        self.sentences.grow()
        # What is written takes the place of the guess.
        replaced = (self.starts + self.place)[self.starts + self.place < self.ends]
        self.instances.seen[:, :, replaced] = False
        self.instances.grow(self.sentence[:, None] >= self.sentence)
        self.window.move(self.sentence[:, None])

    def keep(self, rows: Tensor) -> None:
        """Forget all but these sentences, given by their places among those that are written."""
        self.sentence, self.place = self.sentence[rows], self.place[rows]
        self.starts, self.ends = self.starts[rows], self.ends[rows]
        self.sentences.keep(rows)
        self.instances.seen = self.instances.seen[:, rows]
        self.window.keep(rows)
