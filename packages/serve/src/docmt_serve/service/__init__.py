"""The service: its settings, its state between requests, and its metrics."""
