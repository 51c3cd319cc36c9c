"""G-Transformer (Bao et al. 2021, "G-Transformer for Document-level Machine Translation").

Every token carries a group tag, the sentence it lies in. Group attention sees its own group only:

    GroupAttn(Q, K, V, G_Q, G_K) = softmax(QKᵀ / √d_k + M(G_Q, G_K)) V           (6)
    M(G_Q, G_K) = min(1, |G_Q I_Kᵀ − I_Q G_Kᵀ|) · γ,  γ = −1e8                   (7)

in the encoder's and the decoder's self-attention and, by the source sentence of the same number,
in cross-attention. In the top layers it is joined with attention over the whole instance:

    H_L = GroupMHA(Q, K, V, G_Q, G_K),  H_G = GlobalMHA(Q, K, V)
    g = sigmoid([H_L, H_G] W + b),  H = H_L ⊙ g + H_G ⊙ (1 − g)                  (10)

Here a group tag is a sentence span and M is never built: see `docmt.nn.kernels.attend`.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from docmt.ground.settings import Conditions
from docmt.nn.attention import Scope
from docmt.nn.views import CountPositions
from docmt.systems.system_settings import EncoderDecoderSettings
from docmt.systems.transformer import EncoderDecoder

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


class GTransformer(EncoderDecoder):
    """Group attention below, combined attention on top."""

    settings_class = GTransformerSettings

    numbers_instances = True
    refills_batches = True

    def __init__(
        self, settings: GTransformerSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        language, translation = settings.language_locality, settings.translation_locality
        source, target = settings.source_context, settings.target_context
        encoder, decoder = settings.layers, settings.layers_of_decoder

        def scopes(layers: int, top: int, local: bool, context: bool) -> list[Scope]:
            if not local:
                return ["global"] * layers
            top = top if context else 0
            below: list[Scope] = ["group"] * (layers - top)
            above: list[Scope] = [settings.context_attention] * top
            return below + above

        super().__init__(
            settings,
            source_vocabulary,
            target_vocabulary,
            encoder_scopes=scopes(encoder, settings.encoder_context_layers, language, source),
            decoder_scopes=scopes(decoder, settings.decoder_context_layers, language, target),
            cross_scopes=scopes(decoder, settings.cross_context_layers, translation, source),
            count_positions=settings.count_positions,
        )
