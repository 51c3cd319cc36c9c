"""Repairs of texts and files that somebody reads: added words, copied labels, lost names, names of
the calendar, terms that cost other words, and the punctuation around codes."""
