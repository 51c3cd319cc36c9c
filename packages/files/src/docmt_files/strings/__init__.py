"""Texts of programs: PO, JSON, Android, Apple and Java.

Modules are imported one by one, as splitting sentences takes long to load.
"""
