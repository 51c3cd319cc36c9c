"""`open_model`: the language model of a recipe, ready for requests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from docmt_llm.answers.answer_store import AnswerStore
from docmt_llm.chat_model import ChatModel
from docmt_llm.endpoints.cost_accounting import AccountedModel
from docmt_llm.endpoints.dialects import Adjustment
from docmt_llm.language_model_settings import BudgetSettings, LanguageModelSettings, PromptSettings
from docmt_nmt.base.choices import Precision

ANSWERS = "answers.jsonl"
"""The file of stored answers in a run directory."""

_ADJUSTED: Mapping[Adjustment, str] = {
    "without schema": "the model cannot be made to meet a schema, so it is asked to in words",
    "without temperature": "the model does not take request.temperature, which has no effect",
    "without seed": "the model does not take request.seed, which has no effect",
}
"""Notes for the user about features rejected by an endpoint."""


def open_model(
    system: LanguageModelSettings,
    request: PromptSettings,
    budget: BudgetSettings,
    *,
    folder: Path | None = None,
    device: str | None = None,
    precision: Precision | None = None,
) -> AccountedModel:
    """The model of a recipe.

    Args:
        folder: the run directory, where answers are stored if `request.keep_answers` is true.
            Default: no answers are stored.
        device: the device of a model in this process.
        precision: the number format of a model in this process. Default: the format of the files.

    Raises:
        InputError: the model or its key cannot be used, or a package is not installed.
    """
    answers = None
    if folder is not None and request.keep_answers:
        answers = AnswerStore(folder / ANSWERS)
    if system.dialect == "transformers":
        from docmt_llm.in_process.causal_model import CausalModel

        model: ChatModel = CausalModel.load(
            system.model,
            temperature=request.temperature,
            max_context_tokens=system.max_context_tokens,
            device=device,
            precision=precision,
        )
        return AccountedModel(model, budget, answers)
    from docmt_llm.endpoints.endpoint import Endpoint

    endpoint = Endpoint.open(system, request)

    def notes() -> list[str]:
        return [text for key, text in _ADJUSTED.items() if key in endpoint.adjustments]

    return AccountedModel(endpoint, budget, answers, notes)
