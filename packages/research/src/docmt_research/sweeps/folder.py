"""The folder of a sweep, which several processes on several machines can share.

    DIR/sweep.json               the points with their recipes, to notice a changed sweep file
    DIR/corpora/ID/              prepared corpora, shared by points with the same corpus
    DIR/stages/NAME-ID/          earlier stages, shared by points with the same stages
    DIR/points/NAME/run/         the run directory of a point
    DIR/points/NAME/result.json  the scores, written when the point is done
    DIR/points/NAME/failure.json the reason of the failure
    DIR/points/NAME/output.log   the output of the training
    DIR/points/NAME/claim.lock   there while a process works on the point
    DIR/results.json, .tsv       all results
    DIR/figures/NAME.png, …      the figures, and the drawn values

Files appear whole or not at all, so a sweep can be killed at any time.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from filelock import SoftFileLease, Timeout
from pydantic import BaseModel

from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted, first_few
from docmt_files.storage.files import PathLike, reporting_write_errors, write_text
from docmt_files.storage.json_files import read_model
from docmt_files.storage.locks import locked
from docmt_files.storage.stored_files import read_stored
from docmt_nmt.base.choices import EvaluationSplit
from docmt_nmt.recipes import Recipe, differences
from docmt_research.sweeps.points import Point


class StoredPoint(BaseModel):
    """A point in the file of a sweep."""

    values: dict[str, Any]
    seed: int
    recipe: dict[str, Any]


class StoredSweep(BaseModel):
    """The file of a sweep."""

    split: str
    points: dict[str, StoredPoint]


class StoredResult(BaseModel):
    """The result of a point; null is a score that could not be computed."""

    measures: dict[str, int | float | None]
    positions: list[dict[str, int | float | None]]
    signatures: dict[str, str]
    notes: list[str] = []


class StoredFailure(BaseModel):
    """The reason why a point failed."""

    error: str


State = Literal["done", "running", "failed", "open"]
"""The status of a point."""

LEASE_SECONDS = 30.0
"""A claim is taken over after this time without renewal. It is renewed every third of the time."""


@dataclass(frozen=True, slots=True)
class SweepFolder:
    """The folder of a sweep.

    Attributes:
        directory: path of the folder.
        points: the points of the sweep.
        split: the split to score.
    """

    directory: Path
    points: Sequence[Point]
    split: EvaluationSplit = "test"

    @classmethod
    def open(
        cls,
        directory: PathLike,
        points: Sequence[Point],
        split: EvaluationSplit,
        *,
        make: bool = True,
    ) -> SweepFolder:
        """Make the folder of a sweep, or open it to go on. Points may have been added to the sweep
        since; the existing points must be unchanged.

        Args:
            directory: the folder.
            points: the points of the sweep.
            split: the split to score.
            make: whether to write; otherwise the folder is only checked.

        Raises:
            InputError: the folder has other contents, or was begun with another sweep, naming the
                differing keys; or it cannot be written.
        """
        folder = cls(Path(directory), points, split)
        if not make:
            folder._check()
            return folder
        with locked(folder.directory):
            folder._check()
            text = folder._to_json()
            if not folder._record.exists() or read_stored(folder._record) != text.encode():
                write_text(folder._record, text)
        return folder

    def _check(self) -> None:
        """Check the contents of the folder."""
        if self._record.exists():
            self._check_unchanged()
        elif self.directory.is_dir():
            visible = sorted(path.name for path in self.directory.iterdir())
            if visible := [name for name in visible if not name.startswith(".")]:
                raise InputError(
                    f"is not the folder of a sweep and not empty (it holds {first_few(visible)})",
                    path=self.directory,
                    cure="Name a new folder as `output`",
                    parameters=("output",),
                )

    def _to_json(self) -> str:
        """The points with their recipes."""
        points = {
            point.name: {
                "values": point.values,
                "seed": point.seed,
                "recipe": point.recipe.model_dump(mode="json"),
            }
            for point in self.points
        }
        record = {"split": self.split, "points": points}
        return json.dumps(record, ensure_ascii=False, indent=1) + "\n"

    @property
    def _record(self) -> Path:
        return self.directory / "sweep.json"

    def _check_unchanged(self) -> None:
        """Require the folder's points unchanged in the sweep."""
        cure = "Remove the folder, and begin the sweep again"
        record = read_model(self._record, StoredSweep, what="the file of a sweep", cure=cure)
        now = {point.name: point for point in self.points}
        if record.split != self.split:
            change = f"split (was {record.split}, is {self.split})"
            raise self._changed(f"; these keys differ: {change}")
        if gone := [entry for name, entry in record.points.items() if name not in now]:
            names = [
                " ".join(f"{k}={v}" for k, v in {**entry.values, "seed": entry.seed}.items())
                for entry in gone
            ]
            more = counted(len(gone), "point")
            raise self._changed(f", which had {more} more: {first_few(names)}")
        keys: Counter[str] = Counter()
        for name, entry in record.points.items():
            before = Recipe.read(entry.recipe, path=self._record)
            keys.update(differences(before, now[name].recipe))
        keys.pop("description", None)
        if keys:
            raise self._changed(f"; these keys differ: {first_few(list(keys), 5)}")

    def _changed(self, how: str) -> InputError:
        return InputError(
            f"this sweep was begun with another file{how}",
            path=self.directory,
            cure="Restore what was changed in the file or the overrides, or name another `output`",
            parameters=("output",),
        )

    def of(self, point: Point) -> Path:
        """The folder of a point."""
        return self.directory / "points" / point.name

    def run(self, point: Point) -> Path:
        """The run directory of a point."""
        return self.of(point) / "run"

    def result(self, point: Point) -> StoredResult | None:
        """The result of a point; None if it is not done.

        Raises:
            InputError: the result file is damaged.
        """
        path = self.of(point) / "result.json"
        if not path.exists():
            return None
        cure = "Remove the file, and run it again"
        return read_model(path, StoredResult, what="the result of a point", cure=cure)

    def failure(self, point: Point) -> StoredFailure | None:
        """The failure of the last try of a point; None if there was none."""
        path = self.of(point) / "failure.json"
        if not path.exists():
            return None
        return read_model(path, StoredFailure, what="the failure of a point", cure="Remove it")

    def state(self, point: Point) -> State:
        """The status of a point. A point whose process was killed counts as running until the claim
        expires."""
        if (self.of(point) / "result.json").exists():
            return "done"
        with suppress(OSError):
            claimed = (self.of(point) / "claim.lock").stat().st_mtime
            if time.time() - claimed < LEASE_SECONDS:
                return "running"
        return "failed" if (self.of(point) / "failure.json").exists() else "open"

    def counts(self) -> dict[State, int]:
        """The number of points in each state."""
        counts: dict[State, int] = {"done": 0, "running": 0, "failed": 0, "open": 0}
        for point in self.points:
            counts[self.state(point)] += 1
        return counts


class Claim:
    """The right to work on a point, which one process at a time has. It is a file renewed by the
    owner. If the owner has died, or no longer renews the file, another process takes the claim
    over.

    Args:
        path: the folder of the point.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.lost = False
        self._lease: SoftFileLease | None = None

    def acquire(self) -> bool:
        """Claim the point unless somebody else has. An expired claim is taken over at a later call:
        the missing renewal shows only over time.

        Raises:
            InputError: the folder cannot be written.
        """
        with reporting_write_errors(self._path):
            if self._lease is None:
                self._path.mkdir(parents=True, exist_ok=True)
                self._lease = SoftFileLease(
                    self._path / "claim.lock",
                    lease_duration=LEASE_SECONDS,
                    on_compromise=self._lose,
                )
            self.lost = False
            try:
                self._lease.acquire(blocking=False)
            except Timeout:
                return False
            return True

    def _lose(self, _: object) -> None:
        """Note that the claim has expired and may belong to another process now."""
        self.lost = True

    def release(self) -> None:
        """Give the claim up."""
        if self._lease is not None:
            with suppress(OSError):
                self._lease.release()
