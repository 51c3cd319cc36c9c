"""Parallel attention stack (Donato et al. 2021, "Diverse Pretrained Context Encodings Improve
Document Translation", section 2.4).

Encoders trained elsewhere read a sentence and the sentences around it; A, B and C are what they
make of them. ContextDataset the self-attention of every layer stands a stack of attention over these:

    R_ℓ   = AttnBlock(E_ℓ₋₁, E_ℓ₋₁, E_ℓ₋₁)
    Sᵃ_ℓ  = AttnBlock(A, A, E_ℓ₋₁),  Sᵇ_ℓ = AttnBlock(B, B, Sᵃ_ℓ),  S_ℓ = AttnBlock(C, C, Sᵇ_ℓ)
    T_ℓ   = DropBranch(R_ℓ, S_ℓ) in training, ½ (R_ℓ + S_ℓ) otherwise
    E_ℓ   = LayerNorm(FeedForward(T_ℓ)) + T_ℓ

    AttnBlock(K, V, Q) = LayerNorm(Attn(K, V, Q)) + Q
    DropBranch(M, N)   = 1(u ≥ ½) · M + 1(u < ½) · N,  u ~ Uniform(0, 1)

In the decoder, cross-attention follows T_ℓ. A block whose encoding a batch lacks is left out, and
with all of them the branch: what is left is the Transformer.

Shapes: N tokens, W d_model; in steps R rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

import torch
from pydantic import Field, field_validator, model_validator
from torch import Tensor, nn

from docmt.nn.attention import MultiHeadAttention
from docmt.nn.autocast import in_autocast_format
from docmt.nn.batch import Encoded, Packed
from docmt.nn.incremental.state import DecodingState, Memory
from docmt.nn.layers import Branch, DecoderLayer, EncoderLayer, NormOrder, Residual
from docmt.settings import Conditions, PositiveInt, Settings
from docmt.systems.settings import EncoderDecoderSettings
from docmt.systems.stack_notation import Block, parse, written
from docmt.systems.transformer import EncoderDecoder, last_norm, plain_encoder_layer

NEEDED = {"huggingface": ("model", "d_model"), "run": ("run", "d_model"), "trained": ("layers",)}
"""Which keys each kind of context encoder must be given."""


class ContextSettings(Settings):
    """An encoder whose states a stack attends to."""

    kind: Literal["huggingface", "run", "trained"]
    """Where the encoder comes from. `huggingface`: a Hugging Face model, frozen. `run`: the encoder
    of a docmt run, frozen. `trained`: a new encoder that is trained with the system (as in Zhang et
    al. 2018)."""

    model: str | None = None
    """Name or folder of the Hugging Face model; its tokenizer is loaded with it."""

    run: str | None = None
    """Run directory whose encoder and text pipeline are used; texts are encoded as that run's
    source side."""

    d_model: PositiveInt | None = None
    """Size of the encoder's states. Required for `huggingface` and `run`."""

    max_tokens: PositiveInt | None = None
    """Maximum tokens that the encoder reads at once. Default: as many as the model can."""

    too_long: Literal["error", "truncate"] = "error"
    """What happens to context of more than `max_tokens`: `error`, or `truncate`, which drops the
    sentences farthest from the current one."""

    layers: PositiveInt | None = None
    """Number of layers of a `trained` encoder; its other sizes are the system's."""

    only_with: ClassVar[Conditions] = {
        "model": {"kind": ("huggingface",)},
        "run": {"kind": ("run",)},
        "d_model": {"kind": ("huggingface", "run")},
        "max_tokens": {"kind": ("huggingface", "run")},
        "too_long": {"kind": ("huggingface", "run")},
        "layers": {"kind": ("trained",)},
    }

    @model_validator(mode="after")
    def nothing_is_missing(self) -> ContextSettings:
        """Check that the kind has what it needs."""
        for key in NEEDED[self.kind]:
            if getattr(self, key) is None:
                raise ValueError(f"kind: {self.kind} needs {key}")
        return self


class ParallelStackSettings(EncoderDecoderSettings):
    """A Transformer beside whose self-attention stands attention over other encoders (Donato et al.
    2021)."""

    name: Literal["parallel-stack"] = "parallel-stack"
    """Name of the system."""

    norm: NormOrder = "output"
    """Where layer normalization is applied: to a sublayer's `output` before it is added to the
    residual, as in the paper; or, to start from other Transformers, to the sum (`post`) or to the
    sublayer's input (`pre`)."""

    stack: str = ""
    """The attention blocks beside self-attention and their order, in the paper's notation: `Bs(p,c)
    => Bs(c,n) => Ps(3p,c,3n)`. Empty: a plain Transformer."""

    contexts: dict[Annotated[str, Field(pattern="^[A-Z][st]?$")], ContextSettings] = Field(
        default_factory=dict
    )
    """The encoder for each letter of `stack`: under `P` for both sides, or under `Ps` and `Pt`
    where source and target have encoders of their own."""

    @field_validator("stack")
    @classmethod
    def stack_has_a_meaning(cls, stack: str) -> str:
        """Write the notation in its shortest form."""
        return written(parse(stack))

    @model_validator(mode="after")
    def letters_are_bound(self) -> ParallelStackSettings:
        """Check the letters of `stack` against `contexts`."""
        used = {self.key_of(block) for block in self.blocks}
        if unbound := sorted(used - set(self.contexts)):
            raise ValueError(
                f"stack names {', '.join(unbound)}, but contexts has no such key; "
                f"add contexts.{unbound[0]}"
            )
        if unused := sorted(set(self.contexts) - used):
            raise ValueError(f"contexts.{unused[0]} has no effect: stack does not name it")
        return self

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of the stack, in order."""
        return parse(self.stack)

    def key_of(self, block: Block) -> str:
        """The key of `contexts` that a block's encoder has."""
        own = f"{block.model}{block.side[0]}"
        return own if own in self.contexts else block.model

    def width_of(self, block: Block) -> int:
        """The d_model of what a block attends to."""
        return self.contexts[self.key_of(block)].d_model or self.d_model


class AttentionBlock(nn.Module):
    """AttnBlock of the paper: attention over an encoding, and what surrounds it.

    Args:
        settings: the sizes.
        over: the d_model of the encoding.
    """

    def __init__(self, settings: EncoderDecoderSettings, over: int) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(settings.d_model, settings.heads, over=over)
        self.around = Residual(settings.d_model, dropout=settings.dropout, norm_order=settings.norm)

    def forward(self, x: Tensor, encoded: Encoded, queries: Packed) -> Tensor:
        """x, (N, W), packed as `queries`, over the encoding of each instance: (N, W)."""
        spans = queries.instances, encoded.spans
        return self.around(x, lambda x: self.attention(x, encoded.states, *spans))

    def step(self, x: Tensor, cache: DecodingState, name: str) -> Tensor:
        """The same of one new token a row: (R, W)."""
        return self.around(x, lambda x: self.attention.step_instance(x, cache, name))


class Stack(Branch):
    """S and T of the paper.

    The blocks are called after what they attend to, so that a longer stack takes over those of a
    shorter one.

    Args:
        settings: the sizes and the blocks.
    """

    def __init__(self, settings: ParallelStackSettings) -> None:
        super().__init__()
        self.names = [str(block) for block in settings.blocks]
        self.blocks = nn.ModuleDict(
            {
                name: AttentionBlock(settings, settings.width_of(block))
                for name, block in zip(numbered(self.names), settings.blocks, strict=True)
            }
        )

    def forward(self, x: Tensor, attended: Tensor, queries: Packed, memory: Memory) -> Tensor:
        """T of a layer's input x and R, `attended`, all (N, W)."""
        s = x
        for name, block in zip(self.names, self.blocks.values(), strict=True):
            if name in memory.auxiliary:
                s = block(s, memory.auxiliary[name], queries)
        return self.join(attended, s) if memory.auxiliary else attended

    def step(self, x: Tensor, attended: Tensor, cache: DecodingState) -> Tensor:
        """The same of one new token a row, all (R, W)."""
        beside = cache.memory.auxiliary
        s = x
        for name, block in zip(self.names, self.blocks.values(), strict=True):
            if name in beside:
                s = block.step(s, cache, name)  # type: ignore[operator]
        return self.join(attended, s) if beside else attended

    def join(self, attended: Tensor, stacked: Tensor) -> Tensor:
        """T of R and S, all (N, W); in training u is drawn once for all tokens."""
        if not self.training:
            return (attended + stacked) / 2
        # Both are computed, so that every parameter has a gradient, if only zero.
        return torch.where(torch.rand((), device=stacked.device) >= 0.5, attended, stacked)


def numbered(names: Sequence[str]) -> list[str]:
    """Names of which none occurs twice: the second of equals ends in `#2`, and so on."""
    seen: Counter[str] = Counter()
    result = []
    for name in names:
        seen[name] += 1
        result.append(f"{name}#{seen[name]}" if seen[name] > 1 else name)
    return result


class ContextEncoder(nn.Module):
    """An encoder that learns with the system and reads its tokens (Zhang et al. 2018).

    Args:
        settings: the sizes.
        layers: how many layers it has.
    """

    def __init__(self, settings: EncoderDecoderSettings, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(plain_encoder_layer(settings, "global") for _ in range(layers))
        self.norm = last_norm(settings)

    def forward(self, x: Tensor, row: Packed) -> Encoded:
        """Embedded tokens x, (N, W), of the contexts in a row: their states."""
        memory = Memory(row, x)
        for layer in self.layers:
            x = layer(x, memory)
        return Encoded(self.norm(x), row.instances)


class ParallelStack(EncoderDecoder):
    """A Transformer with a stack of attention beside the self-attention of every layer."""

    instance_kinds = ("sentence",)

    def __init__(
        self, settings: ParallelStackSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        encoder: list[Literal["global"]] = ["global"] * settings.layers
        decoder: list[Literal["global"]] = ["global"] * settings.layers_of_decoder
        super().__init__(
            settings, source_vocabulary, target_vocabulary,
            encoder_scopes=encoder, decoder_scopes=decoder, cross_scopes=decoder,
        )  # fmt: skip
        self.sides = {str(block): block.side for block in settings.blocks}
        self.keys = {str(block): settings.key_of(block) for block in settings.blocks}
        if settings.blocks:
            for layer in (*self.encoder, *self.decoder):
                assert isinstance(layer, EncoderLayer | DecoderLayer)
                layer.branch = Stack(settings)
        self.context_encoders = nn.ModuleDict(
            {
                key: ContextEncoder(settings, context.layers)
                for key, context in settings.contexts.items()
                if context.layers is not None
            }
        )

    def encode(self, source: Packed) -> Memory:
        """Read the source of a batch of instances, once each."""
        return self.encode_beside(source, self.encode_contexts(source.auxiliary))

    def encode_contexts(self, auxiliary: Mapping[str, Encoded | Packed]) -> dict[str, Encoded]:
        """What the blocks attend to, with that of encoders that learn with the system."""
        encoded = {}
        for name in self.sides:
            if name not in auxiliary:
                continue
            beside = auxiliary[name]
            if isinstance(beside, Packed):
                reads_source = self.sides[name] == "source"
                table = self.source_embedding if reads_source else self.target_embedding
                x = self.embed(table, beside.tokens, beside.positions)
                beside = self.context_encoders[self.keys[name]](x, beside)
            states = beside.states.to(self.output_weight.dtype)
            encoded[name] = Encoded(in_autocast_format(states), beside.spans)
        return encoded
