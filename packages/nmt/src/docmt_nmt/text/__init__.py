"""From text to token ids and back: a `Pipeline` normalizes, tokenizes, cases and segments the
sentences of both sides into subwords, and inverts all of it.

`Pipeline` is imported at the first use, because the libraries of the steps take long to load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docmt_nmt.text.text_settings import TextSettings
from docmt_nmt.text.text_step import SIDES, EncodedDocument, Side, Step, Subwords
from docmt_nmt.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from docmt_nmt.text.pipeline import Pipeline

__all__ = [
    "SIDES",
    "EncodedDocument",
    "Pipeline",
    "Side",
    "Step",
    "Subwords",
    "TextSettings",
    "Vocabulary",
]


def __getattr__(name: str) -> Any:
    if name != "Pipeline":
        raise AttributeError(f"module 'docmt_nmt.text' has no attribute {name!r}")
    from docmt_nmt.text.pipeline import Pipeline

    return Pipeline
