"""`ParallelState`: the decoding state of parallel document decoding, where the sentences of one
document are written at the same time, each given the last draft of the ones before it.

Shapes: R sentences that are being written, N tokens of the draft.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from docmt.nn.batch import Memory
from docmt.nn.incremental.source_sharing import SourceSharing
from docmt.nn.incremental.source_window import SourceWindow
from docmt.nn.incremental.state import IncrementalView
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
        starts: (R,) where in the document each begins.
        ends: (R,) where in the document the draft of each ends.
        lengths: (R,) how many tokens of each are read already, from its BOS.
        draft: the recorded keys and values of the draft; None for no draft.

    All arrays are of the host.
    """

    def __init__(
        self,
        memory: Memory,
        sentences: NDArray[np.int64],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
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
        self.sentence, self.starts, self.ends = sentences, starts, ends
        self.position = lengths - 1
        in_sentence = {} if draft is None else draft.own_keys_values("group")
        in_document = {} if draft is None else draft.own_keys_values("global")
        made = next(iter([*in_document.values(), *in_sentence.values()]), None)
        steps = np.arange(int(lengths.max()))
        own = steps < lengths[:, None]  # (R, longest)
        self.sentences = TokenTree(
            own[:, None].copy(), device,
            positions=starts[:, None] + np.minimum(steps, (lengths - 1).clip(0)[:, None]),
            read=in_sentence, looked=Looked("self", "group"), view=self,
        )  # fmt: skip
        drafted = np.arange(0 if made is None else made.shape[1])
        before = drafted < (starts + lengths)[:, None]  # (R, N)
        self.instances = TokenTree(
            before[None].copy(), device, positions=drafted[None], read=in_document,
            looked=Looked("self", "global"), view=self,
        )  # fmt: skip

    def advance(self, tokens: ArrayLike) -> None:
        """Take note that a token of every sentence is read."""
        assert len(np.asarray(tokens)) == len(self.sentence)
        self.position = self.position + 1
        self.sentences.grow()
        # What is written replaces the draft.
        now = self.starts + self.position
        self.instances.hide(now[now < self.ends])
        self.instances.grow(self.sentence[:, None] >= self.sentence)
        self.window.move(self.sentence[:, None])

    def _positions_in_instance(self) -> Positions:
        index = self.starts + self.position
        return Positions(to_device(index, self.device), int(index.max()) + 1)

    def keep(self, sentences: NDArray[np.int64]) -> None:
        """Forget all but these sentences, given by their indices among those that are written."""
        self.sentence, self.position = self.sentence[sentences], self.position[sentences]
        self.starts, self.ends = self.starts[sentences], self.ends[sentences]
        self.sentences.keep(sentences)
        self.instances.keep_hypotheses(sentences)
        self.window.keep(sentences)
