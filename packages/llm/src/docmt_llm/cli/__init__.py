"""The commands for language models."""
