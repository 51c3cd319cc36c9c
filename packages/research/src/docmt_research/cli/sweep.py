"""`docmt sweep`: train a recipe along axes, and draw the results."""

from __future__ import annotations

from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.cli.arguments import Overrides
from docmt.cli.terminal import FAILED_POINTS, INTERRUPTED, note, output_console, print_names
from docmt_files.base.wording import counted

if TYPE_CHECKING:
    from docmt_research.sweeps import Sweep
    from docmt_research.sweeps.points import Point
    from docmt_research.sweeps.sweep_tables import ResultsTable


def sweep(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="A sweep file (YAML), or the name of a bundled sweep. Without it, list those.",
        ),
    ] = None,
    overrides: Overrides = None,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder of the sweep, to make or to go on with; several machines can share it. "
            "Default: sweeps/ and the name of the file.",
        ),
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, help="Number of points to train at a time.")
    ] = 1,
    status: Annotated[
        bool, typer.Option("--status", help="Only show how far the sweep is, and what failed.")
    ] = False,
    wait: Annotated[
        bool,
        typer.Option(
            "--wait/--no-wait",
            help="Whether to wait for points that other processes work on, and take over those "
            "that they leave.",
        ),
    ] = True,
) -> None:
    """Train a recipe along axes, translate and score each point, and draw figures and tables.

    Run the command again to continue an interrupted sweep; finished points are not repeated, and
    failed points are tried again. The exit code is 4 if points have failed.
    """
    if file is None:
        from docmt_research.sweeps.sweep_settings import describe_sweeps

        print_names("sweep", {"": describe_sweeps()})
        return
    from docmt_research.sweeps import Sweep

    directory = output or Path("sweeps") / Path(file).stem
    opened = Sweep.open(file, directory, overrides or [], note, make=not status)
    if status:
        _show_status(opened)
    else:
        _run(opened, directory, jobs=jobs, wait=wait)
    if opened.counts()["failed"]:
        raise typer.Exit(FAILED_POINTS)


def _run(opened: Sweep, directory: Path, *, jobs: int, wait: bool) -> None:
    """Work on a sweep, and write the results, also if it is interrupted."""
    note(f"{directory}: {counted(len(opened.folder.points), 'point')}, {_counts(opened)}")
    try:
        opened.run(jobs=jobs, wait=wait, report=lambda point: _report(opened, point))
    except KeyboardInterrupt:
        opened.write(note=note)
        note("docmt: interrupted; run the same command again to go on")
        raise typer.Exit(INTERRUPTED) from None
    for table in opened.tables(opened.write(note=note)).values():
        _print_table(table)
    typer.echo(f"{_counts(opened)}. Results: {directory / 'results.tsv'}")


def _print_table(table: ResultsTable) -> None:
    """Print a table of results beside the results of a paper."""
    for printed in table.printed():
        output_console().print(printed)
    typer.echo(table.caption)


def _counts(opened: Sweep) -> str:
    """The number of points in each state, in words."""
    return ", ".join(f"{count} {state}" for state, count in opened.counts().items())


def _show_status(opened: Sweep) -> None:
    """Print the progress of a sweep: the counts, and each point that is not open."""
    typer.echo(_counts(opened))
    for point in opened.folder.points:
        state = opened.folder.state(point)
        if state in ("running", "failed"):
            typer.echo(f"{state}: {point.label}{_reason(opened, point)}")


def _reason(opened: Sweep, point: Point) -> str:
    """The reason why a point failed, and where to read more; empty if it did not."""
    failure = opened.folder.failure(point)
    if failure is None or opened.folder.result(point) is not None:
        return ""
    return f": {failure.error} ({opened.folder.of(point) / 'output.log'})"


def _report(opened: Sweep, point: Point) -> None:
    """Print the outcome of a point, and the progress of the sweep."""
    result = opened.folder.result(point)
    counts = opened.counts()
    share = f"[{counts['done']}/{len(opened.folder.points)}]"
    if result is None:
        note(f"{share} failed: {point.label}{_reason(opened, point)}")
        return
    numbers = {name: nan if value is None else value for name, value in result.measures.items()}
    scores = [f"{name} {numbers.get(name, nan):.2f}" for name in result.signatures]
    scores.append(f"validation loss {numbers.get('valid.loss', nan):.3f}")
    seconds = sum(numbers.get(f"{name}_seconds", nan) for name in ("training", "evaluation"))
    note(f"{share} {point.label} · {' · '.join(scores)} · {seconds:.0f} s")
