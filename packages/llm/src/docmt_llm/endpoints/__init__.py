"""Endpoints of language models: requests, dialects, profiles, costs."""
