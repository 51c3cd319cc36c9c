"""Research with docmt: what context is worth, where systems look, measures of discourse, a page
that compares runs, and sweeps."""

__version__ = "0.1.0"

__all__ = ["__version__"]
