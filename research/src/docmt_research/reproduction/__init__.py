"""Corpora of the papers, where the published files lack something that the papers' systems need."""

from docmt_research.reproduction.recovered_documents import recover_documents

__all__ = ["recover_documents"]
