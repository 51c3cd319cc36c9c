"""Checks of translated files, as `docmt check` makes them: texts beside their translations, the
findings about them, and reports."""
