"""`ParallelState`: the decoding state of parallel document decoding, where the sentences of one
document are written at the same time, each given the last draft of the ones before it.

Shapes: R sentences that are being written, N tokens of the draft.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from docmt.nn.batch import Memory
from docmt.nn.incremental.incremental_view import IncrementalView
from docmt.nn.incremental.source_sharing import SourceSharing
from docmt.nn.incremental.source_window import SourceWindow
from docmt.nn.incremental.token_tree import TokenTree
from docmt.nn.recording import Looked, Recorder
from docmt.nn.transfer import to_device
from docmt.nn.views import Positions


class ParallelState(IncrementalView):
    """The state of sentences of one document that are written at the same time. To attention within
    a sentence each is a unit of its own, and to attention over the document they are the hypotheses
    of one unit, which see what stands before them: what is being written of each sentence and,
    where it has not come to yet, the last draft.

    Args:
        memory: the encoded document.
        sentences: (R,) which sentences are written.
        offsets: (S + 1,) where in the document each of its S sentences begins, and where it ends.
        lengths: (R,) how many tokens of each are read already, from its BOS.
        draft: the recorded keys and values of the draft; None for no draft.

    All arrays are of the host.
    """

    def __init__(
        self,
        memory: Memory,
        sentences: NDArray[np.int64],
        offsets: NDArray[np.int64],
        lengths: NDArray[np.int64],
        draft: Recorder | None,
    ) -> None:
        device = memory.states.device
        one = np.zeros(1, np.int64)
        super().__init__(
            memory,
            SourceSharing(one, device),
            SourceWindow(memory.source.sentences, len(sentences)),
        )
        starts = offsets[sentences]
        self.sentence, self.starts = sentences, starts
        # Without a draft there is nothing to replace.
        self.ends = np.zeros_like(starts) if draft is None else offsets[sentences + 1]
        self.position = lengths - 1
        in_sentence = {} if draft is None else draft.own_keys_values("group")
        in_document = {} if draft is None else draft.own_keys_values("global")
        in_two = {} if draft is None else draft.own_keys_values("previous")
        made = [*in_document.values(), *in_sentence.values(), *in_two.values()]
        steps = np.arange(int(lengths.max()))
        is_token = steps < lengths[:, None]  # (R, longest)
        self.sentences = TokenTree(
            is_token[:, None].copy(),
            device,
            positions=starts[:, None] + np.minimum(steps, (lengths - 1).clip(0)[:, None]),
            read=in_sentence,
            looked=Looked("self", "group"),
            view=self,
        )
        drafted = np.arange(made[0].shape[1] if made else 0)
        before = drafted < (starts + lengths)[:, None]  # (R, N)
        self.instances = TokenTree(
            before[None].copy(),
            device,
            positions=drafted[None],
            read=in_document,
            looked=Looked("self", "global"),
            view=self,
        )
        near = before & (drafted >= offsets[(sentences - 1).clip(0)][:, None])
        self._drafted_near = TokenTree(
            near[None],
            device,
            positions=drafted[None],
            read=in_two,
            looked=Looked("self", "previous"),
            view=self,
        )

    def advance(self, tokens: ArrayLike) -> None:
        assert len(np.asarray(tokens)) == len(self.sentence)
        self.position = self.position + 1
        self.sentences.grow()
        self._replace_draft(self.instances, self.sentence[:, None] >= self.sentence)
        if self._own_and_previous is not None:
            self._replace_draft(self._own_and_previous, self._near())
        self.window.move(self.sentence[:, None])

    def _replace_draft(self, tree: TokenTree, seen: NDArray[np.bool_]) -> None:
        """Put the tokens now read, which hypotheses see as `seen`, (R, R), says, in the place of
        the draft."""
        now = self.starts + self.position
        tree.hide(now[now < self.ends])
        tree.grow(seen)

    def _near(self) -> NDArray[np.bool_]:
        """(R, R) which sentences are the same as each or the one before it."""
        distance = self.sentence[:, None] - self.sentence
        near: NDArray[np.bool_] = (distance == 0) | (distance == 1)
        return near

    def _begin_own_and_previous(self) -> TokenTree:
        self._replace_draft(self._drafted_near, self._near())
        return self._drafted_near

    def _positions_in_instance(self) -> Positions:
        index = self.starts + self.position
        return Positions(to_device(index, self.device), int(index.max()) + 1)

    def keep(self, sentences: NDArray[np.int64]) -> None:
        """Forget all but these sentences, given by their indices among those that are written."""
        self.sentence, self.position = self.sentence[sentences], self.position[sentences]
        self.starts, self.ends = self.starts[sentences], self.ends[sentences]
        self.sentences.keep(sentences)
        self.instances.keep_hypotheses(sentences)
        if self._own_and_previous is not None:
            self._own_and_previous.keep_hypotheses(sentences)
        self.window.keep(sentences)
