"""Texts of programs: PO, JSON, Android, Apple and Java."""
