"""Texts compared with cells by the formulas of a workbook: `IF(B4="In stock", …)` finds nothing
once the cell is in another language."""

from __future__ import annotations

import re
from collections.abc import Iterable

from docmt.formats.core.inline import has_letter
from docmt.ground.wording import counted

_LITERAL = re.compile(r'"((?:[^"]|"")*)"')
_OPERATOR = re.compile(r"<>|<=|>=|=|<|>")
_SHOWN_TEXTS, _SHOWN_CELLS = 20, 5


def compared_texts(formulas: Iterable[str]) -> set[str]:
    """The texts in quotation marks, in one case, because comparisons ignore case.

    Criteria may begin with an operator (`COUNTIF(A:A, "<>Done")`), and a formula of a text alone
    lists allowed values (`"Open,Shut"`). Criteria with wildcards name parts of texts, not texts.
    """
    compared: set[str] = set()
    for formula in formulas:
        alone = _LITERAL.fullmatch(formula.strip()) is not None
        for literal in _LITERAL.findall(formula):
            text = literal.replace('""', '"')
            texts = {text, _OPERATOR.sub("", text, count=1) if _OPERATOR.match(text) else text}
            texts |= set(text.split(",")) if alone else set()
            compared |= {one.strip().casefold() for one in texts if has_letter(one)}
    return compared


def note_on_cells(cells: dict[str, list[str]]) -> str:
    """The note about texts left untranslated, with their cells.

    Args:
        cells: the references of cells, by text.
    """
    listed = []
    for text, references in list(cells.items())[:_SHOWN_TEXTS]:
        more = len(references) - _SHOWN_CELLS
        also = f" and {more:,} more" if more > 0 else ""
        listed.append(f"{text!r:.80} ({', '.join(references[:_SHOWN_CELLS])}{also})")
    if len(cells) > _SHOWN_TEXTS:
        listed.append(f"and {len(cells) - _SHOWN_TEXTS:,} more")
    them = "it" if len(cells) == 1 else "them"
    return (
        f"{counted(len(cells), 'text')} not translated, since formulas compare cells with {them}: "
        f"{', '.join(listed)}"
    )
