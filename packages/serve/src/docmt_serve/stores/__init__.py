"""Keys, glossaries, memories and style rules that users keep at the service."""
