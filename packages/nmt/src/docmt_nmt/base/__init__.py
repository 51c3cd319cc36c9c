"""What all packages share: choices, settings, special tokens and translations. Nothing here reads
a file or needs torch."""
