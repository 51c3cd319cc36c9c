"""Settings of long-short term masking of Zhang et al. 2020. Nothing here needs torch."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import model_validator

from docmt_nmt.base.settings import Conditions, LayerSize
from docmt_nmt.systems.system_settings import EncoderDecoderSettings


class LongShortSettings(EncoderDecoderSettings):
    """Long-short term masking (Zhang et al. 2020)."""

    name: Literal["long-short"] = "long-short"
    """Name of the system."""

    can_recur: ClassVar[bool] = True

    short_stream: Literal["masked", "independent"] = "masked"
    """Tokens that the short stream sees. `masked`: its self-attention the tokens of the sentence,
    its cross-attention the source of the whole instance, as in the paper. `independent`: its
    cross-attention the source sentence of the same index only, with positions counted from the
    beginning of each sentence, so that the stream never sees context."""

    aggregation: Literal["concatenation", "sum"] = "concatenation"
    """Aggregation of the two streams before the output. `concatenation`: a feed-forward layer reads
    both, as in the paper's experiments. `sum`: they are added up."""

    joining_ffn_dim: LayerSize | None = None
    """Inner size of the feed-forward layer of `aggregation: concatenation`. Default: twice
    `d_model`, which for a `d_model` of 512 is the paper's 1024."""

    only_with: ClassVar[Conditions] = {
        **EncoderDecoderSettings.only_with,
        "joining_ffn_dim": {"aggregation": ("concatenation",)},
    }

    @model_validator(mode="after")
    def streams_have_units(self) -> LongShortSettings:
        """Check `recurrence_unit`."""
        if self.recurrence_unit is not None:
            raise ValueError(
                f"recurrence_unit: {self.recurrence_unit} does not go with long-short, whose long "
                "stream recurs over instances and whose short stream over sentences; leave it out"
            )
        return self
