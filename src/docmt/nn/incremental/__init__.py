"""The state of decoding step by step."""
