"""Sizes and their presets: those that all attention systems share, and what others build on."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from docmt.nn.layers import Order
from docmt.settings import Settings

Preset = Literal["tiny", "small", "base", "big", "large"]

PRESETS: dict[str, dict[str, Any]] = {
    # Small enough to learn something from a small corpus in minutes on a CPU.
    "tiny": {"layers": 2, "width": 128, "heads": 4, "feed_forward": 512},
    "small": {"layers": 6, "width": 512, "heads": 4, "feed_forward": 1024},
    # Bao et al. 2021, section 2.
    "base": {"layers": 6, "width": 512, "heads": 8, "feed_forward": 2048},
    "big": {"layers": 6, "width": 1024, "heads": 16, "feed_forward": 4096},
    "large": {"layers": 12, "width": 1024, "heads": 16, "feed_forward": 4096},
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

    layers: Annotated[int, Field(ge=1)] = 6
    """Layers of the encoder and of the decoder, each."""

    width: Annotated[int, Field(ge=1)] = 512
    """Width of the states between layers."""

    heads: Annotated[int, Field(ge=1)] = 8
    """Attention heads; they divide `width`."""

    feed_forward: Annotated[int, Field(ge=1)] = 2048
    """Width inside the feed-forward sublayers."""

    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.3
    """Share of a sublayer's output, and of the embeddings, dropped in training."""

    normalise: Order = "after"
    """What is normalised: the residual sum, `after` the sublayer (post-norm), what goes into the
    sublayer, `before` it (pre-norm), or its `output`, before it is added (Donato et al. 2021)."""

    share_embeddings: bool = True
    """One table for source, target and output embeddings; needs a joint vocabulary. Without it
    the target embeddings and the output projection still share theirs."""

    @model_validator(mode="after")
    def heads_divide_width(self) -> SizeSettings:
        """Check `heads` against `width`."""
        if self.width % self.heads:
            raise ValueError(f"heads {self.heads} must divide width {self.width}")
        return self
