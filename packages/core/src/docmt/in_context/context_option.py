"""`CONTEXT`: the option `--context` of the commands that translate, and of the service."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from docmt_files.base.errors import InputError
from docmt_nmt.base.extras import has_torch
from docmt_nmt.runs.adapter_names import adapter_of
from docmt_nmt.runs.bundled import resolve_adapter
from docmt_nmt.translators.decorator_options import DecoratorOption
from docmt_nmt.translators.translator import Translator

AUTO, OFF = "auto", "off"


def _load(value: str) -> Callable[[Translator], Translator]:
    if value == OFF:
        return lambda translator: translator
    if value == AUTO:
        return _own
    path = resolve_adapter(value)
    return lambda translator: _over(translator, path)


def _own(translator: Translator) -> Translator:
    """The translator with the adapter of its model, or of the model that it was tuned from."""
    from docmt_nmt.decoding.beam_search_translator import BeamSearchTranslator

    if not isinstance(translator, BeamSearchTranslator) or translator.run is None:
        return translator
    path = adapter_of(translator.run.directory)
    if path is None or not has_torch():
        return translator
    if translator.compiled is not None:
        from docmt.in_context.deferred_switch import DeferredSwitch

        return DeferredSwitch.over(translator, path)
    from docmt.in_context.context_switch import ContextSwitch

    return ContextSwitch.over(translator, path, lenient=True)


def _over(translator: Translator, path: Path) -> Translator:
    """The translator with an adapter from a file."""
    from docmt_nmt.decoding.beam_search_translator import BeamSearchTranslator

    if not isinstance(translator, BeamSearchTranslator) or translator.run is None:
        raise InputError(
            "a context adapter stands over a model that docmt trained or imported",
            path=path,
            cure="Leave out `context`",
            parameters=("context",),
        )
    from docmt.in_context.context_switch import ContextSwitch

    return ContextSwitch.over(translator, path)


def _takes(translator: Translator) -> bool:
    from docmt_nmt.decoding.beam_search_translator import BeamSearchTranslator

    return isinstance(translator, BeamSearchTranslator) and translator.run is not None


CONTEXT = DecoratorOption(
    "off|auto|FILE",
    "Translate in context where the sentences before decide: off; auto for the context adapter "
    "that came with the model, if there is one; or the file of an adapter, or bundled:NAME.",
    _load,
    _takes,
    # Off, as the study did not show all that it asked for (docs/results/adapter.md).
    default=OFF,
)
