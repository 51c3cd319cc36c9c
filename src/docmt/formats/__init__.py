"""Users' files: text is replaced by its translation, and everything else in a file stays as it was.

Each format of text is a module with `read(path, language) -> (documents, skeleton)`. The skeleton's
`fill` puts the translated documents where the sentences were. These modules are imported when they
are first used, because splitting sentences takes long to load. `FORMATS` lists those of files with
more than text in them, and `Input` chooses among all.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from docmt.formats.blocks import BlockSkeleton
from docmt.formats.columns import Columns
from docmt.formats.corpus import CorpusFile
from docmt.formats.external import OWN_SUFFIXES, external_reader
from docmt.formats.input import Input
from docmt.formats.output import Output, OutputFormat, input_format_of, output_format_of
from docmt.formats.registry import FORMATS, Format, format_names, format_of
from docmt.formats.skeleton import FileSkeleton, FilledFile, Skeleton
from docmt.formats.tree import OtherFiles, Tree, TreeOptions, find_tree

if TYPE_CHECKING:
    from docmt.formats import html, markdown, running, segmented

__all__ = [
    "FORMATS",
    "OWN_SUFFIXES",
    "BlockSkeleton",
    "Columns",
    "CorpusFile",
    "FileSkeleton",
    "FilledFile",
    "Format",
    "Input",
    "OtherFiles",
    "Output",
    "OutputFormat",
    "Skeleton",
    "Tree",
    "TreeOptions",
    "external_reader",
    "find_tree",
    "format_names",
    "format_of",
    "html",
    "input_format_of",
    "markdown",
    "output_format_of",
    "running",
    "segmented",
]


def __getattr__(name: str) -> Any:
    if name in ("html", "markdown", "running", "segmented"):
        return import_module(f"docmt.formats.{name}")
    raise AttributeError(f"module 'docmt.formats' has no attribute {name!r}")
