"""Fixtures of this folder."""

from interop_fixtures import bert, copied, folders, runs

__all__ = ["bert", "copied", "folders", "runs"]
