"""Repairs of texts and files that somebody reads: added words, copied labels, lost names, and names
of the calendar."""
