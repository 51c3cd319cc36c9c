"""`Columns`: the choice of columns of a table to translate. Separate from
`docmt_files.text.table`, as the table reader takes long to load."""

from __future__ import annotations

from dataclasses import dataclass

from docmt_files.base.errors import InputError

TABLE_SUFFIXES = (".csv", ".tab")
"""The suffixes of tables. So is `.tsv`, but only with columns: without, it is a corpus."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table to translate.

    Attributes:
        names: the names in the first row, or the numbers from 1 on. Without a name the first row is
            translated like the others.
        new: whether translations are written into new columns next to the old ones.

    Raises:
        InputError: there is none, or one is empty.
    """

    names: tuple[str, ...]
    new: bool = False

    def __post_init__(self) -> None:
        if not all(self.names) or not self.names:
            raise InputError(
                "`columns` has an empty name",
                cure="Write names or numbers with commas between them, such as text,title or 2,3",
                parameters=("columns",),
            )
