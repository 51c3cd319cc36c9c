r"""Moses tokenisation (Koehn et al. 2007): punctuation becomes words of its own, and is put back
where it belongs in the output."""

from __future__ import annotations

import re

from docmt.text.base import primary

# sacremoses keeps runs of dots together by writing them so for a while; the same letters in the
# text would come out as dots.
_PLACEHOLDER = re.compile(r"((?:DOT)+MULTI)")


class MosesTokenisation:
    """Words and punctuation marks between spaces.

    `invert(apply(text))` is the text up to white space and the control characters below U+0020,
    which Moses removes. For a language that Moses has no rules for it takes those of English.

    Args:
        language: whose rules to apply.
        escape: write `&`, `<`, quotes and brackets as `&amp;`, `&lt;` and so on, as the original
            script does; only for systems that were trained so.
    """

    def __init__(self, language: str, *, escape: bool = False) -> None:
        # Slow to import, and only this step needs it.
        from sacremoses import MosesDetokenizer, MosesTokenizer

        self.escape = escape
        self._tokeniser = MosesTokenizer(primary(language))
        self._detokeniser = MosesDetokenizer(primary(language))

    def apply(self, text: str) -> str:
        """The sentence with a space between its words and punctuation marks."""
        if "MULTI" not in text:
            return " ".join(self._tokeniser.tokenize(text, escape=self.escape))
        parts = _PLACEHOLDER.split(text)
        parts[::2] = [" ".join(self._tokeniser.tokenize(p, escape=self.escape)) for p in parts[::2]]
        return " ".join(filter(None, parts))

    def invert(self, text: str) -> str:
        """The sentence as it is written."""
        return str(self._detokeniser.detokenize(text.split(), unescape=self.escape))
