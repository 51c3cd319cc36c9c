"""Reviews: files and pages with a translation for a person to correct, and merging the corrections
into the file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docmt_files.review.making import Origin, Remarks, file_digest, review_of, rules_digest
    from docmt_files.review.merging import Merger
    from docmt_files.review.review_json import read_review_json
    from docmt_files.review.review_page import render_review_page
    from docmt_files.review.review_units import MAX_REVIEW, Review, TaggedText, digest, plain
    from docmt_files.review.unit_merging import MergedSentence
    from docmt_files.review.xliff_reading import read_xliff
    from docmt_files.review.xliff_writing import write_xliff

__all__ = [
    "MAX_REVIEW",
    "MergedSentence",
    "Merger",
    "Origin",
    "Remarks",
    "Review",
    "TaggedText",
    "digest",
    "file_digest",
    "plain",
    "read_review_json",
    "read_xliff",
    "render_review_page",
    "review_of",
    "rules_digest",
    "write_xliff",
]

_MODULES = {
    "MAX_REVIEW": "review_units",
    "MergedSentence": "unit_merging",
    "Merger": "merging",
    "Origin": "making",
    "Remarks": "making",
    "Review": "review_units",
    "TaggedText": "review_units",
    "digest": "review_units",
    "file_digest": "making",
    "plain": "review_units",
    "read_review_json": "review_json",
    "read_xliff": "xliff_reading",
    "render_review_page": "review_page",
    "review_of": "making",
    "rules_digest": "making",
    "write_xliff": "xliff_writing",
}
"""The module of each name, which is loaded on first use."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
