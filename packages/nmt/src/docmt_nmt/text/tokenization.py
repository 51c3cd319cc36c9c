"""Moses tokenization (Koehn et al. 2007): punctuation marks become words of their own, and are put
back in their places in the output."""

from __future__ import annotations

import re

from docmt_files.base.languages import primary_language
from docmt_nmt.text.text_step import Step

# sacremoses writes runs of dots like this for a while to keep them together; the same letters in
# the text would come out as dots. The pattern of sacremoses is tried again from each DOT.
_PLACEHOLDER = re.compile(r"(?<!DOT)(?:DOT)+MULTI")


class MosesTokenization(Step):
    """Separation of words and punctuation marks by spaces.

    `invert(apply(text))` equals the text except for white space and the control characters below
    U+0020, which Moses removes. A language without rules in Moses gets the rules of English.

    Args:
        language: the code of the language of the rules.
        escape: write `&`, `<`, quotes and brackets as `&amp;`, `&lt;` and so on, as the original
            script does; only for systems trained on such text.
    """

    splits_words = True

    def __init__(self, language: str, *, escape: bool = False) -> None:
        # Slow to import, and only this step needs it.
        from sacremoses import MosesDetokenizer, MosesTokenizer

        self.escape = escape
        self._tokenizer = MosesTokenizer(primary_language(language))
        self._tokenizer.MULTIDOT_MARKER = _PLACEHOLDER
        # The pattern of sacremoses lists 90,000 characters for Chinese, and is searched from the
        # first on.
        alphanumeric = _ranges(self._tokenizer.IsAlnum)
        pad = re.compile(rf"([^{alphanumeric}\s\.'\`\,\-])"), r" \1 "
        self._tokenizer.PAD_NOT_ISALNUM = pad
        # The methods of sacremoses build sets of all letters of Unicode at every call.
        letters = frozenset(self._tokenizer.IsAlpha)
        self._tokenizer.isanyalpha = lambda text: not letters.isdisjoint(text)
        self._tokenizer.islower = frozenset(self._tokenizer.IsLower).issuperset
        self._detokenizer = MosesDetokenizer(primary_language(language))

    def apply(self, text: str) -> str:
        if "MULTI" not in text:
            return " ".join(self._tokenizer.tokenize(text, escape=self.escape))
        parts = re.split(f"({_PLACEHOLDER.pattern})", text)
        parts[::2] = [" ".join(self._tokenizer.tokenize(p, escape=self.escape)) for p in parts[::2]]
        return " ".join(filter(None, parts))

    def invert(self, text: str) -> str:
        return str(self._detokenizer.detokenize(text.split(), unescape=self.escape))


def _ranges(characters: str) -> str:
    """Write characters as ranges of a regular expression, such as `0-9A-Za-z`."""
    ranges: list[list[int]] = []
    for code in sorted(set(map(ord, characters))):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)
