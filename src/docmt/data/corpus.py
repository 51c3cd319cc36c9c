"""The folder that preparation makes, and whether it is that of a recipe."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docmt.data.report import Report
from docmt.data.settings import DataSettings
from docmt.data.split import Split
from docmt.errors import InputError
from docmt.files import PathLike, open_binary
from docmt.recipes.merging import differences, flat
from docmt.recipes.recipe import Recipe
from docmt.settings import Settings
from docmt.text.pipeline import Pipeline
from docmt.text.settings import TextSettings
from docmt.wording import first_few

TEXT, REPORT, SETTINGS = "text", "report.json", "settings.json"
CONTENTS = re.compile(
    rf"{TEXT}|{re.escape(REPORT)}|{re.escape(SETTINGS)}|(valid|test|train(-[a-z0-9-]+)?)\.parquet"
)
"""The names of all that a prepared folder may hold."""


class PreparedSettings(Settings):
    """The keys of a recipe that decide what preparation makes."""

    data: DataSettings
    """The corpus."""

    text: TextSettings
    """The text pipeline."""

    @classmethod
    def of(cls, recipe: Recipe) -> PreparedSettings:
        """Those of a recipe. Where the folder is does not change what is in it."""
        return cls(data=recipe.data.model_copy(update={"prepared": None}), text=recipe.text)


@dataclass(frozen=True, eq=False)
class PreparedCorpus:
    """A prepared corpus.

    Attributes:
        directory: the folder.
        settings: what it was made of.
        report: what came of it.
        pipeline: the text pipeline of its tokens.
    """

    directory: Path
    settings: PreparedSettings
    report: Report
    pipeline: Pipeline

    @classmethod
    def load(cls, directory: PathLike) -> PreparedCorpus:
        """Open a folder; splits are read when they are asked for.

        Raises:
            InputError: it is not a folder that `docmt prepare` made.
        """
        directory = Path(directory)
        if not (directory / SETTINGS).is_file():
            raise InputError(
                "not a folder that docmt prepare made", path=directory,
                cure="Make one with `docmt prepare RECIPE --output FOLDER`",
            )  # fmt: skip
        return cls(
            directory,
            PreparedSettings.read(read_json(directory / SETTINGS), path=directory / SETTINGS),
            Report.read(read_json(directory / REPORT), path=directory / REPORT),
            Pipeline.load(directory / TEXT),
        )

    def split(self, name: str) -> Split:
        """One of `train`, `valid`, `test` and, for each `data.additional.NAME`, `train-NAME`.

        Raises:
            InputError: the recipe it was prepared from has no such split, or its file is damaged.
        """
        if name not in self.report.splits:
            raise InputError(
                f"there is no split {name!r}, only {', '.join(self.report.splits)}",
                path=self.directory, cure=f"Set data.{name} in the recipe and prepare again",
            )  # fmt: skip
        return Split(self.directory / f"{name}.parquet")

    def check(self, recipe: Recipe) -> None:
        """Check that the folder is what preparing this recipe would make.

        Raises:
            InputError: keys of `data` or `text` differ; the first five are named with both values.
        """
        wanted = PreparedSettings.of(recipe)
        keys = differences(self.settings, wanted)
        if keys:
            here, there = (flat(s.model_dump(mode="json")) for s in (wanted, self.settings))
            each = [f"{k} is {shown(here, k)} but was {shown(there, k)}" for k in keys]
            raise InputError(
                f"prepared with other settings: {first_few(each, 5)}", path=self.directory,
                cure="Prepare again, or set these keys as they were",
            )  # fmt: skip


def shown(values: dict[str, Any], key: str) -> str:
    """A value as a user writes it."""
    return json.dumps(values[key], ensure_ascii=False) if key in values else "not set"


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file of docmt's own.

    Raises:
        InputError: the file is missing or holds no JSON object.
    """
    with open_binary(path) as stream:
        raw = stream.read()
    try:
        values = json.loads(raw)
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise InputError("not as docmt prepare writes it", path=path, cure="Prepare again")
    return values
