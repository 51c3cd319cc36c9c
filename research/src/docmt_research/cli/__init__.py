"""The commands added to `docmt` by this package, each in a module of its own."""

__all__ = ["attention_command", "contrast", "curves", "cxmi", "discourse", "report", "sweep"]
