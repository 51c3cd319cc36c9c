"""Document-level neural machine translation: systems, their training, search and scores.

    import docmt_nmt
    run = docmt_nmt.train(docmt_nmt.recipes.load("demo-transformer"), "runs/demo")

Names are loaded when they are first used, so that `import docmt_nmt` does not load torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docmt_files.base.documents import Document, Sentence
    from docmt_files.base.errors import InputError
    from docmt_nmt import recipes
    from docmt_nmt.base.translations import Translation
    from docmt_nmt.corpora import read, write
    from docmt_nmt.data.preparation import prepare
    from docmt_nmt.evaluation import (
        FileSettings,
        MetricSettings,
        Score,
        SignificanceTest,
        compare,
        evaluate,
        evaluate_files,
    )
    from docmt_nmt.recipes import Recipe
    from docmt_nmt.runs.open_run import load, open_run
    from docmt_nmt.runs.run import Run
    from docmt_nmt.training import train
    from docmt_nmt.translators import (
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
    "translate_text",
    "write",
]

_MODULES = {
    "Document": "docmt_files.base.documents",
    "FileSettings": "docmt_nmt.evaluation",
    "InputError": "docmt_files.base.errors",
    "MetricSettings": "docmt_nmt.evaluation",
    "Recipe": "docmt_nmt.recipes",
    "Run": "docmt_nmt.runs.run",
    "Score": "docmt_nmt.evaluation",
    "Sentence": "docmt_files.base.documents",
    "SignificanceTest": "docmt_nmt.evaluation",
    "SourceDocument": "docmt_nmt.translators",
    "Translation": "docmt_nmt.base.translations",
    "TranslationRequest": "docmt_nmt.translators",
    "Translator": "docmt_nmt.translators",
    "compare": "docmt_nmt.evaluation",
    "evaluate": "docmt_nmt.evaluation",
    "evaluate_files": "docmt_nmt.evaluation",
    "load": "docmt_nmt.runs.open_run",
    "open_run": "docmt_nmt.runs.open_run",
    "prepare": "docmt_nmt.data.preparation",
    "read": "docmt_nmt.corpora",
    "train": "docmt_nmt.training",
    "translate": "docmt_nmt.translators",
    "translate_text": "docmt_nmt.translators",
    "write": "docmt_nmt.corpora",
}
"""The module that defines each name that is loaded on first use."""


def __getattr__(name: str) -> Any:
    if name == "recipes":
        return import_module("docmt_nmt.recipes")
    if name not in _MODULES:
        raise AttributeError(f"module 'docmt_nmt' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
