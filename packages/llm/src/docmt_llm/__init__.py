"""Translators that are large language models, behind an endpoint or in this process, T5, and the
document language model. They enter by entry points: nothing below imports this package."""
