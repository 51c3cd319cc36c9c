"""Files that have both languages: XLIFF and translation memories."""
