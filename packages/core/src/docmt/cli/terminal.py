"""Notes, errors and progress of all commands. They go to standard error, so standard output holds
only results.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from docmt_files.base.errors import InputError, printable
from docmt_files.base.messages import Message, MessageKind

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from docmt_nmt.translators.translator import ProgressCallback, Translator

USER_MISTAKE, SUSPICIOUS, FAILED_POINTS, NOT_ADOPTED = 2, 3, 4, 5
"""Exit codes. With `--strict`, `SUSPICIOUS` says that translations have warnings; `FAILED_POINTS`
says that points of a sweep have failed, and `NOT_ADOPTED` that an adapted model was not made."""

INTERRUPTED, BROKEN_PIPE = 130, 141
"""The exit codes that shells use for SIGINT and SIGPIPE."""

_options: dict[str, str] = {}
"""The options of the running command, by parameter."""

_is_quiet = False
"""True while a command runs that says only what is wrong."""

_ADVICE: frozenset[MessageKind] = frozenset({"counts", "hidden", "advice"})
"""The kinds of messages that a quiet command leaves out."""


@contextmanager
def naming_options(options: Mapping[str, str]) -> Iterator[None]:
    """While a command runs, replace parameters in notes and errors by the command's options."""
    _options.update(options)
    try:
        yield
    except InputError as error:
        error.args = (error.message.naming(options),)
        raise
    finally:
        _options.clear()


@contextmanager
def keep_quiet(asked: bool) -> Iterator[None]:
    """While a command runs, leave out notes that are not warnings, and progress, if asked to."""
    global _is_quiet
    before, _is_quiet = _is_quiet, _is_quiet or asked
    try:
        yield
    finally:
        _is_quiet = before


def inform(text: str) -> None:
    """Print a message about what is done, which a quiet command leaves out."""
    if not _is_quiet:
        note(text)


def note(text: str) -> None:
    """Print a message to standard error: an error or a warning, or a message of a kind that a quiet
    command leaves out. Further lines are indented and control characters are escaped, so no part of
    a foreign text looks like another message."""
    if isinstance(text, Message) and _is_quiet and text.kind in _ADVICE:
        return
    lines = map(printable, said(text).split("\n"))
    typer.echo("\n  ".join(lines), err=True)


def said(text: str) -> str:
    """A message with the options of the running command in place of parameters."""
    return text.naming(_options) if isinstance(text, Message) else text


@contextmanager
def noting_costs(translator: Translator) -> Iterator[None]:
    """Print the costs of translations at the end, also after an error."""
    from docmt_nmt.translators.translator import costs_of

    try:
        yield
    finally:
        for text in costs_of(translator):
            inform(f"docmt: {text}")


def print_json(value: Any) -> None:
    """Print plain values to standard output as JSON."""
    from docmt_files.storage.json_files import json_text

    typer.echo(json_text(value, indent=2))


def print_lines(console: Console, *lines: str) -> None:
    """Print lines as they are, however wide the terminal is."""
    console.print("\n".join(lines), markup=False, highlight=False, soft_wrap=True)


def print_names(noun: str, groups: Mapping[str, Mapping[str, str]]) -> None:
    """List names with descriptions.

    If standard output is not a terminal, print one line per name: name, tab, description.

    Args:
        noun: the kind of the names.
        groups: descriptions by name, by the heading of each group; "" for no heading.
    """
    if not stdout_is_terminal():
        described = {name: text for group in groups.values() for name, text in group.items()}
        for name in sorted(described):
            typer.echo(f"{name}\t{described[name]}")
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(noun, "what it is for", box=None, pad_edge=False, header_style="bold")
    for heading, group in groups.items():
        if heading:
            table.add_row()
            table.add_row(Text(heading, style="bold"))
        for name, text in group.items():
            table.add_row(f"  {name}" if heading else name, text)
    output_console().print(table)


def print_table(names: Sequence[str], rows: Iterable[Sequence[str | int]]) -> None:
    """Print a table with the names of the columns; without a terminal, with tabs."""
    if not stdout_is_terminal():
        for row in (names, *rows):
            typer.echo("\t".join(map(str, row)))
        return
    from rich.table import Table

    table = Table(names[0], box=None, pad_edge=False, header_style="bold")
    for name in names[1:]:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*(f"{cell:,}" if isinstance(cell, int) else cell for cell in row))
    output_console().print(table)


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Write several files; none appears before all are complete."""
    from docmt_files.storage.files import write_together

    with write_together(list(contents)) as streams:
        for stream, content in zip(streams, contents.values(), strict=True):
            stream.write(content)


def stdout_is_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout.isatty()


def on_terminal() -> bool:
    """Return whether standard error is a terminal that shows progress."""
    return sys.stderr.isatty() and not _is_quiet


def output_console(
    width: int | None = None, *, printed: list[Any] | None = None, quiet: bool = False
) -> Console:
    """A console on standard output, with the width of the terminal unless one is given. If the
    reader of the output has ended, printing raises BrokenPipeError like any other writing; rich
    would exit with another code. `printed` collects all objects, also those not shown because of
    `quiet`."""
    from rich.console import Console

    class Output(Console):
        def print(self, *objects: Any, **settings: Any) -> None:
            if printed is not None:
                printed.extend(objects)
            texts = (o.naming(_options) if isinstance(o, Message) else o for o in objects)
            super().print(*texts, **settings)

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    # Names are text, also where they look like markup: `out[best].de`.
    return Output(width=width, quiet=quiet, markup=False, emoji=False)


@contextmanager
def writing_tables(path: str | None, *, quiet: bool = False) -> Iterator[Console]:
    """Yield a console on standard output. At the end, write all tables printed to it, too, with the
    lines printed beside them, such as signatures.

    Args:
        path: file of the first table (see `docmt.output.table_files.write_tables`), or
            None.
        quiet: show nothing.
    """
    from rich.table import Table

    printed: list[Any] = []
    yield output_console(printed=printed, quiet=quiet)
    if path is not None:
        lines = [line for text in printed if isinstance(text, str) for line in text.splitlines()]
        note_tables([one for one in printed if isinstance(one, Table)], path, lines)


def note_tables(tables: Sequence[Table], path: str, lines: Sequence[str] = ()) -> None:
    """Write tables, and note the files, and the captions, which CSV does not have."""
    from docmt.output.table_files import write_tables

    paths = write_tables(tables, path, lines)
    inform(f"docmt: wrote {' and '.join(map(str, paths))}")
    for written, table in zip(paths, tables, strict=True):
        if table.caption:
            inform(f"note: {written}: {table.caption}")


@contextmanager
def progress_bar(label: str) -> Iterator[ProgressCallback | None]:
    """Show a progress bar on standard error. Yields a function of the number done and the total, or
    None if standard error is not a terminal."""
    if not on_terminal():
        yield None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(escape(printable(label)), total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)
