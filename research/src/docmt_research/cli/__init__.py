"""The commands added to `docmt` by this package, each in a module of the same name."""

__all__ = ["attention", "contrast", "curves", "cxmi", "discourse", "report", "sweep"]
