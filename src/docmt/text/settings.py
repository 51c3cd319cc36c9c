"""The keys of the text pipeline."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from docmt.settings import Conditions, Settings

FEWEST_TYPES = 4 + 256 + 1
"""The smallest sentencepiece vocabulary: the specials, a piece for each byte, and one of text."""


class TextSettings(Settings):
    """How text becomes tokens and tokens become text. The default, sentencepiece on raw text,
    inverts itself; the papers' recipe is Moses tokenisation, truecasing and joint BPE."""

    normalize: Literal["none", "nfc", "nfkd", "moses"] = "nfc"
    """`nfc`: Unicode NFC. `nfkd`: NFKD (½ becomes 1⁄2), composed again in the output. `moses`: NFC
    and the Moses punctuation normalisation. `none`: neither. White space is collapsed in any
    case."""

    quotes: Literal["keep", "directional"] = "keep"
    """`directional`: double and single quotation marks as “ ” and ‘ ’, by what stands around them;
    straight marks in the output."""

    chinese_script: Literal["keep", "simplified"] = "keep"
    """`simplified`: traditional Chinese characters become simplified ones, on a side whose language
    is Chinese; not undone. Needs `pip install docmt[chinese]`."""

    segment: Literal["none", "jieba"] = "none"
    """`jieba`: spaces between the words of a side whose language is Chinese, in place of
    `tokenize`; undone in the output. Needs `pip install docmt[chinese]`."""

    tokenize: Literal["none", "moses"] = "none"
    """`moses`: Moses tokenisation, undone in the output."""

    case: Literal["keep", "lower", "first-word", "truecase"] = "keep"
    """`truecase` learns the usual case of words and applies it to sentence beginnings, and to words
    in a case the corpus never had (needs `tokenize: moses`); the output begins its sentences with
    capitals again. `first-word` writes the first word small, unless it is on a list of words that
    the corpus writes with a capital within sentences; the output begins with a capital. `lower`
    loses case."""

    subword: Literal["unigram", "sentencepiece-bpe", "bpe", "words", "pretrained"] = "unigram"
    """`unigram` and `sentencepiece-bpe`: by sentencepiece, on the text as it is. `bpe`: byte-pair
    encoding of words (Sennrich et al. 2016), as in the papers; meant for `tokenize: moses`.
    `words`: words between spaces are the tokens, for text that is already segmented.
    `pretrained`: those of a pretrained model, which come with the run that was imported."""

    vocabulary_size: Annotated[int, Field(ge=16)] = 8000
    """Types of a sentencepiece vocabulary, 256 bytes and 4 marks among them; the most frequent
    words for `words`. `bpe` does not use it."""

    character_coverage: Annotated[float, Field(ge=0.98, le=1)] = 0.9995
    """Share of the corpus' characters that get pieces of their own in a sentencepiece vocabulary;
    the rarest are spelled by their bytes."""

    merges: Annotated[int, Field(ge=1)] = 30_000
    """Merge operations of `bpe`."""

    joint: bool = True
    """One vocabulary for both sides."""

    only_with: ClassVar[Conditions] = {
        "merges": {"subword": ("bpe",)},
        "vocabulary_size": {"subword": ("unigram", "sentencepiece-bpe", "words")},
        "character_coverage": {"subword": ("unigram", "sentencepiece-bpe")},
    }

    @model_validator(mode="after")
    def keys_fit(self) -> TextSettings:
        """Checks across keys; each names both."""
        if self.case == "truecase" and self.tokenize != "moses":
            raise ValueError(
                "case: truecase needs tokenize: moses (it knows the case of words, not of raw text)"
            )
        if self.tokenize == "moses" and self.normalize == "nfkd":
            raise ValueError(
                "normalize: nfkd needs tokenize: none (Moses would part letters from their accents)"
            )
        if self.tokenize == "moses" and self.quotes == "directional":
            raise ValueError(
                "quotes: directional needs tokenize: none (Moses' rules are for straight marks)"
            )
        if self.subword in ("unigram", "sentencepiece-bpe") and self.vocabulary_size < FEWEST_TYPES:
            raise ValueError(
                f"subword: {self.subword} needs vocabulary_size: {FEWEST_TYPES} or more (4 marks and "
                "256 bytes come before the pieces of text)"
            )
        return self
