"""CXMI by category of the source sentence.

The categories come from `docmt_research.analysis.categories.categorize`, the values from
`docmt_research.analysis.context_value`. Intervals are by bootstrap over documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docmt_files.base.documents import Document
from docmt_research.analysis.categories import FIRST, OTHER, Categories
from docmt_research.analysis.context_value import ContextValue
from docmt_research.analysis.proportions import mean_difference_interval, mean_interval
from docmt_research.analysis.sentences_in_context import sentences_with_text


@dataclass(frozen=True, slots=True)
class CategoryValue:
    """The worth of context in the sentences of a category.

    Attributes:
        category: the name of the category.
        context, control: of the context; see `ContextValue`.
        sentences, documents: number of measured sentences, and number of documents with them.
        cxmi: bits per sentence; None if no sentence is measured.
        low, high: the ends of the 95 % interval of the value; None likewise.
        more: bits per sentence more than in the sentences of no category. None for these, for the
            first sentences of documents, and if there are none.
        more_low, more_high: the ends of the 95 % interval of `more`.
    """

    category: str
    context: int
    control: str
    sentences: int
    documents: int
    cxmi: float | None
    low: float | None
    high: float | None
    more: float | None = None
    more_low: float | None = None
    more_high: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def value_by_category(
    values: Sequence[ContextValue], documents: Sequence[Document], categories: Categories
) -> list[CategoryValue]:
    """Return the value of context in each category with sentences.

    Args:
        values: the results of `context_value` for the documents.
        documents: the documents.
        categories: the result of `categorize` for the documents.

    Returns:
        For each category, one for each of the values.
    """
    sentences = sentences_with_text(documents)
    first = np.cumsum([0, *map(len, documents)])
    indices = np.array([first[owner] + index for owner, index in sentences])
    owners = np.array([owner for owner, _ in sentences])
    members = {name: rows[indices] for name, rows in categories.members.items()}
    return [
        _value(name, value, is_member, None if name in (OTHER, FIRST) else members[OTHER], owners)
        for name, is_member in members.items()
        if is_member.any()
        for value in values
    ]


def _value(
    name: str,
    value: ContextValue,
    is_member: NDArray[np.bool_],
    rest: NDArray[np.bool_] | None,
    owners: NDArray[np.int64],
) -> CategoryValue:
    """Return the value of one context in the sentences of a category, and the difference from the
    value in the rest.

    Args:
        name: of the category.
        value: of all sentences.
        own, rest: (sentences,) which of them are of the category, and which are of none.
        owners: (sentences,) the index of the document of each.
    """
    bits = np.array(value.bits, float)
    is_member = is_member & np.isfinite(bits)
    if not is_member.any():
        return CategoryValue(name, value.context, value.control, 0, 0, None, None, None)
    groups = np.unique(owners[is_member], return_inverse=True)[1]
    mean = float(bits[is_member].mean())
    low, high = mean_interval(bits[is_member], groups)
    more: tuple[float, float, float] | tuple[None, None, None] = (None, None, None)
    rest = None if rest is None else rest & np.isfinite(bits)
    if rest is not None and rest.any():
        ends = mean_difference_interval(
            bits[is_member], bits[rest], owners[is_member], owners[rest]
        )
        more = (mean - float(bits[rest].mean()), *ends)
    return CategoryValue(
        name,
        value.context,
        value.control,
        int(is_member.sum()),
        int(groups.max()) + 1,
        mean,
        low,
        high,
        *more,
    )
