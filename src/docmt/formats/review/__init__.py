"""Translations as files that a person edits, and their way back into the translated file."""
