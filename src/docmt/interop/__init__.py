"""Weights and vocabularies of other programs: fairseq and Hugging Face."""
