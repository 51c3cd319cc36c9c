"""HM-GDC on RNNSearch (Tan et al. 2019, "Hierarchical Modeling of Global Context for Document-Level
Neural Machine Translation", section 3.2).

The sentence encoder is RNNSearch's. The document encoder, of the same kind, reads a vector of each
sentence, and what it makes of it is given back to each word (Eq. 1-6, in `docmt_nmt.nn.hierarchy`):

    h_ctx_i,j = h_i,j + ResidualDrop(d_ctx_i,j, P)                               (7)

which is what the decoder attends to, and begins with, instead of h.

Shapes: N tokens.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import model_validator

from docmt_nmt.base.settings import Conditions, LayerSize, Share
from docmt_nmt.nn.batch import Memory, Packed
from docmt_nmt.nn.hierarchy import Hierarchy
from docmt_nmt.nn.kernels.dropout import add_dropped
from docmt_research.nn.recurrent import Recurrent
from docmt_research.systems.rnnsearch import RecurrentSettings, RNNSearch

HEADS = {"tiny": 4, "base": 10, "big": 10}


class HMGDCRNNSearchSettings(RecurrentSettings):
    """The hierarchical model of global document context (Tan et al. 2019), on RNNSearch."""

    presets: ClassVar[dict[str, dict[str, Any]]] = {
        name: {**sizes, "heads": HEADS[name]} for name, sizes in RecurrentSettings.presets.items()
    }

    name: Literal["hm-gdc-rnnsearch"] = "hm-gdc-rnnsearch"
    """Name of the system."""

    instance_kinds: ClassVar[tuple[str, ...]] = ("tokens", "whole")

    heads: LayerSize = 10
    """Number of heads of the attention that summarizes a sentence and of the attention that brings
    the document back to its words; must divide `d_model`."""

    integration: Literal["encoder", "none"] = "encoder"
    """Part to which document context is added: in the `encoder`. `none` is RNNSearch."""

    share_encoders: bool = True
    """Use the sentence encoder's weights for the document encoder (section 2.3)."""

    context_dropout: Share = 0.1
    """Dropout probability of the document context where it is added to the words (P in Eq. 7)."""

    only_with: ClassVar[Conditions] = {
        **RecurrentSettings.only_with,
        "share_encoders": {"integration": ("encoder",)},
        "context_dropout": {"integration": ("encoder",)},
    }

    @model_validator(mode="after")
    def heads_divide_width(self) -> HMGDCRNNSearchSettings:
        """Check `heads` against `d_model`."""
        if self.d_model % self.heads:
            raise ValueError(f"heads {self.heads} must divide d_model {self.d_model}")
        return self

    @model_validator(mode="after")
    def shared_encoder_reads_states(self) -> HMGDCRNNSearchSettings:
        """Check `embedding_dim` against `share_encoders`: the encoder reads embeddings of words and
        vectors of sentences."""
        shared = self.integration == "encoder" and self.share_encoders
        if shared and self.embedding_size != self.d_model:
            raise ValueError(
                f"embedding_dim {self.embedding_dim} must be d_model {self.d_model} with "
                "share_encoders: true, as one encoder reads embeddings and sentence vectors; set "
                "share_encoders to false"
            )
        return self


class HMGDCRNNSearch(RNNSearch):
    """RNNSearch whose words know their document."""

    settings_class = HMGDCRNNSearchSettings

    def __init__(
        self, settings: HMGDCRNNSearchSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        super().__init__(settings, source_vocabulary, target_vocabulary)
        self.context_dropout = settings.context_dropout
        self.hierarchy: Hierarchy | None = None
        if settings.integration != "none":
            sizes = settings.d_model, settings.layers
            document_encoder = (
                self.encoder
                if settings.share_encoders
                else Recurrent(
                    *sizes, bidirectional=True, dropout=settings.dropout, cell=settings.cell
                )
            )
            self.hierarchy = Hierarchy(settings.d_model, settings.heads, document_encoder)

    def encode(self, source: Packed) -> Memory:
        memory = super().encode(source)
        if self.hierarchy is None:
            return memory
        context = self.hierarchy(memory.states, source)
        words = add_dropped(memory.states, context, self.context_dropout, self.training)
        return Memory(source, words)
