"""Train, run and evaluate document-level machine translation.

    import docmt
    translator = docmt.load("runs/demo")

Names are loaded when they are first used, so that `import docmt` does not load torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docmt import recipes
    from docmt.corpora import read, write
    from docmt.data.preparation import prepare
    from docmt.evaluation import (
        FileSettings,
        MetricSettings,
        Score,
        SignificanceTest,
        compare,
        evaluate,
        evaluate_files,
    )
    from docmt.ground.documents import Document, Sentence
    from docmt.ground.errors import InputError
    from docmt.ground.translations import Translation
    from docmt.recipes import Recipe
    from docmt.runs.open_run import load, open_run
    from docmt.runs.run import Run
    from docmt.training import train
    from docmt.translating import translate_files
    from docmt.translators import (
        SourceDocument,
        TranslationRequest,
        Translator,
        translate,
        translate_text,
    )

__version__ = "0.1.0"

__all__ = [
    "Document",
    "FileSettings",
    "InputError",
    "MetricSettings",
    "Recipe",
    "Run",
    "Score",
    "Sentence",
    "SignificanceTest",
    "SourceDocument",
    "Translation",
    "TranslationRequest",
    "Translator",
    "__version__",
    "compare",
    "evaluate",
    "evaluate_files",
    "load",
    "open_run",
    "prepare",
    "read",
    "recipes",
    "train",
    "translate",
    "translate_files",
    "translate_text",
    "write",
]

_MODULES = {
    "Document": "docmt.ground.documents",
    "FileSettings": "docmt.evaluation",
    "InputError": "docmt.ground.errors",
    "MetricSettings": "docmt.evaluation",
    "Recipe": "docmt.recipes",
    "Run": "docmt.runs.run",
    "Score": "docmt.evaluation",
    "Sentence": "docmt.ground.documents",
    "SignificanceTest": "docmt.evaluation",
    "SourceDocument": "docmt.translators",
    "Translation": "docmt.ground.translations",
    "TranslationRequest": "docmt.translators",
    "Translator": "docmt.translators",
    "compare": "docmt.evaluation",
    "evaluate": "docmt.evaluation",
    "evaluate_files": "docmt.evaluation",
    "load": "docmt.runs.open_run",
    "open_run": "docmt.runs.open_run",
    "prepare": "docmt.data.preparation",
    "read": "docmt.corpora",
    "train": "docmt.training",
    "translate": "docmt.translators",
    "translate_text": "docmt.translators",
    "translate_files": "docmt.translating",
    "write": "docmt.corpora",
}
"""The module that defines each name that is loaded on first use."""


def __getattr__(name: str) -> Any:
    if name == "recipes":
        return import_module("docmt.recipes")
    if name not in _MODULES:
        raise AttributeError(f"module 'docmt' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
