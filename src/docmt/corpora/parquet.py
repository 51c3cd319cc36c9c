"""Parquet files with a row a document: `id` string, `source` list of strings, `target` list of
strings or null. Other columns are not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from docmt.corpora.checks import Checks
from docmt.documents import Document
from docmt.errors import InputError
from docmt.files import PathLike, open_binary, write_whole

SCHEMA = pa.schema(
    [("id", pa.string()), ("source", pa.list_(pa.string())), ("target", pa.list_(pa.string()))]
)

ROWS_AT_ONCE = 64
"""Documents decoded at once in reading."""

GROUP_ROWS, GROUP_CHARACTERS = 256, 8_000_000
"""A row group is written when it holds so many documents or characters of source text."""


def read(path: PathLike, allow_empty: bool) -> Iterator[Document]:
    """The documents of a Parquet file; see `docmt.corpora.read`.

    Raises:
        InputError: besides what every format refuses, a file that is damaged or lacks the columns,
            or a row with a null.
    """
    checks = Checks(path, allow_empty)
    for number, row in enumerate(read_rows(path), start=1):
        place = f"row {number}: "
        id, source, target = row["id"], row["source"], row.get("target")
        if id is None or source is None or None in source or None in (target or ()):
            cure = "Fill it; only a whole target may be null"
            raise checks.error(f"{place}a null where text should be", cure)
        checks.id(id, place=place)
        checks.document(source, target, None, f"{place}document {id!r}: ")
        yield Document(id, tuple(source), None if target is None else tuple(target))


def read_rows(path: PathLike) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file, a few at a time whatever the size of its row groups."""
    with open_binary(path) as stream, explained(path):
        # A buffer makes pyarrow read a row group in pieces; without one it is read as a whole.
        file = pq.ParquetFile(stream, buffer_size=1 << 20)
        check_columns(file.schema_arrow, path)
        columns = [name for name in SCHEMA.names if name in file.schema_arrow.names]
        for batch in file.iter_batches(ROWS_AT_ONCE, columns=columns):
            yield from batch.to_pylist()


@contextmanager
def explained(path: PathLike) -> Iterator[None]:
    """Turn what pyarrow says of a damaged file into an error that names it."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        what = str(error).splitlines()[0][:200]
        cure = "Fetch or write it again"
        raise InputError(f"not a whole Parquet file ({what})", path=path, cure=cure) from None


def check_columns(schema: Any, path: PathLike) -> None:
    """Raise an error where a column is missing or of another type."""
    for name in SCHEMA.names:
        if name not in schema.names:
            if name == "target":
                continue
            found = f"there is no column {name!r}, only {', '.join(schema.names)}"
        elif not fits(schema.field(name).type, SCHEMA.field(name).type):
            found = f"column {name!r} is of type {schema.field(name).type}"
        else:
            continue
        wanted = ", ".join(f"{field.name} {field.type}" for field in SCHEMA)
        raise InputError(found, path=path, cure=f"Write the columns {wanted}")


def fits(found: Any, wanted: Any) -> bool:
    """Whether a column's type holds the same as the wanted one; offsets may be of any width."""
    if pa.types.is_string(wanted):
        return bool(pa.types.is_string(found) or pa.types.is_large_string(found))
    is_list = pa.types.is_list(found) or pa.types.is_large_list(found)
    return is_list and fits(found.value_type, wanted.value_type)


def write(documents: Iterable[Document], path: PathLike) -> None:
    """Write documents as Parquet; see `docmt.corpora.write`."""
    checks = Checks(path, allow_empty=True)

    def rows() -> Iterator[dict[str, Any]]:
        for document in documents:
            checks.writable(document)
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
