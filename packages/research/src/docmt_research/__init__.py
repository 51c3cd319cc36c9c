"""Research with docmt: systems for comparison, the value of context, attention maps, measures of
discourse, a page for comparing runs, and sweeps."""

__version__ = "0.1.0"

__all__ = ["__version__"]
