"""What a language model answers: reading, checking and keeping answers."""
