"""Run directories: a recipe with its translator or trained system."""
