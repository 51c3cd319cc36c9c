"""Training: `train` takes a recipe and gives a run directory."""

from docmt.training.trainer import train

__all__ = ["train"]
