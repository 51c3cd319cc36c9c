"""Sizes and their presets: those that all attention systems share, and what others build on; and
the forms that pretrained encoder-decoders come in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from docmt_nmt.base.settings import (
    Conditions,
    LayerCount,
    LayerSize,
    PositiveFloat,
    Settings,
    Share,
)
from docmt_nmt.base.writing_order import WritingOrder
from docmt_nmt.nn.choices import Activation, NormOrder, PositionKind, Recurrence, SequenceUnit

Context = Literal["none", "previous", "around"]
"""Source sentences outside of an instance that a system reads: none, the previous ones, or all
around it."""

Preset = Literal["tiny", "small", "base", "big", "large"]

PRESETS: dict[str, dict[str, Any]] = {
    # Small enough to learn something from a small corpus in minutes on a CPU.
    "tiny": {"layers": 2, "d_model": 128, "heads": 4, "ffn_dim": 512},
    "small": {"layers": 6, "d_model": 512, "heads": 4, "ffn_dim": 1024},
    # Bao et al. 2021, section 2.
    "base": {"layers": 6, "d_model": 512, "heads": 8, "ffn_dim": 2048},
    "big": {"layers": 6, "d_model": 1024, "heads": 16, "ffn_dim": 4096},
    "large": {"layers": 12, "d_model": 1024, "heads": 16, "ffn_dim": 4096},
}


class SystemSettings(Settings):
    """The section `system` of a recipe: which system, and its sizes. The settings of each system
    are a subclass, whose `name` is a `Literal` with that name as its default. Nothing here needs
    torch, so recipes of docmt's systems are checked without it."""

    name: str
    """Name of the system."""

    share_embeddings: bool = True
    """Use one embedding table for source, target and output; needs `text.joint: true`. If false,
    the source has a table of its own."""

    instance_kinds: ClassVar[tuple[str, ...]]
    """The kinds of instance that the system can be trained on."""

    writing_order: ClassVar[WritingOrder] = WritingOrder.ONE_PASS
    """The order in which the system writes the sentences of an instance."""

    outer_context: ClassVar[Context] = "none"
    """The source sentences outside of an instance that the system reads."""

    joins_sentences: ClassVar[bool] = False
    """Whether the system can translate the sentences of an instance joined into one, so that it
    need not know where they begin."""

    known: ClassVar[Callable[[], Sequence[type[SystemSettings]]]] = staticmethod(tuple)
    """Gives the settings of all systems; `docmt_nmt.systems.system_registry` sets it."""

    @classmethod
    def alternatives(cls) -> Sequence[type[Settings]]:
        """Return the settings of all systems, where it may be that of any."""
        return SystemSettings.known() if cls is SystemSettings else [cls]


class PresetSettings(SystemSettings):
    """Dimensions that a key `preset` sets; each can be set apart.

    Attributes:
        presets: the dimensions by the preset's name.
    """

    presets: ClassVar[dict[str, dict[str, Any]]]

    @model_validator(mode="before")
    @classmethod
    def start_from_preset(cls, values: Any) -> Any:
        """Fill in what the preset says and the recipe does not."""
        if not isinstance(values, dict):
            return values
        preset = values.get("preset", cls.model_fields["preset"].default)
        return {**(cls.presets.get(preset, {}) if isinstance(preset, str) else {}), **values}


class SizeSettings(PresetSettings):
    """The dimensions of an encoder-decoder. A preset sets them all; each can be set apart."""

    presets = PRESETS

    preset: Preset = "base"
    """The sizes to start from; each size can also be set on its own."""

    layers: LayerCount = 6
    """Number of encoder layers, and of decoder layers."""

    d_model: LayerSize = 512
    """Size of the hidden states and embeddings."""

    heads: LayerSize = 8
    """Number of attention heads; must divide `d_model`."""

    ffn_dim: LayerSize = 2048
    """Inner size of the feed-forward sublayers."""

    dropout: Share = 0.3
    """Dropout probability of sublayer outputs and embeddings."""

    norm: NormOrder = "post"
    """Place of layer normalization. `post`: to the sum of residual and sublayer output. `pre`: to
    the sublayer's input. `output`: to the sublayer's output before it is added to the residual
    (Donato et al. 2021)."""

    @model_validator(mode="after")
    def heads_divide_width(self) -> SizeSettings:
        """Check `heads` against `d_model`."""
        if self.d_model % self.heads:
            raise ValueError(f"heads {self.heads} must divide d_model {self.d_model}")
        return self


class EncoderDecoderSettings(SizeSettings):
    """The form of an encoder-decoder. The defaults are those of Vaswani et al. 2017; pretrained
    models have others.

    Attributes:
        can_recur: whether a recurrence can take the place of the decoder's self-attention.
    """

    decoder_layers: Annotated[int, Field(ge=0, le=1000)] | None = None
    """Number of decoder layers, if it differs from `layers`. Imported encoders have 0, and cannot
    translate."""

    decoder_recurrence: Recurrence = "none"
    """Recurrence in place of the decoder's self-attention. `none`: self-attention. `ssru`: the
    simpler simple recurrent unit (Kim et al. 2019), as in the models of Firefox."""

    recurrence_unit: SequenceUnit | None = None
    """Text over which the state of the recurrence runs on: each `sentence`, or the whole
    `instance`. A state over the instance is context at no cost per step, also where no attention
    sees other sentences. Default: the text that self-attention would see."""

    activation: Activation = "relu"
    """Activation function of the feed-forward sublayers."""

    attention_dropout: Share = 0.0
    """Dropout probability of attention weights, in all attentions."""

    positions: PositionKind = "sinusoidal"
    """Position embeddings. `sinusoidal`: sines and cosines, with positions numbered from 2 and
    wavelengths up to 10000 · 2π, as in fairseq. `sinusoidal-from-0`: as in Vaswani et al. 2017.
    `sinusoidal-marian`: as in Marian, with positions numbered from 0 and the wavelengths of
    fairseq.
    `learned`: a learned vector for each of `max_positions` positions."""

    max_positions: LayerSize | None = None
    """Number of learned positions; longer input is an error, and a translation that reaches it is
    truncated, with a warning. Required by `positions: learned`."""

    scale_embeddings: bool = True
    """Multiply token embeddings by √d_model before positions are added."""

    normalize_embeddings: bool = False
    """Apply layer normalization to the sum of token and position embeddings."""

    norm_epsilon: PositiveFloat = 1e-5
    """Number that layer normalization adds to the variance."""

    target_embeddings: Literal["same", "sinusoidal"] = "same"
    """The form of the target's embeddings. `same`: that of the source's. `sinusoidal`: token
    embeddings times √d_model plus `sinusoidal` positions, whatever `positions`, `scale_embeddings`
    and `normalize_embeddings` say of the source's."""

    segment_embeddings: bool = False
    """Add a learned vector to the embedding of each source token: the first of two segment
    embeddings, as in BERT."""

    share_output: bool = True
    """Use the target embedding table as the output projection."""

    output_bias: bool = False
    """Add a learned bias for each token of the vocabulary to the output scores."""

    only_with: ClassVar[Conditions] = {
        "max_positions": {"positions": ("learned",)},
        "recurrence_unit": {"decoder_recurrence": ("ssru",)},
    }

    can_recur: ClassVar[bool] = False

    instance_kinds: ClassVar[tuple[str, ...]] = ("sentence", "window", "tokens", "whole")

    @model_validator(mode="after")
    def positions_are_counted(self) -> EncoderDecoderSettings:
        """Check `positions` against `max_positions`."""
        if self.positions == "learned" and self.max_positions is None:
            raise ValueError("positions: learned needs max_positions, how many are learned")
        return self

    @model_validator(mode="after")
    def recurrence_is_possible(self) -> EncoderDecoderSettings:
        """Check `decoder_recurrence` against the system."""
        if self.decoder_recurrence != "none" and not self.can_recur:
            raise ValueError(
                f"decoder_recurrence {self.decoder_recurrence} does not go with {self.name}, whose "
                "layers build on self-attention"
            )
        return self

    @property
    def layers_of_decoder(self) -> int:
        """Layers of the decoder."""
        return self.layers if self.decoder_layers is None else self.decoder_layers
