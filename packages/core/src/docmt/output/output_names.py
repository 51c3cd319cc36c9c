"""The output format meant by the name of an output, and a check for names of other kinds of
files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from docmt_files import FORMATS, PLAIN_TEXT, format_named, format_of, plain_suffix
from docmt_files.base.errors import InputError
from docmt_files.base.messages import Message
from docmt_files.storage.corpus_names import is_line_file, is_writable
from docmt_files.storage.files import PathLike

OutputFormat = Literal["same", "tsv", "jsonl", "tmx", "xliff", "xliff-1.2", "html-review"]
"""The forms of a translation; see `Output.kind`."""

_NEVER_TEXT = (".pdf", ".doc", ".rtf", ".xls", ".ppt", ".parquet")
"""Suffixes of files never written by `same`, except for a corpus in Parquet."""

_BY_SUFFIX: dict[str, OutputFormat] = {".tsv": "tsv", ".jsonl": "jsonl", ".tmx": "tmx"}
"""Output formats by the suffix of an output."""


def input_format_of(
    inputs: Sequence[str], output: PathLike | None, file_format: str | None
) -> str | None:
    """The format of input files: the requested format, or the format of files with the names of
    corpora, if the output has such a name too and the files are to be filled.

    Args:
        inputs: the paths of the input files.
        output: the path of the output.
        file_format: the name of the requested format.

    >>> input_format_of(["memory.tmx"], "memory.de.tmx", None)
    'tmx'
    """
    if file_format is not None or output is None:
        return file_format
    suffixes = {plain_suffix(path) for path in (*inputs, output)}
    return next((f.name for f in FORMATS if not f.by_name and suffixes <= set(f.suffixes)), None)


def output_format_of(
    inputs: Sequence[str], output: PathLike | None, file_format: str | None = None
) -> OutputFormat:
    """The output format meant by the name of an output.

    Args:
        inputs: the paths of the input files. Corpora are written as corpora, in the format of the
            output's name, and a file of the same format as the output keeps this format.
        output: the path of the output.
        file_format: the format of the input files, if it differs from the format of their names.

    >>> output_format_of(["guide.md"], "guide.de.md"), output_format_of(["guide.md"], "pairs.tsv")
    ('same', 'tsv')
    """
    if output is None:
        return "same"
    if file_format not in (None, PLAIN_TEXT) and (
        plain_suffix(output) in format_named(str(file_format)).suffixes
    ):
        return "same"
    kind = _BY_SUFFIX.get(Path(output).suffix.lower(), "same")
    same = any(_is_named_alike(name, output) for name in inputs)
    corpora = not all(is_line_file(name) or format_of(name) for name in inputs)
    return "same" if same or (corpora and is_writable(output)) else kind


def _is_named_alike(path: PathLike, other: PathLike) -> bool:
    """Return whether two files have a format of `FORMATS` in common by their names."""
    format_of_name = format_of(path)
    return format_of_name is not None and plain_suffix(other) in format_of_name.suffixes


def check_name(path: PathLike, output: Path, file_format: str | None) -> None:
    """Check the name of an output in the format of its input.

    Raises:
        InputError: the name is the name of a file of another format.
    """
    suffix = plain_suffix(output)
    other = None if suffix == plain_suffix(path) else format_of(output)
    format_of_name = format_of(path) if file_format is None else None
    if file_format not in (None, PLAIN_TEXT):
        format_of_name = format_named(str(file_format))
    if format_of_name is not None and suffix not in format_of_name.suffixes:
        what = f"the translation of {format_of_name.title} is {format_of_name.title}"
        cure = Message(
            f"Choose a name in {format_of_name.suffixes[0]}, or an `output_format`",
            ["output_format"],
        )
        if other is not None:
            raise InputError(f"has the name of {other.title}, but {what}", path=output, cure=cure)
        if suffix and (not format_of_name.is_text or suffix in _NEVER_TEXT):
            raise InputError(f"has the suffix {suffix}, but {what}", path=output, cure=cure)
    if format_of_name is None and is_line_file(path):
        # Text may be named as Markdown: plain text is Markdown.
        named = other is not None and other.name != "markdown"
        if suffix != plain_suffix(path) and (named or suffix in _NEVER_TEXT):
            raise InputError(
                f"has the suffix {suffix}, but the translation of text is text",
                path=output,
                cure="Choose a name in .txt, or the suffix of the input",
            )
    if (
        format_of_name is None
        and not is_writable(output)
        and plain_suffix(path) != plain_suffix(output)
    ):
        raise InputError(
            "this format is read but not written",
            path=output,
            cure="Add `output_format=jsonl`, or name a .jsonl or .tsv file as `output`",
            parameters=("output_format=jsonl", "output"),
        )
