"""Requests, and the protocols of translators and scorers."""
