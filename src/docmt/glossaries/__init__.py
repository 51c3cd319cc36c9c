"""Glossaries: terms and their translations, read from files and found in sentences."""

from docmt.glossaries.glossary import Glossary, Match, Term
from docmt.glossaries.glossary_tables import write_tsv
from docmt.glossaries.reading import read

__all__ = ["Glossary", "Match", "Term", "read", "write_tsv"]
