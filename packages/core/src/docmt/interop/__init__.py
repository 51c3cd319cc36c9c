"""Models trained by other programs: fairseq checkpoints, pretrained Hugging Face models and models
of Marian become run directories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docmt.interop.imports import import_fairseq, import_huggingface
    from docmt.interop.marian_import import import_marian

__all__ = ["import_fairseq", "import_huggingface", "import_marian"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "import_marian":
        from docmt.interop.marian_import import import_marian

        return import_marian
    from docmt.interop import imports  # It needs torch.

    return getattr(imports, name)
