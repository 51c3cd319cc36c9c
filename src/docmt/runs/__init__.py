"""Run directories: a recipe, and the translator or the trained system that belongs to it."""
