"""Protection of text that stays in a sentence as it is, such as placeholders of programs."""
