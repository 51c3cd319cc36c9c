"""Plain text, lines of sentences, tables and corpora."""
