"""The ground of all packages: errors, messages, choices, settings, documents, special tokens and
the entry points of other packages. Nothing here reads a file.
"""
