"""Contrastive suites made from parallel corpora."""

from docmt_research.suites.dropped_pronouns import MadeSuite, SuiteSettings, make_suite, write_suite
from docmt_research.suites.pronoun_table import PronounTable, read_table

__all__ = ["MadeSuite", "PronounTable", "SuiteSettings", "make_suite", "read_table", "write_suite"]
