"""Users' files: text is replaced by its translation, and everything else in a file stays as it was.

`read(path, language)` gives the documents of a file and a skeleton, the file without sentences;
`skeleton.write` puts the translated documents in. Each format is a module with such a `read`,
imported on first use, because splitting sentences takes long to load. `FORMATS` lists the formats
of files with more than text in them, and `Input` chooses among all formats.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docmt.formats.core.blocks import BlockSkeleton
    from docmt.formats.core.skeleton import FileSkeleton, Skeleton
    from docmt.formats.external import FORMAT_PLUGINS, OWN_SUFFIXES, external_reader
    from docmt.formats.format_registry import FORMATS, Format, format_names, format_of
    from docmt.formats.input import CorpusReader, Input, read
    from docmt.formats.text.columns import Columns
    from docmt.formats.tree import OtherFiles, Tree, TreeOptions, find_tree

__all__ = [
    "FORMATS",
    "FORMAT_PLUGINS",
    "OWN_SUFFIXES",
    "BlockSkeleton",
    "Columns",
    "CorpusReader",
    "FileSkeleton",
    "Format",
    "Input",
    "OtherFiles",
    "Skeleton",
    "Tree",
    "TreeOptions",
    "external_reader",
    "find_tree",
    "format_names",
    "format_of",
    "read",
]

_MODULES = {
    "BlockSkeleton": "docmt.formats.core.blocks",
    "Columns": "docmt.formats.text.columns",
    "CorpusReader": "docmt.formats.input",
    "external_reader": "docmt.formats.external",
    "FileSkeleton": "docmt.formats.core.skeleton",
    "find_tree": "docmt.formats.tree",
    "Format": "docmt.formats.format_registry",
    "format_names": "docmt.formats.format_registry",
    "format_of": "docmt.formats.format_registry",
    "FORMAT_PLUGINS": "docmt.formats.external",
    "FORMATS": "docmt.formats.format_registry",
    "Input": "docmt.formats.input",
    "OtherFiles": "docmt.formats.tree",
    "OWN_SUFFIXES": "docmt.formats.external",
    "read": "docmt.formats.input",
    "Skeleton": "docmt.formats.core.skeleton",
    "Tree": "docmt.formats.tree",
    "TreeOptions": "docmt.formats.tree",
}
"""The module of each name, which is loaded on first use: what places inline codes needs none."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'docmt.formats' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
