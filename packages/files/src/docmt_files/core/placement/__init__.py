"""Placement of the inline codes of a sentence in its translation."""
