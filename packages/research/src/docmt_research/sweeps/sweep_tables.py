"""The tables of a sweep: means over seeds with deviations, beside the published figures of a paper.
Each is written as Markdown, CSV, LaTeX and JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Self

from rich.table import Table
from rich.text import Text

from docmt.output.table_files import write_tables
from docmt_files.storage.files import write_text
from docmt_files.storage.json_files import json_text
from docmt_research.sweeps.results import Result, Spread
from docmt_research.sweeps.sweep_settings import SweepSettings, TableSettings

_NOTHING = "–"


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure of a table.

    Attributes:
        part, row, column: where it is; `part` is "" in a table of one part.
        measure: the measure shown.
        found: the spread over the finished seeds; None without any.
        printed: the figure of the paper; None if it has none.
    """

    part: str
    row: str
    column: str
    measure: str
    found: Spread | None
    printed: float | None

    @property
    def found_text(self) -> str:
        """The mean, and with several seeds the deviation."""
        if self.found is None:
            return _NOTHING
        deviation = f" ± {self.found.deviation:.2f}" if self.found.seeds > 1 else ""
        return f"{self.found.mean:.2f}{deviation}"

    @property
    def printed_text(self) -> str:
        """The figure of the paper."""
        return _NOTHING if self.printed is None else f"{self.printed:.2f}"


@dataclass(frozen=True, slots=True)
class ResultsTable:
    """A table of results beside a paper's.

    Attributes:
        title: the title.
        cells: the cells of the table, part by part, row by row.
        seeds: number of seeds wanted in each row.
        signatures: how the shown scores were measured, each once.
    """

    title: str
    cells: tuple[Cell, ...]
    seeds: int
    signatures: tuple[str, ...] = ()

    @classmethod
    def of(cls, table: TableSettings, sweep: SweepSettings, results: Sequence[Result]) -> Self:
        """The table of the results so far."""
        shown = set(table.columns.values())
        signed = (result.signatures.items() for result in results)
        signatures = {
            f"{name}: {signature}": None
            for name, signature in chain.from_iterable(signed)
            if name in shown
        }
        cells = tuple(_cells(table, sweep, results))
        return cls(table.title, cells, len(sweep.seeds), tuple(signatures))

    @property
    def caption(self) -> str:
        """The meaning of the figures, in words."""
        counts = sorted({cell.found.seeds for cell in self.cells if cell.found})
        if not counts:
            return "no point is done"
        some = f"{counts[0]}" if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"
        of = f" of {self.seeds}" if counts[0] < self.seeds else ""
        if counts[-1] == 1:
            return f"one seed each{of}"
        return f"mean of {some}{of} seeds ± one standard deviation"

    def parts(self) -> Iterator[tuple[str, list[str], list[list[str]]]]:
        """Yield the name of each part, the heading and the lines, as texts."""
        for part in dict.fromkeys(cell.part for cell in self.cells):
            cells = [cell for cell in self.cells if cell.part == part]
            columns = dict.fromkeys(cell.column for cell in cells)
            lines = [
                [row, *(text for cell in cells if cell.row == row for text in _texts(cell))]
                for row in dict.fromkeys(cell.row for cell in cells)
            ]
            yield part, ["", *(text for name in columns for text in (name, "paper"))], lines

    def printed(self) -> list[Table]:
        """A table for the terminal for each part."""
        printed = []
        for part, heading, lines in self.parts():
            title = ": ".join(filter(None, [self.title, part]))
            table = Table(title=Text(title), title_justify="left", box=None)
            for place, name in enumerate(heading):
                table.add_column(Text(name), justify="right" if place else "left")
            for line in lines:
                table.add_row(*map(Text, line))
            printed.append(table)
        return printed

    def markdown(self) -> str:
        """The table as Markdown."""
        blocks = [f"# {self.title}"] if self.title else []
        for part, heading, lines in self.parts():
            rows = [heading, ["---", *["---:"] * (len(heading) - 1)], *lines]
            blocks += [f"## {part}"] if part else []
            blocks.append("\n".join(f"| {' | '.join(row)} |" for row in rows))
        blocks.append(f"{self.caption[0].upper()}{self.caption[1:]}.")
        blocks += [f"`{signature}`" for signature in self.signatures]
        return "\n\n".join(blocks) + "\n"

    def write(self, path: Path) -> None:
        """Write the table.

        Args:
            path: the path of the files without suffix.

        Raises:
            InputError: they cannot be written.
        """
        write_text(path.with_suffix(".md"), self.markdown())
        for suffix in (".csv", ".tex"):
            lines = (self.caption, *self.signatures)
            write_tables(self.printed(), path.with_suffix(suffix), lines)
        write_text(path.with_suffix(".json"), json_text(asdict(self), indent=1) + "\n")


def _texts(cell: Cell) -> tuple[str, str]:
    return cell.found_text, cell.printed_text


def _cells(table: TableSettings, sweep: SweepSettings, results: Sequence[Result]) -> Iterator[Cell]:
    """Yield the figures of a table. The rows are the rows of the paper, then others of the
    sweep."""
    rows = list(dict.fromkeys([*table.printed, *map(str, sweep.values_of(table.rows))]))
    parts: list[Any] = sweep.values_of(table.parts) if table.parts else [None]
    for place, part in enumerate(parts):
        for row in rows:
            of_row = [
                result
                for result in results
                if str(result.values.get(table.rows, "")) == row
                and (table.parts is None or result.values.get(table.parts) == part)
            ]
            for index, (column, measure) in enumerate(table.columns.items()):
                figures = table.printed.get(row)
                printed = None
                if figures is not None:
                    printed = figures[place * len(table.columns) + index]
                values = [r.measures[measure] for r in of_row if measure in r.measures]
                is_shown = values and (figures is None or printed is not None)
                found = Spread.of(values) if is_shown else None
                yield Cell("" if part is None else str(part), row, column, measure, found, printed)
