"""Research with docmt: measures of discourse, and sweeps that train a recipe along axes."""

__version__ = "0.1.0"

__all__ = ["__version__"]
