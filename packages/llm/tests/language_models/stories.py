"""A story, and what translates it by a scripted model."""

from __future__ import annotations

import docmt_nmt
from docmt_llm.language_model.language_model import LanguageModelTranslator
from docmt_llm.language_model_settings import PromptContextSettings, PromptSettings

STORY = docmt_nmt.Document(
    "story",
    (
        "The harbour lies behind the hill.",
        "Nobody knew who had built it.",
        "",
        "One morning a ship came in.",
        "* * *",
        "Its captain asked for water.",
        "Nobody gave him any.",
    ),
)


def translator(model, *, context=None, **request):
    settings = PromptContextSettings(**(context or {}))
    return LanguageModelTranslator.of(model, ("en", "de"), settings, PromptSettings(**request))


def target(translation):
    return translation.document.target
