"""Requests as values: parsing, limits, errors."""
