"""`--output-format html-side-by-side`: a page with each source sentence next to its translation.

The page is one file without scripts: a table with a row per sentence, by blocks, with the headings
of the file. Warnings stand under their sentences, and are listed at the top. Under a sentence with
a match in a translation memory stands where the translation comes from, with the sentence of the
memory if it differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

from docmt.formats.core.skeleton import FileSkeleton
from docmt.ground.documents import MATCH_WORDS, WARNING_WORDS, SentenceMatch
from docmt.ground.languages import is_right_to_left, language_tag
from docmt.ground.translations import Translation

_MAX_LEVEL = 6
"""The lowest level of a heading in HTML."""


class _Row(NamedTuple):
    """A sentence: the number in the file, both sides, warnings, and the match in a memory."""

    number: int
    source: str
    target: str
    warnings: tuple[str, ...]
    match: SentenceMatch | None


class _Block(NamedTuple):
    """A section: the level of the heading in the page, 0 for none, and the rows."""

    level: int
    rows: list[_Row]


class _Section(NamedTuple):
    """A document."""

    id: str
    blocks: list[_Block]


def render_side_by_side(
    name: str,
    translations: Sequence[Translation],
    skeleton: FileSkeleton,
    languages: tuple[str, str],
) -> str:
    """The page for a file.

    Args:
        name: the name of the file.
        translations: the translations of the documents.
        skeleton: the file without sentences. A file with blocks groups the rows.
        languages: the codes of the source and the target language.
    """
    from jinja2 import Environment

    sections: list[_Section] = []
    number = 0
    for translation in translations:
        sections.append(_section(translation, skeleton, number))
        number += len(translation.document)
    rows = [row for section in sections for block in section.blocks for row in block.rows]
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    folder = files("docmt.formats")
    template = environment.from_string(
        (folder / "side_by_side.html.j2").read_text(encoding="utf-8")
    )
    return template.render(
        name=name,
        sections=sections,
        count=len(rows),
        match_words=MATCH_WORDS,
        matches=[
            (kind, sum(row.match is not None and row.match.kind == kind for row in rows))
            for kind in MATCH_WORDS
        ],
        marked=[row.number for row in rows if row.warnings],
        sides=[_Side(language_tag(code), is_right_to_left(code)) for code in languages],
        css=(folder / "side_by_side.css").read_text(encoding="utf-8"),
    )


class _Side(NamedTuple):
    """A column: the language code for HTML, and whether the language is written from right to
    left."""

    language: str
    from_right: bool


def _section(translation: Translation, skeleton: FileSkeleton, before: int) -> _Section:
    """A document. Sentences are numbered from `before` + 1 on."""
    rows = (
        _Row(
            before + index + 1,
            sentence.source,
            sentence.target,
            tuple(f"{WARNING_WORDS[w.kind]}: {w.detail}" for w in sentence.warnings),
            sentence.match,
        )
        for index, sentence in enumerate(translation.sentences)
    )
    blocks = [
        _Block(min(level + 1, _MAX_LEVEL) if level else 0, [next(rows) for _ in range(size)])
        for level, size in skeleton.block_sizes(len(translation))
        if size
    ]
    return _Section(translation.id, blocks)
