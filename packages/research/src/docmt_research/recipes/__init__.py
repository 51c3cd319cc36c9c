"""Recipes of the systems in `docmt_research.systems`, a folder for each paper."""
