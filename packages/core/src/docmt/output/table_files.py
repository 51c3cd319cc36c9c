"""Tables of scores as files: CSV for programs, LaTeX with booktabs for papers.

A file holds one table, as it is read by `read_csv` or `\\input`. Further tables of a command go
beside it: `scores.csv`, `scores-2.csv`, and so on.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from rich.table import Table
from rich.text import Text

from docmt_files.base.errors import InputError, printable
from docmt_files.storage.files import PathLike, resolved, write_together

_MOST_TABLES = 99
_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    # LaTeX reads a star or a bracket after the end of a row as an argument.
    | {character: f"{{{character}}}" for character in "[]*"}
    | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "`": r"\textasciigrave{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\symbol{34}",
        "↓": r"$\downarrow$",
        "→": r"$\rightarrow$",
    }
)


def check_table_file(path: str | None, others: Iterable[PathLike | None]) -> None:
    """Check the name of a file for tables.

    Args:
        path: the file, if one is asked for.
        others: the other files of the command; None and `-` stand for no file.

    Raises:
        InputError: the name ends neither with `.csv` nor with `.tex`, or the file or one for a
            further table is among `others`.
    """
    if path is None:
        return
    if Path(path).suffix not in (".csv", ".tex"):
        raise InputError(
            "is not the name of a table",
            path=path,
            cure="End `table` with .csv or .tex",
            parameters=("table",),
        )
    taken = {resolved(other) for other in others if other is not None and str(other) != "-"}
    if any(resolved(_numbered(path, number)) in taken for number in range(1, _MOST_TABLES + 1)):
        raise InputError(
            "this file, or one for a further table, is named by another option and would be "
            "overwritten",
            path=path,
            cure="Choose another `table`",
            parameters=("table",),
        )


def write_tables(tables: Sequence[Table], path: PathLike, lines: Sequence[str] = ()) -> list[Path]:
    """Write tables, all or none, and return the files.

    Args:
        tables: at least one.
        path: the file of the first table; the suffix `.csv` or `.tex` is the format. The second
            has `-2` before the suffix, and so on.
        lines: what belongs to the numbers, such as signatures: comments in each LaTeX file.

    Raises:
        InputError: a file cannot be written.
    """
    as_text = comma_separated
    if Path(path).suffix == ".tex":
        as_text = partial(latex, lines=lines)
    paths = [_numbered(path, number) for number in range(1, len(tables) + 1)]
    with write_together(paths) as streams:
        for stream, table in zip(streams, tables, strict=True):
            stream.write(as_text(table).encode())
    return paths


def comma_separated(table: Table) -> str:
    """A table as CSV. The title, if there is one, is the first column, `table`. Numbers have no
    commas for thousands.

    >>> table = Table("system", "lines")
    >>> table.add_row("ours, large", "1,234")
    >>> print(comma_separated(table), end="")
    system,lines
    "ours, large",1234
    """
    out = io.StringIO()
    title = _plain(table.title)
    heading, *rows = _rows(table)
    written = csv.writer(out, lineterminator="\n")
    written.writerow([*(["table"] if title else []), *heading])
    for row in rows:
        cells = (c.replace(",", "") if re.fullmatch(r"\d{1,3}(,\d{3})+", c) else c for c in row)
        written.writerow([*([title] if title else []), *cells])
    return out.getvalue()


def latex(table: Table, lines: Sequence[str] = ()) -> str:
    """A table as a LaTeX `tabular`, for a document that uses booktabs. Title, caption and lines are
    comments above it; the paper says them in other words.

    >>> table = Table("system", "lines")
    >>> table.add_row("ours_1", "1,234")
    >>> print(latex(table), end="")
    \\begin{tabular}{ll}
    \\toprule
    system & lines \\\\
    \\midrule
    ours\\_1 & 1,234 \\\\
    \\bottomrule
    \\end{tabular}
    """
    texts = map(_plain, (table.title, table.caption, *lines))
    comments = [f"% {text}" for text in texts if text]
    heading, *rows = (" & ".join(map(_latex, row)) + r" \\" for row in _rows(table))
    columns = "".join("r" if column.justify == "right" else "l" for column in table.columns)
    tabular = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", heading, r"\midrule", *rows]
    return "\n".join([*comments, *tabular, r"\bottomrule", r"\end{tabular}", ""])


def _numbered(path: PathLike, number: int) -> Path:
    """The file of a table, by the number of the table from 1."""
    path = Path(path)
    return path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")


def _rows(table: Table) -> list[list[str]]:
    """The heading and the rows."""
    heading = [_plain(column.header) for column in table.columns]
    columns = [list(map(_plain, column.cells)) for column in table.columns]
    return [heading, *map(list, zip(*columns, strict=True))]


def _plain(cell: object) -> str:
    """A cell on one line; a name is written as it is, also where it looks like markup."""
    text = cell.plain if isinstance(cell, Text) else str(cell or "")
    return " ".join(printable(text.replace("\n", " ")).split())


def _latex(text: str) -> str:
    """A cell in LaTeX: nothing in it is a command, and no characters join into others."""
    text = re.sub(r"-(?=-)", "-{}", text.translate(_LATEX))
    return re.sub(r"(?<!\S)-(?=\d)", "$-$", text)
