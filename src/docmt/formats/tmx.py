"""Translation memories in TMX 1.4b, which other tools read: one unit per sentence pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import version

from docmt.documents import Document
from docmt.formats.xml_events import escape_attribute, escape_text
from docmt.text.languages import language_tag


def write_tmx(documents: Iterable[Document], source_language: str, target_language: str) -> str:
    """A translation memory of translated documents, as the text of a file in UTF-8.

    Every sentence pair is a unit with a property `x-document`, the id of its document. What XML
    cannot hold becomes U+FFFD.

    Args:
        documents: documents with their target sides.
        source_language: the code of the source language.
        target_language: the code of the target language.
    """
    return "".join(_lines(documents, language_tag(source_language), language_tag(target_language)))


def _lines(documents: Iterable[Document], source: str, target: str) -> Iterator[str]:
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
        f'  <header creationtool="docmt" creationtoolversion="{version("docmt")}" '
        f'segtype="sentence" o-tmf="docmt" adminlang="en" srclang="{escape_attribute(source)}" '
        'datatype="plaintext"/>\n  <body>\n'
    )
    for document in documents:
        name = escape_text(document.id)
        for pair in zip(document.source, document.target or (), strict=True):
            yield f'    <tu>\n      <prop type="x-document">{name}</prop>\n'
            for language, sentence in zip((source, target), pair, strict=True):
                seg = escape_text(sentence)
                yield (
                    f'      <tuv xml:lang="{escape_attribute(language)}"><seg>{seg}</seg></tuv>\n'
                )
            yield "    </tu>\n"
    yield "  </body>\n</tmx>\n"
