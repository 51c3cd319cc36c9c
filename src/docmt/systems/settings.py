"""Sizes and their presets: those that all attention systems share, and what others build on; and
the forms that pretrained encoder-decoders come in."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from docmt.nn.layers import Activation, NormOrder, Positions
from docmt.settings import Conditions, Settings

Count = Annotated[int, Field(ge=1)]

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


class PresetSettings(Settings):
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
        return {**cls.presets.get(preset, {}), **values}


class SizeSettings(PresetSettings):
    """The dimensions of an encoder-decoder. A preset sets them all; each can be set apart."""

    presets = PRESETS

    preset: Preset = "base"
    """The dimensions to start from: `tiny`, `small`, `base`, `big` or `large`."""

    layers: Count = 6
    """Layers of the encoder and of the decoder, each."""

    d_model: Count = 512
    """Width of the states between layers."""

    heads: Count = 8
    """Attention heads; they divide `d_model`."""

    ffn_dim: Count = 2048
    """Width inside the feed-forward sublayers."""

    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.3
    """Share of a sublayer's output, and of the embeddings, dropped in training."""

    norm: NormOrder = "post"
    """What is normalised: the residual sum, `after` the sublayer (post-norm), what goes into the
    sublayer, `before` it (pre-norm), or its `output`, before it is added (Donato et al. 2021)."""

    share_embeddings: bool = True
    """One table for source, target and output embeddings; needs a joint vocabulary. Without it
    the target embeddings and the output projection still share theirs."""

    @model_validator(mode="after")
    def heads_divide_width(self) -> SizeSettings:
        """Check `heads` against `d_model`."""
        if self.d_model % self.heads:
            raise ValueError(f"heads {self.heads} must divide d_model {self.d_model}")
        return self


class EncoderDecoderSettings(SizeSettings):
    """The form of an encoder-decoder. The defaults are those of Vaswani et al. 2017; pretrained
    models have others."""

    decoder_layers: Count | None = None
    """Layers of the decoder, where they are not as many as the encoder's (`layers`)."""

    activation: Activation = "relu"
    """What stands between the two linear maps of a feed-forward sublayer."""

    positions: Positions = "sinusoidal"
    """How positions are told apart: by sines and cosines, `sinusoidal` numbered from 2 with
    wavelengths up to 10000 · 2π, `sinusoidal-from-0` as the paper writes them, or by a vector that
    is `learned` for each."""

    max_positions: Count | None = None
    """How many positions are `learned`; a longer text is an error. Needs `positions: learned`."""

    scale_embeddings: bool = True
    """Multiply token embeddings by √d_model before positions are added."""

    normalize_embeddings: bool = False
    """Normalise the sum of token embedding and position as well."""

    share_output: bool = True
    """The output projection is the table of the target embeddings."""

    output_bias: bool = False
    """Add a number of its own to the score of each type."""

    only_with: ClassVar[Conditions] = {"max_positions": {"positions": ("learned",)}}

    @model_validator(mode="after")
    def positions_are_counted(self) -> EncoderDecoderSettings:
        """Check `positions` against `max_positions`."""
        if self.positions == "learned" and self.max_positions is None:
            raise ValueError("positions: learned needs max_positions, how many are learned")
        return self

    @property
    def layers_of_decoder(self) -> int:
        """Layers of the decoder."""
        return self.layers if self.decoder_layers is None else self.decoder_layers
