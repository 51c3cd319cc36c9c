"""Training: `train` takes a recipe and returns the finished run."""

from docmt_nmt.training.trainer import train

__all__ = ["train"]
