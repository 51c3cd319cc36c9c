"""Fixtures of this folder."""

from contexts_fixtures import bert, english, german, pegasus, sentence_run

__all__ = ["bert", "english", "german", "pegasus", "sentence_run"]
