"""The fast paths of `attend`, and what else is written for speed."""
