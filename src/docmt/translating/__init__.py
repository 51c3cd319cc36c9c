"""Translation of files and folders, above all translators: journal, consistent terms, notes."""
