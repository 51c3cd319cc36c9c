"""Glossaries: terms and their translations, read from files and found in sentences."""

from docmt.glossaries.glossary_tables import write_tsv
from docmt.glossaries.inflected_terms import with_inflections
from docmt.glossaries.reading import read
from docmt_nmt.translators.glossary import Glossary, Match, Term

__all__ = ["Glossary", "Match", "Term", "read", "with_inflections", "write_tsv"]
