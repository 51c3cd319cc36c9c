"""What the tests of every format share: the samples of each, and what is compared.

The samples of a format stand in `packages/files/tests/formats/samples/NAME.py`, and in the folder
NAME beside it, for the format NAME of `docmt_files.FORMATS`:

    SAMPLES     names and contents (text, bytes or a function that gives bytes) of sound files
    HOSTILE     the same of files that must be read or refused with an InputError
    long_file   a function of a number: the name and the content of a file with so many paragraphs
    structure   optional: what of a skeleton stays in a translation, if not the codes of each block
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from docmt_files import FORMATS, BlockSkeleton, Format
from docmt_files.base.documents import Document
from docmt_files.core.inline import Code

Content = str | bytes | Callable[[], bytes]


def samples_of(file_format: Format) -> Any:
    """The module with the samples of a format."""
    return import_module(f"formats.samples.{file_format.name.replace('-', '_')}")


def write_sample(folder: Path, name: str, content: Content) -> Path:
    """Write a sample as a file."""
    path = folder / name
    data = content() if callable(content) else content
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def read(
    file_format: Format, path: Path, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """A file without its sentences."""
    documents, skeleton = file_format.load().read(path, "en", target_language)
    assert isinstance(skeleton, BlockSkeleton)
    return documents, skeleton


def translated(documents: list[Document], change: Callable[[str], str]) -> list[Document]:
    """The documents with sentences as `change` writes them."""
    return [document.translated([change(s) for s in document.source]) for document in documents]


def structure_in(file_format: Format) -> Callable[[BlockSkeleton], list[Any]]:
    """What gives the part of a file that stays in a translation."""
    own: Callable[[BlockSkeleton], list[Any]] | None
    own = getattr(samples_of(file_format), "structure", None)
    return own or structure


def structure(skeleton: BlockSkeleton) -> list[Counter[tuple[str, str]]]:
    """The codes of each block that show: its kind, and of a protected one all but the blocks in
    it, of others the beginning."""
    nested = [b for b in skeleton.found.blocks if b.nested and b.parts]
    inner = [range(block.parts[0].start, block.parts[-1].end) for block in nested]
    return [
        Counter(
            _code(part, skeleton.text, inner)
            for part in block.parts
            if isinstance(part, Code) and part.shows
        )
        for block in skeleton.found.blocks
    ]


def _code(code: Code, text: str, inner: Sequence[range]) -> tuple[str, str]:
    within = [each for each in inner if code.start <= each.start and each.stop <= code.end]
    written = "".join(
        text[index]
        for index in range(code.start, code.end)
        if not any(index in each for each in within)
    )
    if code.name:
        return code.kind, code.name
    if code.text:
        return code.kind, ""  # a line break may lose its white space
    return code.kind, written if code.kind == "protected" else written[:2]


PSEUDO: dict[str, Callable[[str], str]] = {
    "upper-cased": str.upper,
    "longer": lambda sentence: " ".join(f"{word}{word}xyz" for word in sentence.split()),
    "shorter": lambda sentence: " ".join(word[:1] for word in sentence.split()),
    "one word": lambda _: "Wort",
    "right to left": lambda sentence: "".join("א" if c.isalpha() else c for c in sentence),
    "special": lambda sentence: f'<{sentence}> & "it\'s" \\ * _ # | {{x}} %s 中文',
    "reversed": lambda sentence: " ".join(reversed(sentence.split())),
    "empty": lambda _: "",
}
"""Translations that a file is filled with."""


def every_sample(kind: str) -> Any:
    """A test for each sample of all formats: a decorator."""
    parameters = [
        pytest.param(file_format, name, id=name)
        for file_format in FORMATS
        for name in getattr(samples_of(file_format), kind)
    ]
    return pytest.mark.parametrize(("file_format", "name"), parameters)
