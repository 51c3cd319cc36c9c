"""Settings of HM-GDC of Tan et al. 2019. Nothing here needs torch."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import model_validator

from docmt_nmt.base.settings import Conditions, LayerCount, Share
from docmt_nmt.base.writing_order import WritingOrder
from docmt_nmt.systems.system_settings import EncoderDecoderSettings


class HMGDCSettings(EncoderDecoderSettings):
    """The hierarchical model of global document context (Tan et al. 2019), on the Transformer."""

    name: Literal["hm-gdc"] = "hm-gdc"
    """Name of the system."""

    instance_kinds: ClassVar[tuple[str, ...]] = ("tokens", "whole")
    writing_order: ClassVar[WritingOrder] = WritingOrder.ALONE

    integration: Literal["encoder", "decoder", "both", "none"] = "both"
    """Parts to which document context is added: in the `encoder`, the `decoder` or `both` (Table
    2). `none` is the sentence-level Transformer."""

    document_layers: LayerCount = 1
    """Number of layers of the document encoder (N in Table 2); at most `layers` with
    `share_encoders`."""

    share_encoders: bool = True
    """Share the self-attention weights of the document encoder with the sentence encoder, layer by
    layer from the bottom (section 2.3)."""

    context_dropout: Share = 0.1
    """Dropout probability of the document context where it is added to the words (P in Eq. 7)."""

    only_with: ClassVar[Conditions] = {
        **EncoderDecoderSettings.only_with,
        **{
            key: {"integration": ("encoder", "decoder", "both")}
            for key in ("document_layers", "share_encoders", "context_dropout")
        },
    }

    @model_validator(mode="after")
    def shared_layers_exist(self) -> HMGDCSettings:
        """Check the layers that share their attention against those there are."""
        if self.share_encoders and self.document_layers > self.layers:
            raise ValueError(
                f"document_layers {self.document_layers} is more than layers {self.layers}, and "
                "share_encoders needs one of these for each"
            )
        return self
