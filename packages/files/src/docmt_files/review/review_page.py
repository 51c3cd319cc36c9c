"""A review as a page: one file, in which a person edits the translations and saves them as JSON."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple

from docmt_files.base.languages import is_right_to_left, language_tag
from docmt_files.review.review_json import review_values
from docmt_files.review.review_units import Review, Segment, Tag
from docmt_files.storage.json_files import json_text


class _Row(NamedTuple):
    """A sentence with the number in the file."""

    number: int
    segment: Segment


class _Unit(NamedTuple):
    """A block of the file."""

    id: str
    heading: int
    rows: list[_Row]


def render_review_page(review: Review) -> str:
    """The page of a review."""
    from jinja2 import Environment

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    folder = files(__package__)
    css, template, script = (
        (folder / name).read_text(encoding="utf-8")
        for name in ("review_page.css", "review_page.html.j2", "review_page.js")
    )
    units, number = [], 0
    for unit in review.units:
        rows = [_Row(number + i + 1, segment) for i, segment in enumerate(unit.segments)]
        units.append(_Unit(unit.id, unit.heading, rows))
        number += len(rows)
    return environment.from_string(template).render(
        review=review,
        rows=units,
        count=number,
        marked=[row.number for unit in units for row in unit.rows if row.segment.notes],
        sides=[_side(code) for code in review.languages],
        css=css,
        script=script,
        script_digest=b64encode(sha256(script.encode()).digest()).decode(),
        # Within <script>, `<` alone could end it.
        data=json_text(review_values(review)).replace("<", "\\u003c"),
        label=_label,
    )


def _side(code: str) -> dict[str, str]:
    """The language of a column."""
    direction = "rtl" if is_right_to_left(code) else "ltr"
    return {"language": language_tag(code), "direction": direction}


def _label(tag: Tag) -> str:
    """The look of a tag: short codes as they are, others by their number."""
    if 0 < len(tag.shown) <= 12 and "\n" not in tag.shown:
        return tag.shown
    return {"open": f"{tag.id}⟩", "close": f"⟨{tag.id}", "alone": tag.id}[tag.kind]
