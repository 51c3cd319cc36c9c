"""The text pipeline of a pretrained model."""

from __future__ import annotations

from docmt_nmt.base.special_tokens import LanguageTokens, SpecialTokens
from docmt_nmt.text import SIDES, Pipeline, Side, Subwords, TextSettings
from docmt_nmt.text.fitting import fixed_steps


def pretrained_pipeline(
    codes: tuple[str, str],
    subwords: dict[Side, Subwords],
    special_tokens: SpecialTokens,
    *,
    joint: bool,
    language_tokens: LanguageTokens | None = None,
) -> Pipeline:
    """The text pipeline of a pretrained model, which reads text as it is."""
    text = TextSettings.read({"normalize": "none", "subword": "pretrained", "joint": joint})
    steps = {side: fixed_steps(text, language) for side, language in zip(SIDES, codes, strict=True)}
    return Pipeline(
        text, codes, steps, subwords, special_tokens=special_tokens, language_tokens=language_tokens
    )
