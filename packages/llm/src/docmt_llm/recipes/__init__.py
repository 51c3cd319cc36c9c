"""Recipes of large language models: `language-models`, and `demo` for the bundled corpus."""
