"""The models that `docmt import huggingface` takes by this package: decoder-only models and T5."""

from __future__ import annotations

from pathlib import Path

from docmt.interop.importers import ImportRequest, ModelImporter
from docmt_nmt.runs.run import Run


def _takes_causal(name: str, folder: Path | None) -> bool:
    from docmt_llm.in_process.causal_runs import is_language_model
    from docmt_llm.in_process.pretrained_causal import is_gguf

    return is_gguf(name) if folder is None else is_language_model(folder)


def _import_causal(request: ImportRequest) -> Run:
    from docmt_llm.in_process.causal_runs import import_causal

    return import_causal(request)


def _takes_t5(_name: str, folder: Path | None) -> bool:
    from docmt.interop.huggingface_weights import family  # It needs torch.

    return folder is not None and family(folder) == "t5"


def _import_t5(request: ImportRequest) -> Run:
    from docmt_llm.t5.t5_import import import_t5

    return import_t5(request)


CAUSAL = ModelImporter(
    _takes_causal, _import_causal, "the decoder-only models of the package transformers"
)
"""Decoder-only models, such as Llama, Qwen or Gemma: folders, names on the hub and GGUF files."""

T5 = ModelImporter(_takes_t5, _import_t5, "t5 (MADLAD-400)")
"""T5 with target-language tags, such as MADLAD-400."""
