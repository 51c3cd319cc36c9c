"""`TranslatorKind`: the functions that load the translators of run directories, by name.

The recipe of a run names its translator. docmt has two kinds; other packages add theirs by the
entry points `docmt.translators`. A kind is imported only when a run of this kind is used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from docmt.ground import entry_points
from docmt.ground.entry_points import Plugin
from docmt.ground.errors import InputError
from docmt.ground.wording import nearest
from docmt.translators.translator import Translator

OWN = {
    "beam-search": "docmt.decoding.beam_search_kind:BEAM_SEARCH",
    "language-model": "docmt.language_models.language_model_kind:LANGUAGE_MODEL",
}
"""docmt's own kinds, with the objects that open them."""


@dataclass(frozen=True, slots=True)
class TranslatorKind:
    """A kind of translator.

    Attributes:
        open_translator: given a `docmt.runs.run.Run` and options, returns the translator.
        options: the names of options with an effect (see `docmt.load`).
    """

    open_translator: Callable[..., Translator]
    options: frozenset[str] = frozenset()


def translator_kind(name: str) -> TranslatorKind:
    """The kind of a name.

    Raises:
        InputError: no installed package has the name, or the object cannot be used.
    """
    if name in OWN:
        module, _, attribute = OWN[name].partition(":")
        kind = getattr(import_module(module), attribute)
        assert isinstance(kind, TranslatorKind), "an object of docmt"
        return kind
    loaded = entry_points.load("docmt.translators", name)
    if loaded is None:
        known = [*OWN, *entry_points.names("docmt.translators")]
        close = nearest(name, known)
        raise InputError(
            f"no installed package has the translator {name!r}",
            cure=f"Did you mean {close}?" if close else "Install the package that has it",
        )
    return _external(*loaded)


def _external(plugin: Plugin, value: Any) -> TranslatorKind:
    """The kind from another package: a `TranslatorKind`, or a function of a run that returns a
    translator. Errors of the package's code name the package."""
    kind = value if isinstance(value, TranslatorKind) else TranslatorKind(value)
    if not callable(kind.open_translator):
        raise entry_points.wrong(
            plugin, f"is {type(value).__name__}, not a function of a run directory"
        )

    def open_translator(run: Any, **options: Any) -> Translator:
        with entry_points.errors_of(plugin):
            translator = kind.open_translator(run, **options)
        if not isinstance(translator, Translator):
            raise entry_points.wrong(
                plugin, f"returns {type(translator).__name__}, not a docmt.Translator"
            )
        return translator

    return TranslatorKind(open_translator, kind.options)
