"""Files as jobs on disk."""
