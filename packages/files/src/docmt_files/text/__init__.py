"""Plain text, lines of sentences, tables and corpora.

Modules are imported one by one, as splitting sentences takes long to load.
"""
