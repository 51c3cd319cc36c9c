"""Fixtures of this folder."""

from interop_fixtures import runs

__all__ = ["runs"]
