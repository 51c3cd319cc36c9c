"""Sweeps: a recipe trained along axes such as the length of the input, the amount of data or the
seed, and the resulting figures.
"""

from docmt_research.sweeps.sweep_run import Sweep
from docmt_research.sweeps.sweep_settings import FigureSettings, SweepSettings, bundled_sweeps

__all__ = ["FigureSettings", "Sweep", "SweepSettings", "bundled_sweeps"]
