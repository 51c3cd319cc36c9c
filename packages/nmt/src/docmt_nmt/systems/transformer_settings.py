"""Settings of the Transformer of Vaswani et al. 2017. Nothing here needs torch."""

from __future__ import annotations

from typing import ClassVar, Literal

from docmt_nmt.nn.choices import CountPositions
from docmt_nmt.systems.system_settings import EncoderDecoderSettings


class TransformerSettings(EncoderDecoderSettings):
    """The Transformer (Vaswani et al. 2017)."""

    name: Literal["transformer"] = "transformer"
    """Name of the system."""

    instance_kinds: ClassVar[tuple[str, ...]] = (*EncoderDecoderSettings.instance_kinds, "masked")
    joins_sentences: ClassVar[bool] = True

    can_recur: ClassVar[bool] = True

    count_positions: CountPositions = "instance"
    """Points at which positions start again: at the beginning of each `instance` or of each
    `sentence`."""
