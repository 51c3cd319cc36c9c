"""Models trained by other programs: fairseq checkpoints, pretrained Hugging Face models and models
of Marian become run directories."""

from docmt.interop.imports import import_fairseq, import_huggingface, import_marian

__all__ = ["import_fairseq", "import_huggingface", "import_marian"]
