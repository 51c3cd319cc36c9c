"""`DOCUMENT_LM`: the option `--document-lm` of the commands that translate, and of the service."""

from __future__ import annotations

from collections.abc import Callable

from docmt_nmt.translators.decorator_options import DecoratorOption
from docmt_nmt.translators.translator import Translator


def _load(path: str) -> Callable[[Translator], Translator]:
    from docmt_llm.document_language_model.document_lm_runs import load_text_model, with_document_lm

    model = load_text_model(path)
    return lambda translator: with_document_lm(translator, model)


def _takes(translator: Translator) -> bool:
    from docmt_llm.document_language_model.document_lm_runs import takes_document_lm

    return takes_document_lm(translator)


DOCUMENT_LM = DecoratorOption(
    "PATH",
    "Document language model: a language model that reads the translations so far, and chooses "
    "among the best translations of the next sentence. The run directory of a language model in "
    "this process, a GGUF file or a folder of transformers.",
    _load,
    _takes,
)
