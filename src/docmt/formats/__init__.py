"""Users' files in and out: what is between the sentences stays as it was.

Each format is a module with `read(path, language) -> (documents, skeleton)`; the skeleton's `fill`
puts translated documents where the sentences were.
"""
