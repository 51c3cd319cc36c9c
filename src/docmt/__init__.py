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
    from docmt.documents import Document, Translation
    from docmt.errors import InputError
    from docmt.evaluation import (
        FileSettings,
        MetricSettings,
        Score,
        SignificanceTest,
        compare,
        evaluate,
        evaluate_files,
    )
    from docmt.loading import load
    from docmt.recipes import Recipe
    from docmt.requests import TranslationRequest, Translator
    from docmt.runs import Run
    from docmt.training import train
    from docmt.translating import translate, translate_files

__version__ = "0.1.0"

__all__ = [
    "Document",
    "FileSettings",
    "InputError",
    "MetricSettings",
    "Recipe",
    "Run",
    "Score",
    "SignificanceTest",
    "Translation",
    "TranslationRequest",
    "Translator",
    "__version__",
    "compare",
    "evaluate",
    "evaluate_files",
    "load",
    "prepare",
    "read",
    "recipes",
    "train",
    "translate",
    "translate_files",
    "write",
]

_MODULES = {
    "Document": "docmt.documents",
    "FileSettings": "docmt.evaluation",
    "InputError": "docmt.errors",
    "MetricSettings": "docmt.evaluation",
    "Recipe": "docmt.recipes",
    "Run": "docmt.runs",
    "Score": "docmt.evaluation",
    "SignificanceTest": "docmt.evaluation",
    "Translation": "docmt.documents",
    "TranslationRequest": "docmt.requests",
    "Translator": "docmt.requests",
    "compare": "docmt.evaluation",
    "evaluate": "docmt.evaluation",
    "evaluate_files": "docmt.evaluation",
    "load": "docmt.loading",
    "prepare": "docmt.data.preparation",
    "read": "docmt.corpora",
    "train": "docmt.training",
    "translate": "docmt.translating",
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
