"""The keys of the text pipeline."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from docmt.settings import Settings


class TextSettings(Settings):
    """How text becomes tokens and tokens become text. The default, sentencepiece on raw text,
    inverts itself; the papers' recipe is Moses tokenisation, truecasing and joint BPE."""

    normalise: Literal["none", "nfc", "moses"] = "nfc"
    """`nfc`: Unicode NFC. `moses`: NFC and the Moses punctuation normalisation. `none`: neither.
    White space is collapsed in any case."""

    tokenise: Literal["none", "moses"] = "none"
    """`moses`: Moses tokenisation, undone in the output."""

    case: Literal["keep", "lower", "truecase"] = "keep"
    """`truecase` learns the usual case of words and applies it to sentence beginnings (needs
    `tokenise: moses`); `lower` loses case."""

    subword: Literal["unigram", "sentencepiece-bpe", "bpe", "words"] = "unigram"
    """`unigram` and `sentencepiece-bpe`: by sentencepiece, on the text as it is. `bpe`: byte-pair
    encoding of words (Sennrich et al. 2016), as in the papers. `words`: words between spaces are
    the tokens, for text that is already segmented."""

    vocabulary: Annotated[int, Field(ge=16)] = 8000
    """Types of a sentencepiece vocabulary; the most frequent words for `words`."""

    merges: Annotated[int, Field(ge=1)] = 30_000
    """Merge operations of `bpe`."""

    joint: bool = True
    """One vocabulary for both sides."""
