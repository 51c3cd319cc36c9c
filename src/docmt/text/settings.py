"""The keys of the text pipeline."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from docmt.settings import Settings

FEWEST_TYPES = 4 + 256 + 1
"""The smallest sentencepiece vocabulary: the specials, a piece for each byte, and one of text."""


class TextSettings(Settings):
    """How text becomes tokens and tokens become text. The default, sentencepiece on raw text,
    inverts itself; the papers' recipe is Moses tokenisation, truecasing and joint BPE."""

    normalise: Literal["none", "nfc", "moses"] = "nfc"
    """`nfc`: Unicode NFC. `moses`: NFC and the Moses punctuation normalisation. `none`: neither.
    White space is collapsed in any case."""

    tokenise: Literal["none", "moses"] = "none"
    """`moses`: Moses tokenisation, undone in the output."""

    case: Literal["keep", "lower", "truecase"] = "keep"
    """`truecase` learns the usual case of words and applies it to sentence beginnings, and to words
    in a case the corpus never had (needs `tokenise: moses`); the output begins its sentences with
    capitals again. `lower` loses case."""

    subword: Literal["unigram", "sentencepiece-bpe", "bpe", "words", "pretrained"] = "unigram"
    """`unigram` and `sentencepiece-bpe`: by sentencepiece, on the text as it is. `bpe`: byte-pair
    encoding of words (Sennrich et al. 2016), as in the papers; meant for `tokenise: moses`.
    `words`: words between spaces are the tokens, for text that is already segmented.
    `pretrained`: those of a pretrained model, which come with the run that was imported."""

    vocabulary: Annotated[int, Field(ge=16)] = 8000
    """Types of a sentencepiece vocabulary, 256 bytes and 4 marks among them; the most frequent
    words for `words`. `bpe` does not use it."""

    merges: Annotated[int, Field(ge=1)] = 30_000
    """Merge operations of `bpe`."""

    joint: bool = True
    """One vocabulary for both sides."""

    @model_validator(mode="after")
    def keys_fit(self) -> TextSettings:
        """Checks across keys; each names both."""
        if self.case == "truecase" and self.tokenise != "moses":
            raise ValueError(
                "case: truecase needs tokenise: moses (it knows the case of words, not of raw text)"
            )
        if self.subword in ("unigram", "sentencepiece-bpe") and self.vocabulary < FEWEST_TYPES:
            raise ValueError(
                f"subword: {self.subword} needs vocabulary: {FEWEST_TYPES} or more (4 marks and "
                "256 bytes come before the pieces of text)"
            )
        return self
