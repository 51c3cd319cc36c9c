"""Training: `train` takes a recipe and returns the finished run."""

from docmt.training.trainer import train

__all__ = ["train"]
