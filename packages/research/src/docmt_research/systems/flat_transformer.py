"""The Flat-Transformer (Ma et al. 2020, "A Simple and Effective Unified Encoder for Document-Level
Machine Translation").

One encoder reads the source sentence x and the sentences around it, the context c, as one sequence.
The embedding of a token is the sum of those of its word, its position in the sequence and its
segment, which is the sentence or the context:

    e_t = E(w_t) + P(t) + S(s_t)

The lower blocks see all of it; the top blocks, and with them the decoder, see the sentence alone:

    h^(n+1)(c; x) = Block(h^n(c; x))              below
    h^m(x) = h^m(c; x)[a : b]                     x stands from a to before b
    h^(n+1)(x) = Block(h^n(x))                    above

Shapes: N tokens.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import torch
from pydantic import Field, model_validator
from torch import Tensor

from docmt_nmt.base.settings import Conditions
from docmt_nmt.nn.batch import Memory, Packed
from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.systems.system_settings import Context, EncoderDecoderSettings
from docmt_nmt.systems.transformer import EncoderDecoder

SENTENCE, CONTEXT = 0, 1
"""The segments."""


class FlatTransformerSettings(EncoderDecoderSettings):
    """The Flat-Transformer (Ma et al. 2020)."""

    name: Literal["flat-transformer"] = "flat-transformer"
    """Name of the system."""

    instance_kinds: ClassVar[tuple[str, ...]] = ("sentence",)
    outer_context: ClassVar[Context] = "around"

    top_layers: Annotated[int, Field(ge=0, le=1000)] = 1
    """Number of encoder layers, counted from the top, that see the current sentence alone. With 0
    they all see the context too, and the decoder alone does not."""

    segment_embeddings: bool = True
    """Add a learned vector to the embedding of each source token, one to those of the current
    sentence and another to those of its context."""

    long_context: Literal["error", "shorten"] = "error"
    """Treatment of context that is longer than `max_positions` together with the sentence.
    `shorten`: leave out the sentences that are farthest away."""

    only_with: ClassVar[Conditions] = {
        **EncoderDecoderSettings.only_with,
        "long_context": {"positions": ("learned",)},
    }

    @model_validator(mode="after")
    def top_layers_exist(self) -> FlatTransformerSettings:
        """Check `top_layers` against `layers`."""
        if self.top_layers > self.layers:
            raise ValueError(f"top_layers {self.top_layers} is more than layers {self.layers}")
        return self


class FlatTransformer(EncoderDecoder):
    """A sentence Transformer whose lower encoder layers see the sentences around it too."""

    settings_class = FlatTransformerSettings
    reconstruction = "the abstract of Ma et al. 2020 and what others say of it"

    numbers_instances = True

    def __init__(
        self, settings: FlatTransformerSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        super().__init__(settings, source_vocabulary, target_vocabulary)
        self.lower_layers = settings.layers - settings.top_layers
        self.max_tokens = settings.max_positions if settings.long_context == "shorten" else None

    def encode(self, source: Packed) -> Memory:
        """Encode the source of a batch of instances, which are sentences, given their context."""
        row, positions_of_own = source.with_context(self.max_tokens)
        own_positions = to_device(positions_of_own, source.tokens.device)
        view = FullPass(row)
        segments = torch.full_like(row.tokens, CONTEXT).index_fill(0, own_positions, SENTENCE)
        x = self.embed(self.source_embedding, row.tokens, view.positions("instance"), segments)
        for layer in self.encoder[: self.lower_layers]:
            x = layer(x, view)
        return Memory(source, self._encode_sentences(x[own_positions], source))

    def _encode_sentences(self, x: Tensor, source: Packed) -> Tensor:
        """Return what the top blocks make of the states of the sentences alone: both (N,
        d_model)."""
        view = FullPass(source)
        for layer in self.encoder[self.lower_layers :]:
            x = layer(x, view)
        return self.encoder_norm(x)
