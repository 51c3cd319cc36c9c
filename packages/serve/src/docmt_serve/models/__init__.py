"""The models that are served, how more are added, and the language of a text."""
