"""Log-probabilities of given translations, by trained systems and by language models."""

from docmt_research.forced_decoding.forced_decoder import (
    Candidates,
    ForcedDecoder,
    SentenceProbability,
)
from docmt_research.forced_decoding.loading import load_forced_decoder

__all__ = ["Candidates", "ForcedDecoder", "SentenceProbability", "load_forced_decoder"]
