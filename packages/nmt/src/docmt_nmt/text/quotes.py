"""Directional quotation marks (Donato et al. 2021, appendix A.1): the characters around a mark
decide the direction. The output has marks without direction."""

from __future__ import annotations

import re

from docmt_nmt.text.text_step import Step

_STRAIGHT = str.maketrans(dict.fromkeys("“”„‟", '"') | dict.fromkeys("‘’‚‛", "'"))
_MARK = re.compile(r"[\"']")
_OPENING = {'"': "“", "'": "‘"}
_CLOSING = {'"': "”", "'": "’"}
_BEFORE_OPENING = " ([{<–—-/“‘"
_AFTER_CLOSING = " )]}>.,;:!?…。，、；：！？）"


class DirectionalQuotes(Step):
    """Quotation marks as `“`, `”`, `‘`, `’`, however they were written.

    A mark opens if a space, a bracket, a dash or an opening mark comes before it and neither a
    space nor punctuation comes after it, and closes in the opposite case. If this does not decide,
    a double mark closes an open double mark, and a single mark is an apostrophe.

    `invert` writes straight marks: `invert(apply(text)) == text` holds for text without directional
    marks; directional marks come back straight. Guillemets stay as they are.
    """

    def apply(self, text: str) -> str:
        straight = self.invert(text)
        directed: list[str] = []
        end, is_open = 0, False
        for match in _MARK.finditer(straight):
            directed.append(straight[end : match.start()])
            end = match.end()
            mark = match[0]
            before = directed[-1][-1:] or (directed[-2] if len(directed) > 1 else " ")
            opens = before in _BEFORE_OPENING
            if opens == ((straight[end : end + 1] or " ") in _AFTER_CLOSING):
                opens = mark == '"' and not is_open
            if mark == '"':
                is_open = opens
            directed.append((_OPENING if opens else _CLOSING)[mark])
        return "".join([*directed, straight[end:]])

    def invert(self, text: str) -> str:
        return text.translate(_STRAIGHT)
