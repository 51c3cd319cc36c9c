"""Checks of a translated sentence: lengths, numbers, symbols, names, scripts, repetitions, and the
thresholds that a corpus teaches."""
