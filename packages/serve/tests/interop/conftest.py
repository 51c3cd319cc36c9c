"""Fixtures of this folder."""

from interop_fixtures import folders

__all__ = ["folders"]
