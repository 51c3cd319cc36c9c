"""G-Transformer (Bao et al. 2021, "G-Transformer for Document-level Machine Translation").

Every token carries a group tag, the sentence it lies in. Group attention sees its own group only:

    GroupAttn(Q, K, V, G_Q, G_K) = softmax(QKᵀ / √d_k + M(G_Q, G_K)) V           (6)
    M(G_Q, G_K) = min(1, |G_Q I_Kᵀ − I_Q G_Kᵀ|) · γ,  γ = −1e8                   (7)

in the encoder's and the decoder's self-attention and, by the source sentence of the same number,
in cross-attention. In the top layers it is joined with attention over the whole instance:

    H_L = GroupMHA(Q, K, V, G_Q, G_K),  H_G = GlobalMHA(Q, K, V)
    g = sigmoid([H_L, H_G] W + b),  H = H_L ⊙ g + H_G ⊙ (1 − g)                  (10)

Here a group tag is a sentence span and M is never built: see `docmt_nmt.nn.kernels.attend`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

from torch import Tensor

from docmt_nmt.base.writing_order import WritingOrder
from docmt_nmt.nn.attention import CrossAttention, Scope, ScopedAttention
from docmt_nmt.nn.batch import Packed
from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.nn.reaches.earlier_sentences import EarlierSentences
from docmt_nmt.nn.views import View
from docmt_nmt.systems.g_transformer_settings import GTransformerSettings
from docmt_nmt.systems.transformer import EncoderDecoder

lower_states: ContextVar[Callable[[GTransformer, Packed], Tensor] | None]
lower_states = ContextVar("lower_states", default=None)
"""What gives `GTransformer.lower_states` of a batch, where states of sentences are kept."""


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

        encoder_scopes = scopes(encoder, settings.encoder_context_layers, language, source)
        super().__init__(
            settings,
            source_vocabulary,
            target_vocabulary,
            encoder_scopes=encoder_scopes,
            decoder_scopes=scopes(decoder, settings.decoder_context_layers, language, target),
            cross_scopes=scopes(decoder, settings.cross_context_layers, translation, source),
            count_positions=settings.count_positions,
        )
        #: The layers of the encoder from the bottom that see one sentence each.
        self._lower = encoder_scopes.count("group") if settings.count_positions == "sentence" else 0
        if settings.sees != "instance":
            self._see(settings)

    def encode_tokens(self, tokens: Tensor, view: View) -> Tensor:
        make = lower_states.get()
        if make is None or not self._lower or not isinstance(view, FullPass):
            return super().encode_tokens(tokens, view)
        x = make(self, view.packed)
        for layer in self.encoder[self._lower :]:
            x = layer(x, view)
        return self.encoder_norm(x)

    def lower_states(self, source: Packed) -> Tensor:
        """The states, (N, d_model), after the encoder's layers that see one sentence each."""
        view = FullPass(source)
        x = self.embed(self.source_embedding, source.tokens, view.positions("sentence"))
        for layer in self.encoder[: self._lower]:
            x = layer(x, view)
        return x

    def _see(self, settings: GTransformerSettings) -> None:
        """Tell combined attention what it sees. Where no target sentence sees another, each is
        written on its own."""
        self.refills_batches = False  # A reach keeps state.
        for module in self.modules():
            if isinstance(module, ScopedAttention):
                of_source = isinstance(module, CrossAttention)
                module.sees = settings.sees
                module.beyond = EarlierSentences(of_source, settings.sentences_before)
        if settings.count_positions == "sentence" and _writes_blindly(settings):
            self.writing_order = WritingOrder.ALONE


def _writes_blindly(settings: GTransformerSettings) -> bool:
    """Return whether no layer of the decoder sees other target sentences."""
    if settings.decoder_recurrence != "none" and settings.recurrence_unit is not None:
        return settings.recurrence_unit == "sentence"
    return settings.language_locality and not settings.target_context
