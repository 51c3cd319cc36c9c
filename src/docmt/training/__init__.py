"""Training: `train` takes a recipe and returns its finished run."""

from docmt.training.trainer import train

__all__ = ["train"]
