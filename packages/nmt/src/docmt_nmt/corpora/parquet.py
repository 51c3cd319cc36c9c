"""Parquet files with one row per document: `id` string, `source` list of strings, `target` list of
strings or null. Other columns are not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.storage.corpus_checks import Checks
from docmt_files.storage.files import PathLike, open_binary, write_whole

SCHEMA = pa.schema(
    [("id", pa.string()), ("source", pa.list_(pa.string())), ("target", pa.list_(pa.string()))]
)

ROWS_AT_ONCE = 64
"""Documents decoded at once when reading."""

GROUP_ROWS, GROUP_CHARACTERS = 256, 8_000_000
"""A row group is written when it holds this many documents or characters of source text."""

_MANY_SENTENCES = 1_000_000
"""So many sentences of a row group are read at once."""


def read(path: PathLike, allow_empty: bool) -> Iterator[Document]:
    """Read the documents of a Parquet file; see `docmt_nmt.corpora.read`."""
    checks = Checks(path, allow_empty)
    for number, row in enumerate(_read_rows(path), start=1):
        location = f"row {number}: "
        document_id, source, target = row["id"], row["source"], row.get("target")
        if document_id is None or source is None or None in source or None in (target or ()):
            cure = "Fill it; only a whole target may be null"
            raise checks.error(f"{location}a null where text should be", cure)
        checks.check_id(document_id, location=location)
        checks.check_document(source, target, None, f"{location}document {document_id!r}: ")
        yield Document(document_id, tuple(source), None if target is None else tuple(target))


def _read_rows(path: PathLike) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file, a few at a time whatever the size of the row groups."""
    with open_binary(path) as stream, naming_damaged_file(path):
        # With a buffer, pyarrow reads a row group in parts; without one it reads it as a whole.
        file = pq.ParquetFile(stream, buffer_size=1 << 20)
        _check_columns(file.schema_arrow, path)
        columns = [name for name in SCHEMA.names if name in file.schema_arrow.names]
        for batch in file.iter_batches(_rows_at_once(file.metadata), columns=columns):
            yield from batch.to_pylist()


def _rows_at_once(metadata: Any) -> int:
    """The number of rows to read at once: fewer where they hold very many sentences, which may take
    few bytes in the file."""
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    sentences = [
        (group.column(index).num_values, max(group.num_rows, 1))
        for group in groups
        for index in range(group.num_columns)
    ]
    most = max((values / rows for values, rows in sentences), default=0)
    return max(1, int(min(ROWS_AT_ONCE, _MANY_SENTENCES / max(most, 1))))


@contextmanager
def naming_damaged_file(path: PathLike) -> Iterator[None]:
    """Turn pyarrow's errors about a damaged file into an `InputError` naming the file."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0][:200]
        cure = "Copy or write it again"
        problem = f"is not a valid Parquet file, or only part of one ({reason})"
        raise InputError(problem, path=path, cure=cure) from None


def _check_columns(schema: Any, path: PathLike) -> None:
    """Check for missing columns and wrong types."""
    for name in SCHEMA.names:
        if name not in schema.names:
            if name == "target":
                continue
            problem = f"there is no column {name!r}, only {', '.join(schema.names)}"
        elif not _fits(schema.field(name).type, SCHEMA.field(name).type):
            problem = f"column {name!r} is of type {schema.field(name).type}"
        else:
            continue
        wanted = ", ".join(f"{field.name} {field.type}" for field in SCHEMA)
        raise InputError(problem, path=path, cure=f"Write the columns {wanted}")


def _fits(given: Any, wanted: Any) -> bool:
    """Return whether a column's type holds the wanted values; the offsets may have any width."""
    if pa.types.is_string(wanted):
        return bool(pa.types.is_string(given) or pa.types.is_large_string(given))
    is_list = pa.types.is_list(given) or pa.types.is_large_list(given)
    return is_list and _fits(given.value_type, wanted.value_type)


def write(documents: Iterable[Document], path: PathLike) -> None:
    """Write documents as Parquet; see `docmt_nmt.corpora.write`."""
    checks = Checks(path, allow_empty=True)

    def rows() -> Iterator[dict[str, Any]]:
        for document in documents:
            checks.check_writable(document)
            yield {"id": document.id, "source": document.source, "target": document.target}

    with write_whole(path) as stream:
        write_rows(stream, SCHEMA, rows())


def write_rows(stream: IO[bytes], schema: Any, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows, which have at least the columns `id` and `source`, in small row groups."""
    group: list[Mapping[str, Any]] = []
    characters = 0
    with pq.ParquetWriter(stream, schema, compression="zstd") as writer:
        for row in rows:
            group.append(row)
            characters += sum(len(sentence) for sentence in row["source"])
            if len(group) >= GROUP_ROWS or characters >= GROUP_CHARACTERS:
                writer.write_table(pa.Table.from_pylist(group, schema))
                group, characters = [], 0
        if group:
            writer.write_table(pa.Table.from_pylist(group, schema))
