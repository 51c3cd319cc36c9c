"""`TranslatorKind`: the functions that load the translators of run directories, by name.

The recipe of a run names its translator. docmt has three kinds; other packages add theirs by the
entry points `docmt.translators`. A kind is imported only when a run of this kind is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from docmt.ground import entry_points, plugin_groups
from docmt.ground.documents import Document
from docmt.ground.entry_points import Plugin
from docmt.ground.errors import InputError
from docmt.ground.translations import Translation
from docmt.translators.decorator import TranslatorDecorator
from docmt.translators.requests import SourceDocument, TranslationRequest
from docmt.translators.translator import Journal, Plan, ProgressCallback, Translator, request_of

OWN = {
    "beam-search": "docmt.decoding.beam_search_kind:BEAM_SEARCH",
    "language-model": "docmt.language_models.language_model_kind:LANGUAGE_MODEL",
    "t5": "docmt.interop.t5_translator:T5",
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
    loaded = entry_points.load(plugin_groups.TRANSLATORS, name)
    if loaded is None:
        raise InputError(
            f"no installed package has the translator {name!r}",
            cure=entry_points.cure_of_unknown(plugin_groups.TRANSLATORS, name, OWN),
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
        return _PluginTranslator(translator, plugin)

    return TranslatorKind(open_translator, kind.options)


@dataclass(frozen=True)
class _PluginTranslator(TranslatorDecorator):
    """A translator of another package, whose errors and wrong answers name the package."""

    plugin: Plugin

    def plan(self, request: TranslationRequest) -> Plan:
        with entry_points.errors_of(self.plugin):
            return self.translator.plan(request)

    def translate(
        self,
        request: TranslationRequest | Plan | Sequence[Document],
        *,
        progress: ProgressCallback | None = None,
        journal: Journal | None = None,
    ) -> list[Translation]:
        stopped: list[BaseException] = []

        def watched(done: int, total: int) -> None:
            try:
                if progress is not None:
                    progress(done, total)
            except BaseException as error:
                stopped.append(error)  # It is of docmt, such as a request that was cancelled.
                raise

        try:
            with entry_points.errors_of(self.plugin):
                found = list(self.translator.translate(request, progress=watched, journal=journal))
        except InputError:
            if stopped:
                raise stopped[0] from None
            raise
        self._check(request_of(request).sources, found)
        return found

    def _check(self, documents: Sequence[SourceDocument], found: Sequence[Translation]) -> None:
        """Check that there is a target sentence for each source sentence."""
        wanted = [len(document) for document in documents]
        given = [
            len(each.document.target or ()) if isinstance(each, Translation) else -1
            for each in found
        ]
        if given != wanted:
            raise entry_points.wrong(
                self.plugin,
                "does not give a translation with one target sentence for each source sentence",
            )
