"""The state of decoding step by step."""

__all__ = ["parallel", "source_sharing", "state", "token_tree"]
