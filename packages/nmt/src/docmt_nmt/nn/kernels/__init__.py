"""The fast paths of `attend`, and other operations written for speed."""
