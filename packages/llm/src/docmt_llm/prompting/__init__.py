"""From sentences to prompts."""
