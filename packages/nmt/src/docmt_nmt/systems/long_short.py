"""Long-short term masking (Zhang et al. 2020, "Long-Short Term Masking Transformer: A Simple but
Effective Baseline for Document-level Neural Machine Translation").

Two streams of states run through one encoder and one decoder and share all their parameters. They
differ in the mask M of self-attention:

    A = softmax(QKᵀ / √(d/h) + M)                                                (1)

In the long (global) stream M is that of a Transformer over k sentences; in the short (local) one it
is a block-diagonal matrix, a block for each sentence. In cross-attention M = 0 in both, and both
have the same positions. After the last layer they are joined by a feed-forward layer before the
output (section 3, "dimensionality 1024"), or added up:

    y = max(0, [H_long, H_short] W₁ + b₁) W₂ + b₂  or  y = H_long + H_short

Here no mask is built: both streams run through the layers one after the other, as 2N states, and a
view (`docmt_nmt.nn.views.TwoStreams`) shows instances to the one and sentences to the other. With
`short_stream: independent` cross-attention and positions of the short stream are those of the
sentence too, so that it is a Transformer over single sentences.

Shapes: N tokens.
"""

from __future__ import annotations

import torch
from torch import Tensor

from docmt_nmt.nn.batch import Encoded, Memory, Packed
from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.nn.layers import FeedForward
from docmt_nmt.nn.views import TwoStreams, View
from docmt_nmt.systems.long_short_settings import LongShortSettings
from docmt_nmt.systems.transformer import EncoderDecoder

SHORT = "short"
"""The name under which the short stream encodes the source."""


class LongShort(EncoderDecoder):
    """A Transformer over instances and over sentences at once, with one set of parameters."""

    settings_class = LongShortSettings

    refills_batches = True

    def __init__(
        self, settings: LongShortSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        # The instances of two streams are instances in the one and sentences in the other.
        super().__init__(settings, source_vocabulary, target_vocabulary)
        self.independent = settings.short_stream == "independent"
        self.join: FeedForward | None = None
        if settings.aggregation == "concatenation":
            both = 2 * settings.d_model
            ffn_dim = settings.joining_ffn_dim or both
            self.join = FeedForward(settings.d_model, ffn_dim, inputs=both)

    def encode(self, source: Packed) -> Memory:
        """Encode the source of a batch of instances, once in each stream."""
        view = self.two_streams(FullPass(source))
        long, short = self.encode_tokens(source.tokens.repeat(2), view).chunk(2)
        return Memory(source, long, {SHORT: Encoded(short, source.instances)})

    def decode(self, tokens: Tensor, view: View) -> Tensor:
        """The states of both streams, (N, 2 · d_model), given target tokens, (N,)."""
        long, short = super().decode(tokens.repeat(2), self.two_streams(view)).chunk(2)
        return torch.cat([long, short], dim=1)

    def two_streams(self, view: View) -> TwoStreams:
        """Return what each stream sees of a view."""
        return TwoStreams(view, SHORT, independent=self.independent)

    def readout(self, x: Tensor) -> Tensor:
        """The states of both streams, (N, 2 · d_model), aggregated: (N, d_model)."""
        long, short = (self.decoder_norm(part) for part in x.chunk(2, dim=1))
        return long + short if self.join is None else self.join(torch.cat([long, short], dim=1))
