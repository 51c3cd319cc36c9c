"""DITA: see `docmt.formats.markup.xml_documents`."""

from __future__ import annotations

from docmt.formats.core.blocks import BlockSkeleton
from docmt.formats.markup.xml_documents import read_xml_document, vocabulary
from docmt.ground.documents import Document
from docmt.storage.files import PathLike


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    return read_xml_document(path, language, target_language, vocabulary("dita"))
