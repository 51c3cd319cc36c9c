"""`Sweep`: a sweep file and the folder of the sweep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from docmt_files.storage.files import PathLike
from docmt_research.sweeps.execution import Execution
from docmt_research.sweeps.figures import draw_figure, series_of_figure
from docmt_research.sweeps.folder import State, SweepFolder
from docmt_research.sweeps.points import Point, expand
from docmt_research.sweeps.results import Result, read_results, write_results
from docmt_research.sweeps.sweep_settings import SweepSettings, find_sweep, read_sweep
from docmt_research.sweeps.sweep_tables import ResultsTable


@dataclass(frozen=True, slots=True)
class Sweep:
    """A sweep in a folder.

    Attributes:
        settings: the sweep file.
        folder: the folder with the points.
    """

    settings: SweepSettings
    folder: SweepFolder

    @classmethod
    def open(
        cls,
        name_or_path: PathLike,
        directory: PathLike,
        overrides: Sequence[str] = (),
        note: Callable[[str], None] = lambda _: None,
        *,
        make: bool = True,
    ) -> Self:
        """Begin a sweep, or open one to go on.

        Args:
            name_or_path: the name of a bundled sweep, or a YAML file.
            directory: the folder of the sweep.
            overrides: `key=value` each, for keys of the recipe.
            note: called with each message to the user about the set keys.
            make: whether to make the folder; otherwise nothing is written.

        Raises:
            InputError: the file is not a valid sweep, or the folder belongs to another sweep.
        """
        path = find_sweep(name_or_path)
        settings = read_sweep(path, overrides)
        points = expand(settings, path, note)
        return cls(settings, SweepFolder.open(directory, points, settings.split, make=make))

    def run(
        self, *, jobs: int = 1, wait: bool = True, report: Callable[[Point], None] = lambda _: None
    ) -> None:
        """Train, translate and score all unfinished points.

        Args:
            jobs: number of points to work on at a time.
            wait: whether to wait for points of other processes.
            report: called with each point ended here.

        Raises:
            InputError: the folder cannot be written.
        """
        Execution(self.folder, jobs=jobs, wait=wait, report=report).run()

    def counts(self) -> dict[State, int]:
        """The number of points in each state."""
        return self.folder.counts()

    def write(self, *, note: Callable[[str], None] = lambda _: None) -> list[Result]:
        """Write the results of finished points with the tables, and draw the figures.

        Args:
            note: called with each figure that could not be drawn.

        Returns:
            The results.

        Raises:
            InputError: a file is damaged, or they cannot be written.
        """
        results = read_results(self.folder)
        write_results(self.folder, results)
        for name, figure in self.settings.figures.items():
            series = series_of_figure(figure, self.folder, results)
            if not series:
                if results:
                    note(f"figure {name}: no point that is done has {' or '.join(figure.y)}")
                continue
            draw_figure(figure, series, self.folder.directory / "figures" / name)
        for name, table in self.tables(results).items():
            table.write(self.folder.directory / "tables" / name)
        return results

    def tables(self, results: Sequence[Result]) -> dict[str, ResultsTable]:
        """The tables of results beside the paper's figures, by name."""
        return {
            name: ResultsTable.of(table, self.settings, results)
            for name, table in self.settings.tables.items()
        }
