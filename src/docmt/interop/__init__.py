"""Models trained by other programs: fairseq checkpoints and pretrained Hugging Face models become
run directories."""

from docmt.interop.imports import import_fairseq, import_huggingface

__all__ = ["import_fairseq", "import_huggingface"]
