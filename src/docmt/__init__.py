"""Machine translation of whole documents: train, translate, judge.

    import docmt
    translator = docmt.load("runs/demo")

Names are loaded when they are first used, so that `import docmt` does not load torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from docmt.documents import Document
from docmt.errors import InputError

if TYPE_CHECKING:
    from docmt import recipes
    from docmt.corpora import read, write
    from docmt.decoding import Translator
    from docmt.evaluation import evaluate
    from docmt.training import train

    load = Translator.load

__version__ = "0.1.0"

__all__ = [
    "Document", "InputError", "Translator", "__version__", "evaluate", "load", "read", "recipes",
    "train", "write",
]  # fmt: skip

HOMES = {
    "Translator": "docmt.decoding",
    "evaluate": "docmt.evaluation",
    "read": "docmt.corpora",
    "train": "docmt.training",
    "write": "docmt.corpora",
}
"""The module each lazy name lives in."""


def __getattr__(name: str) -> Any:
    if name == "load":
        return __getattr__("Translator").load
    if name == "recipes":
        return import_module("docmt.recipes")
    if name not in HOMES:
        raise AttributeError(f"module 'docmt' has no attribute {name!r}")
    return getattr(import_module(HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
