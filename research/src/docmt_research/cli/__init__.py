"""The commands that this package adds to `docmt`, each in a module of its name."""

__all__ = ["attention", "contrast", "curves", "cxmi", "discourse", "report", "sweep"]
