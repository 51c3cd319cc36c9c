"""Settings of the G-Transformer of Bao et al. 2021. Nothing here needs torch."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from docmt_nmt.base.settings import Conditions, PositiveInt
from docmt_nmt.nn.choices import CountPositions, Sees
from docmt_nmt.systems.system_settings import EncoderDecoderSettings

Layers = Annotated[int, Field(ge=0, le=1000)]


class GTransformerSettings(EncoderDecoderSettings):
    """The G-Transformer (Bao et al. 2021)."""

    name: Literal["g-transformer"] = "g-transformer"
    """Name of the system."""

    can_recur: ClassVar[bool] = True

    count_positions: CountPositions = "instance"
    """Points at which positions start again: at the beginning of each `instance`, as in the paper,
    or of each `sentence`."""

    encoder_context_layers: Layers = 2
    """Number of encoder layers, counted from the top, whose self-attention sees beyond the sentence
    (K in the paper)."""

    decoder_context_layers: Layers = 2
    """Number of decoder layers, counted from the top, whose self-attention sees beyond the
    sentence."""

    cross_context_layers: Layers = 2
    """Number of decoder layers, counted from the top, whose cross-attention sees beyond the
    sentence."""

    context_attention: Literal["combined", "group", "global"] = "combined"
    """Attention of the layers that see beyond the sentence: `combined` attention (group and global
    attention with a gate), `group` attention alone or `global` attention alone (Table 6)."""

    sees: Sees = "instance"
    """What the global attention of combined attention sees. `instance`: the whole instance, as in
    the paper. `beyond`: the sentences before the own one alone; where there are none, group
    attention alone is left, so that a first sentence and a sentence alone are those of the
    sentence-level system. `sentence`: the own sentence, for a twin with the same parameters."""

    sentences_before: PositiveInt | None = None
    """Number of sentences before the own one that `sees: beyond` sees, the nearest ones. Default:
    all of the instance."""

    source_context: bool = True
    """If false, neither the encoder nor cross-attention sees beyond the sentence (Table 3)."""

    target_context: bool = True
    """If false, the decoder's self-attention does not see beyond the sentence (Table 3)."""

    language_locality: bool = True
    """If false, self-attention is global in every layer (Table 5)."""

    translation_locality: bool = True
    """If false, cross-attention is global in every layer (Table 5)."""

    only_with: ClassVar[Conditions] = {
        **EncoderDecoderSettings.only_with,
        "sees": {"context_attention": ("combined",)},
        "sentences_before": {"sees": ("beyond",)},
        "encoder_context_layers": {"source_context": (True,), "language_locality": (True,)},
        "decoder_context_layers": {"target_context": (True,), "language_locality": (True,)},
        "cross_context_layers": {"source_context": (True,), "translation_locality": (True,)},
    }

    @model_validator(mode="after")
    def context_layers_exist(self) -> GTransformerSettings:
        """Check the layers with context against the layers there are."""
        deep = ("layers", self.layers)
        if self.decoder_layers is not None:
            deep = ("decoder_layers", self.decoder_layers)
        for key, (limit, layers) in {
            "encoder_context_layers": ("layers", self.layers),
            "decoder_context_layers": deep,
            "cross_context_layers": deep,
        }.items():
            if getattr(self, key) > layers and not self.unmet_conditions(key):
                raise ValueError(f"{key} {getattr(self, key)} is more than {limit} {layers}")
        return self
