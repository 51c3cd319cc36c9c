"""Training: `train` takes a recipe and gives a run directory."""

from docmt.training.loop import train

__all__ = ["train"]
