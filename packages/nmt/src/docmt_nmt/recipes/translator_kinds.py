"""`TranslatorKind`: an engine's translators of run directories, and the recipes of such runs.

The recipe of a run names its engine. All engines, also beam search, are registered by the entry
points `docmt.translators`. One is imported only when a recipe names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from docmt_files.base import entry_points
from docmt_files.base.documents import Document
from docmt_files.base.entry_points import Plugin
from docmt_files.base.errors import InputError
from docmt_nmt.base import plugin_groups
from docmt_nmt.base.known_packages import check_package_of_translator
from docmt_nmt.base.translations import Translation
from docmt_nmt.recipes.base_recipe import BaseRecipe
from docmt_nmt.translators.decorator import TranslatorDecorator
from docmt_nmt.translators.requests import SourceDocument, TranslationRequest
from docmt_nmt.translators.translator import Journal, Plan, ProgressCallback, Translator, request_of

BEAM_SEARCH = "beam-search"
"""The engine of trained systems, which a recipe chooses by its system."""

_OWN_PACKAGE = "docmt-nmt"
"""The package of beam search, whose translator stands for itself: callers know its type."""


@dataclass(frozen=True, slots=True)
class TranslatorKind:
    """A kind of translator.

    Attributes:
        open_translator: given a `docmt_nmt.runs.run.Run` and options, returns the translator.
        options: the names of options with an effect (see `docmt.load`).
        recipe: the class of the recipes, which name the engine by `translator`, or by `system.name`
            if the class has a section `system`. None: a `TranslatorRecipe`, with settings of any
            form.
        prompts: given a recipe, returns the texts of the engine's prompts by name. None: the engine
            has no prompts.
    """

    open_translator: Callable[..., Translator]
    options: frozenset[str] = frozenset()
    recipe: type[BaseRecipe] | None = None
    prompts: Callable[[Any], Mapping[str, str]] | None = None


def translator_kind(name: str) -> TranslatorKind:
    """The kind of a name.

    Raises:
        InputError: no installed package has the name, or the object cannot be used.
    """
    loaded = entry_points.load(plugin_groups.TRANSLATORS, name)
    if loaded is None:
        check_package_of_translator(name)
        raise InputError(
            f"no installed package has the translator {name!r}",
            cure=entry_points.cure_of_unknown(plugin_groups.TRANSLATORS, name, ()),
        )
    plugin, kind = loaded
    if plugin.package == _OWN_PACKAGE and isinstance(kind, TranslatorKind):
        return kind
    return _checked(plugin, kind)


def engine_names() -> list[str]:
    """The names of the engines of installed packages; nothing is imported."""
    names = entry_points.names(plugin_groups.TRANSLATORS)
    return [name for name in names if name != BEAM_SEARCH]


def recipe_class_of(engine: str) -> type[BaseRecipe] | None:
    """The class of the recipes of an engine. None if the engine has none of its own, or is not
    installed, which is an error when the translator of a run is opened.

    Raises:
        InputError: as `translator_kind`.
    """
    return translator_kind(engine).recipe if engine in engine_names() else None


def _checked(plugin: Plugin, value: Any) -> TranslatorKind:
    """The kind of a package: a `TranslatorKind`, or a function of a run that returns a translator.
    Errors of the package's code name the package."""
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
        return _CheckedTranslator(translator, plugin)

    return replace(kind, open_translator=open_translator)


@dataclass(frozen=True)
class _CheckedTranslator(TranslatorDecorator):
    """A translator of a package, whose errors and wrong answers name the package."""

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
