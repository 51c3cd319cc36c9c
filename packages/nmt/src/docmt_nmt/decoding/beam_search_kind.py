"""`BEAM_SEARCH`: the translators of runs of trained systems."""

from __future__ import annotations

from typing import Any

from docmt_files.base.errors import InputError
from docmt_nmt.decoding.beam_search_translator import BeamSearchTranslator
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.recipes.translator_kinds import TranslatorKind
from docmt_nmt.runs.trained_run import TrainedRun


def _open_translator(
    run: TrainedRun,
    *,
    device: str | None = None,
    processes: int | None = 1,
    sampling: bool = False,
    **search: Any,
) -> BeamSearchTranslator:
    if sampling:
        search = {"beam_size": 1, **search, "method": "sampling"}
    _check_effects(run.recipe.search, search)
    translator = BeamSearchTranslator.of(run, device=device, **search).searching_in(processes)
    if translator.pipeline.language_tokens is None:
        return translator
    # A pretrained model of many languages has codes of its own, such as deu_Latn.
    return translator.between(*translator.languages)


def _check_effects(settings: SearchSettings, search: dict[str, Any]) -> None:
    """Refuse keys without an effect that override keys of a recipe."""
    method = search.get("method", settings.method)
    windows = search.get("windows", settings.windows)
    for name in ("temperature", "top_k", "top_p", "seed"):
        if name in search and method != "sampling":
            raise InputError(
                f"`{name}` has no effect without sampling",
                cure="Add `sampling`",
                parameters=(f"{name}", "sampling"),
            )
    if "window_position" in search and windows != "sliding":
        raise InputError(
            "`window_position` has no effect without sliding windows",
            cure="Add `windows=sliding`",
            parameters=("window_position", "windows=sliding"),
        )
    if "overlap" in search and windows == "sliding":
        raise InputError(
            "`overlap` has no effect with sliding windows",
            cure="Leave it out",
            parameters=("overlap",),
        )


_OPTIONS = frozenset({"device", "processes", "sampling", *SearchSettings.model_fields})

BEAM_SEARCH = TranslatorKind(_open_translator, _OPTIONS)
"""Beam search over a system of docmt, and sampling from it."""
