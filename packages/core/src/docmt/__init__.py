"""Translate documents with any translator, and train, run and evaluate systems of one's own.

    import docmt
    translator = docmt.load("runs/demo")

Names are loaded when they are first used, so that `import docmt` does not load torch. Most are
those of `docmt_nmt` and `docmt_files`, the libraries that `docmt` stands on.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docmt.translating import translate_files
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
    "translate_files",
    "translate_text",
    "write",
]


def __getattr__(name: str) -> Any:
    if name == "translate_files":
        return import_module("docmt.translating").translate_files
    if name not in __all__:
        raise AttributeError(f"module 'docmt' has no attribute {name!r}")
    return getattr(import_module("docmt_nmt"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
