"""Whole documents through a language model: context, memory, retries."""
