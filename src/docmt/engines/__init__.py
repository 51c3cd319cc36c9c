"""Engines: translators that are not systems of docmt, such as a large language model."""
