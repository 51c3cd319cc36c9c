"""Arguments and answers of the tools of `docmt_serve.mcp.mcp_server`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mcp.server.mcpserver import Context, ListRoots, Resolve
from mcp.types import ListRootsResult
from pydantic import Field

from docmt.translating.marked_sentences import MarkedSentence


def _client_roots(context: Context) -> ListRoots | ListRootsResult:
    """Ask the client for the roots. A client without roots grants none."""
    capabilities = context.client_capabilities
    grants = capabilities is not None and capabilities.roots is not None
    return ListRoots() if grants else ListRootsResult(roots=[])


ClientRoots = Annotated[ListRootsResult, Resolve(_client_roots)]
Target = Annotated[str, Field(description="Code of the target language, such as de")]
Source = Annotated[str | None, Field(description="Code of the source language; default: detected")]
GlossaryPath = Annotated[
    str | None, Field(description="Path of a .tsv, .csv or .tbx file of terms")
]
MemoryPath = Annotated[
    str | None, Field(description="Path of a translation memory, or of a .tmx, .xlf or .po file")
]


@dataclass(frozen=True)
class TextAnswer:
    """The translation of a text."""

    translation: str
    source_language: str
    to_check: list[MarkedSentence]
    notes: list[str]


@dataclass(frozen=True)
class FileAnswer:
    """The translation of a file."""

    output: str
    source_language: str
    to_check: list[MarkedSentence]
    notes: list[str]


@dataclass(frozen=True)
class Entry:
    """A unit of a memory, with the rate of the match from 0 to 1, or a term of a glossary."""

    source: str
    translations: list[str]
    rate: float = 1.0
