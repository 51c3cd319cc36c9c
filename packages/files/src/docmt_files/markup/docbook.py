"""DocBook: see `docmt_files.markup.xml_documents`."""

from __future__ import annotations

from docmt_files.base.documents import Document
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.markup.xml_documents import read_xml_document, vocabulary
from docmt_files.storage.files import PathLike


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    return read_xml_document(path, language, target_language, vocabulary("docbook"))
