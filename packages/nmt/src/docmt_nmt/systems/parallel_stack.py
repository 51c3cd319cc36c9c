"""Parallel attention stack (Donato et al. 2021, "Diverse Pretrained Context Encodings Improve
Document Translation", section 2.4).

Encoders trained elsewhere read a sentence and the sentences around it; A, B and C are what they
make of them. In parallel to the self-attention of every layer of the encoder stands a stack of
attention over these:

    R_ℓ   = AttnBlock(E_ℓ₋₁, E_ℓ₋₁, E_ℓ₋₁)
    Sᵃ_ℓ  = AttnBlock(A, A, E_ℓ₋₁),  Sᵇ_ℓ = AttnBlock(B, B, Sᵃ_ℓ),  S_ℓ = AttnBlock(C, C, Sᵇ_ℓ)
    T_ℓ   = DropBranch(R_ℓ, S_ℓ) in training, ½ (R_ℓ + S_ℓ) otherwise
    E_ℓ   = LayerNorm(FeedForward(T_ℓ)) + T_ℓ

    AttnBlock(K, V, Q) = LayerNorm(Attn(K, V, Q)) + Q
    DropBranch(M, N)   = 1(u ≥ ½) · M + 1(u < ½) · N,  u ~ Uniform(0, 1)

In the decoder the stack stands in parallel to cross-attention, and the output of self-attention is
the query of both:

    Q_ℓ   = AttnBlock(D_ℓ₋₁, D_ℓ₋₁, D_ℓ₋₁),  R_ℓ = AttnBlock(E, E, Q_ℓ)
    Sᵃ_ℓ  = AttnBlock(A, A, Q_ℓ),  ... as above

A stack of one block is BERT-fused (Zhu et al. 2020, "Incorporating BERT into Neural Machine
Translation"). A block whose encoding a batch lacks is left out, and with all of them the branch:
what is left is the Transformer.

Shapes: N tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn

from docmt_nmt.nn.attention import MultiHeadAttention
from docmt_nmt.nn.autocast import in_autocast_format
from docmt_nmt.nn.batch import Encoded, Memory, Packed
from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.nn.layers import Layer, Residual
from docmt_nmt.nn.views import View
from docmt_nmt.systems.parallel_stack_settings import ParallelStackSettings
from docmt_nmt.systems.system_settings import EncoderDecoderSettings
from docmt_nmt.systems.transformer import EncoderDecoder, encoder_layer, last_norm, residual


class AuxiliaryAttention(nn.Module):
    """Attn of an AttnBlock: attention over the context encodings of a name.

    Args:
        settings: the sizes.
        name: what is attended to.
        kv_dim: the size of its states.
    """

    def __init__(self, settings: EncoderDecoderSettings, name: str, kv_dim: int) -> None:
        super().__init__()
        self.name = name
        self.attention = MultiHeadAttention(settings.d_model, settings.heads, kv_dim=kv_dim)

    def forward(self, x: Tensor, view: View) -> Tensor:
        """(N, d_model) to (N, d_model)"""
        encodings = view.auxiliary(self.name)
        assert encodings is not None, f"{self.name} is encoded"
        return self.attention(x, encodings)


class StackedAttention(Residual):
    """R, S and T of the paper: an attention and what surrounds it, joined with the stack.

    The blocks are named after what they attend to, so that a longer stack takes over those of a
    shorter one.

    Args:
        settings: the sizes and the blocks.
        attention: the encoder's self-attention, or the decoder's cross-attention.
    """

    def __init__(self, settings: ParallelStackSettings, attention: nn.Module) -> None:
        around: dict[str, Any] = {"dropout": settings.dropout, "norm_order": settings.norm}
        super().__init__(attention, settings.d_model, **around)
        names = [str(block) for block in settings.blocks]
        self.names = names
        self.blocks = nn.ModuleDict(
            {
                key: residual(
                    settings, AuxiliaryAttention(settings, name, settings.d_model_of(block))
                )
                for key, name, block in zip(numbered(names), names, settings.blocks, strict=True)
            }
        )

    def forward(self, x: Tensor, view: View) -> Tensor:
        """T of the queries x: (N, d_model) to (N, d_model)."""
        attended = super().forward(x, view)  # R
        stacked, blocks = x, 0  # S
        for name, block in zip(self.names, self.blocks.values(), strict=True):
            if view.auxiliary(name) is not None:
                stacked, blocks = block(stacked, view), blocks + 1
        return self.drop_branch(attended, stacked) if blocks else attended

    def drop_branch(self, attended: Tensor, stacked: Tensor) -> Tensor:
        """T of R and S, all (N, d_model); in training u is drawn once for all tokens."""
        if not self.training:
            return (attended + stacked) / 2
        # Both are computed, so that every parameter has a gradient, if only zero.
        return torch.where(torch.rand((), device=stacked.device) >= 0.5, attended, stacked)


def add_stack(settings: ParallelStackSettings, layers: nn.ModuleList, name: str) -> None:
    """Put the stack of the settings in parallel to the sublayer of this name in every layer."""
    for layer in layers:
        assert isinstance(layer, Layer)
        layer[name] = StackedAttention(settings, cast(Residual, layer[name]).sublayer)


def numbered(names: Sequence[str]) -> list[str]:
    """Names of which none occurs twice: the second of equals ends in `#2`, and so on."""
    seen: Counter[str] = Counter()
    result = []
    for name in names:
        seen[name] += 1
        result.append(f"{name}#{seen[name]}" if seen[name] > 1 else name)
    return result


class ContextEncoder(nn.Module):
    """An encoder that is trained with the system and reads its tokens (Zhang et al. 2018).

    Args:
        settings: the sizes.
        layers: how many layers it has.
    """

    def __init__(self, settings: EncoderDecoderSettings, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(encoder_layer(settings, "global") for _ in range(layers))
        self.norm = last_norm(settings)

    def forward(self, x: Tensor, packed: Packed) -> Encoded:
        """Embedded tokens x, (N, d_model), of packed contexts: their states."""
        view = FullPass(packed)
        for layer in self.layers:
            x = layer(x, view)
        return Encoded(self.norm(x), packed.instances)


class ParallelStack(EncoderDecoder):
    """A Transformer with a stack of attention in parallel to self-attention in every layer of the
    encoder and to cross-attention in every layer of the decoder."""

    settings_class = ParallelStackSettings

    def __init__(
        self, settings: ParallelStackSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        super().__init__(settings, source_vocabulary, target_vocabulary)
        self.sides = {str(block): block.side for block in settings.blocks}
        self.keys = {str(block): settings.key_of(block) for block in settings.blocks}
        if settings.blocks:
            add_stack(settings, self.encoder, "self_attention")
            add_stack(settings, self.decoder, "cross_attention")
        self.context_encoders = nn.ModuleDict(
            {
                key: ContextEncoder(settings, context.layers)
                for key, context in settings.contexts.items()
                if context.layers is not None
            }
        )

    def twins(self) -> Iterator[tuple[nn.Module, nn.Module]]:
        """The encoders of contexts that are trained with the system, and the blocks that attend to
        these; the states of other encoders are unknown to the attention of the system."""
        for encoder in cast(Iterator[ContextEncoder], self.context_encoders.values()):
            yield from zip(encoder.layers, self.encoder, strict=False)
            yield encoder.norm, self.encoder_norm
        for stacked in self.modules():
            if isinstance(stacked, StackedAttention):
                for name, block in zip(stacked.names, stacked.blocks.values(), strict=True):
                    if self.keys[name] in self.context_encoders:
                        yield cast(Residual, block).sublayer, stacked.sublayer
                        yield cast(Residual, block).norm, stacked.norm

    def encode(self, source: Packed) -> Memory:
        return self.encode_with(source, self.encode_contexts(source.auxiliary))

    def encode_contexts(self, auxiliary: Mapping[str, Encoded | Packed]) -> dict[str, Encoded]:
        """Return what the blocks attend to, with that of encoders that are trained with the
        system."""
        encoded = {}
        for name in self.sides:
            if name not in auxiliary:
                continue
            encodings = auxiliary[name]
            if isinstance(encodings, Packed):
                reads_source = self.sides[name] == "source"
                table = self.source_embedding if reads_source else self.target_embedding
                positions = FullPass(encodings).positions("instance")
                x = self.embed(table, encodings.tokens, positions)
                encodings = self.context_encoders[self.keys[name]](x, encodings)
            states = encodings.states.to(self.output_weight.dtype)
            encoded[name] = Encoded(in_autocast_format(states), encodings.spans)
        return encoded
