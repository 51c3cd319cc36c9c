"""Corpora of the papers, where the published files lack information needed by the papers'
systems."""

from docmt_research.reproduction.recovered_documents import recover_documents

__all__ = ["recover_documents"]
