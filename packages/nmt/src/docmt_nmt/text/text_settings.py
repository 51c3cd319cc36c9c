"""The section `text` of a recipe: the steps of the text pipeline."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from docmt_files.base.errors import InputError
from docmt_files.base.languages import is_chinese, is_english
from docmt_nmt.base.choices import Tokenization
from docmt_nmt.base.settings import Conditions, Settings

_SMALLEST_VOCABULARY = 4 + 256 + 1
"""The smallest sentencepiece vocabulary: special tokens, bytes, and one subword of text."""

_LANGUAGES = {
    "american_spelling": ("English", is_english),
    "english_punctuation": ("English", is_english),
    "chinese_script": ("Chinese", is_chinese),
    "segment": ("Chinese", is_chinese),
}
"""Keys for a single language, with the language's name."""


class TextSettings(Settings):
    """Steps by which text becomes tokens, and tokens become text. The default, sentencepiece on raw
    text, is invertible; the papers use Moses tokenization, truecasing and joint BPE."""

    repair_encoding: bool = False
    """Repair text decoded with the wrong encoding (schÃ¶n becomes schön), by ftfy; the output stays
    repaired."""

    normalize: Literal["none", "nfc", "nfkd", "moses"] = "nfc"
    """Unicode and punctuation normalization. `nfc`: Unicode NFC. `nfkd`: Unicode NFKD (½ becomes
    1⁄2), composed again in the output. `moses`: NFC, then Moses punctuation normalization. `none`:
    neither. White space is always collapsed."""

    quotes: Literal["keep", "directional"] = "keep"
    """`keep`: leave quotation marks as they are. `directional`: replace straight double and single
    quotation marks by “ ” and ‘ ’ according to the characters around them; the output has straight
    ones again."""

    american_spelling: str | None = None
    """File of the list VarCon, `varcon.txt` of http://wordlist.aspell.net: replace British,
    Canadian and Australian spellings by American ones on an English side; the output stays
    American. The run keeps the needed part of the list."""

    english_punctuation: Literal["keep", "separate"] = "keep"
    """`separate`: put spaces between words and punctuation marks of an English side, in place of
    `tokenize`; the output has none."""

    chinese_script: Literal["keep", "simplified"] = "keep"
    """`keep`: leave Chinese characters as they are. `simplified`: replace traditional characters by
    simplified ones on a Chinese side; the output stays simplified. Needs `pip install
    docmt[chinese]`."""

    segment: Literal["none", "jieba"] = "none"
    """Word segmentation of a Chinese side. `jieba`: put spaces between words, in place of
    `tokenize`; the output has none. Needs `pip install docmt[chinese]`."""

    tokenize: Tokenization = "none"
    """Tokenization before subwords. `moses`: separate punctuation from words as the Moses tokenizer
    does; the output is detokenized."""

    case: Literal["keep", "lower", "first-word", "truecase"] = "keep"
    """Letter case. `keep`: leave it as it is. `lower`: lowercase everything; the output stays
    lowercase. `first-word`: lowercase the first word of a sentence, unless the corpus capitalizes
    it within sentences. `truecase`: give the first word of a sentence, and words in a case unknown
    to the corpus, their most frequent case; needs `tokenize: moses`. With `first-word` and
    `truecase`, sentences of the output begin with a capital."""

    subword: Literal["unigram", "sentencepiece-bpe", "bpe", "words", "pretrained"] = "unigram"
    """Subword model. `unigram`, `sentencepiece-bpe`: sentencepiece models, trained on the text as
    it is. `bpe`: byte-pair encoding of words (Sennrich et al. 2016), as in the papers; use it with
    `tokenize: moses`. `words`: no subwords; tokens are the words between spaces. `pretrained`: the
    subword model of an imported run."""

    vocabulary_size: Annotated[int, Field(ge=16, le=10_000_000)] = 8000
    """Vocabulary size, per language unless `joint`. For `unigram` and `sentencepiece-bpe` it
    includes 256 byte tokens and 4 special tokens; for `words` it is the number of most frequent
    words. `bpe` does not use it; see `merges`."""

    character_coverage: Annotated[float, Field(ge=0.98, le=1)] = 0.9995
    """Fraction of the characters of the corpus covered by a sentencepiece vocabulary; rarer
    characters are written as bytes."""

    merges: Annotated[int, Field(ge=1, le=10_000_000)] = 30_000
    """Number of merge operations of `bpe`."""

    joint: bool = True
    """Use one vocabulary for both languages, rather than one for each."""

    only_with: ClassVar[Conditions] = {
        "merges": {"subword": ("bpe",)},
        "vocabulary_size": {"subword": ("unigram", "sentencepiece-bpe", "words")},
        "character_coverage": {"subword": ("unigram", "sentencepiece-bpe")},
    }

    @model_validator(mode="after")
    def _check_keys(self) -> TextSettings:
        """Check keys against each other; each message names both."""
        if self.case == "truecase" and self.tokenize != "moses":
            raise ValueError(
                "case: truecase needs tokenize: moses (truecasing works on words, not on raw text)"
            )
        if self.tokenize == "moses" and self.normalize == "nfkd":
            raise ValueError(
                "normalize: nfkd needs tokenize: none (Moses separates letters from accents)"
            )
        if self.tokenize == "moses" and self.quotes == "directional":
            raise ValueError(
                "quotes: directional needs tokenize: none (Moses expects straight quotation marks)"
            )
        sentencepiece = self.subword in ("unigram", "sentencepiece-bpe")
        if sentencepiece and self.vocabulary_size < _SMALLEST_VOCABULARY:
            raise ValueError(
                f"subword: {self.subword} needs vocabulary_size: {_SMALLEST_VOCABULARY} or more "
                "(4 special tokens and 256 bytes come before the subwords of text)"
            )
        return self

    def check_languages(self, languages: tuple[str, str]) -> None:
        """Require a Chinese or English side if there are steps only for Chinese or English.

        Args:
            languages: language codes of source and target.

        Raises:
            InputError: neither is the language of a step.
        """
        for key, (name, is_language) in _LANGUAGES.items():
            default, value = type(self).model_fields[key].default, getattr(self, key)
            if value != default and not any(map(is_language, languages)):
                raise InputError(
                    f"text.{key}: {value} is for {name}, but neither data.source_language "
                    f"{languages[0]} nor data.target_language {languages[1]} is {name}",
                    cure=f"Set text.{key} to {default or 'null'}, or set the languages of the "
                    "corpus",
                )
