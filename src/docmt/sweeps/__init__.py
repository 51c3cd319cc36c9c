"""Sweeps: a recipe trained along axes such as the length of the input, the amount of data or the
seed, and the figures that follow from it.
"""

from docmt.sweeps.settings import FigureSettings, SweepSettings, bundled_sweeps
from docmt.sweeps.sweep import Sweep

__all__ = ["FigureSettings", "Sweep", "SweepSettings", "bundled_sweeps"]
