"""The fast paths of `attend`, and what else is written for speed."""

__all__ = ["attend", "buckets", "dropout", "private_ops", "tiled"]
