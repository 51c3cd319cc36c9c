"""`PreparedCorpus`: the folder made by `docmt prepare`.

settings.json          the settings of preparation
report.json            the preparation report
text/                  the text pipeline
thresholds.json        limits of usual sentence pairs, learned from the training split
train.parquet, …       the text and the token ids of each split
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from docmt_files.base.errors import InputError
from docmt_files.base.wording import first_few
from docmt_files.storage.files import PathLike
from docmt_files.storage.json_files import read_json
from docmt_nmt.base.settings import Settings, differences, flatten
from docmt_nmt.data.corpus_report import Report
from docmt_nmt.data.data_settings import DataSettings, InstanceSettings
from docmt_nmt.data.split import Split
from docmt_nmt.text import Pipeline, TextSettings
from docmt_nmt.translators.checks.translation_checks import CheckThresholds

TEXT, REPORT, SETTINGS = "text", "report.json", "settings.json"
THRESHOLDS = "thresholds.json"
CONTENTS = re.compile(
    rf"{TEXT}|{re.escape(REPORT)}|{re.escape(SETTINGS)}|{re.escape(THRESHOLDS)}"
    r"|(valid|test|train(-[a-z0-9-]+)?)\.parquet"
)
"""Names of all files a prepared folder may hold."""


_Saved = TypeVar("_Saved", bound=Settings)


class CorpusRecipe(Protocol):
    """The sections of a recipe read by preparation."""

    @property
    def data(self) -> DataSettings:
        """The corpora."""

    @property
    def text(self) -> TextSettings:
        """The text pipeline."""

    @property
    def instances(self) -> InstanceSettings:
        """The way documents are cut, for the report."""


class PreparedSettings(Settings):
    """The sections of a recipe that determine a prepared corpus."""

    data: DataSettings
    """The corpora."""

    text: TextSettings
    """The text pipeline."""

    @classmethod
    def of(cls, recipe: CorpusRecipe) -> PreparedSettings:
        """The settings of a recipe, without settings irrelevant to the contents."""
        return cls(data=recipe.data.of_prepared_corpus, text=recipe.text)


@dataclass(frozen=True, eq=False)
class PreparedCorpus:
    """A prepared corpus.

    Attributes:
        directory: the folder.
        settings: the settings it was made from.
        report: the preparation report.
        pipeline: the text pipeline of the token ids.
        thresholds: limits of usual sentence pairs; None if the corpus has too few pairs.
    """

    directory: Path
    settings: PreparedSettings
    report: Report
    pipeline: Pipeline
    thresholds: CheckThresholds | None = None

    @classmethod
    def load(cls, directory: PathLike) -> PreparedCorpus:
        """Open a folder; splits are read by `split`.

        Raises:
            InputError: the folder was not made by `docmt prepare`, or is damaged.
        """
        directory = Path(directory)
        if not (directory / SETTINGS).is_file():
            raise InputError(
                "not a folder made by docmt prepare",
                path=directory,
                cure="Make one with `docmt prepare RECIPE --output FOLDER`",
            )
        thresholds = directory / THRESHOLDS
        return cls(
            directory,
            _read(PreparedSettings, directory / SETTINGS),
            _read(Report, directory / REPORT),
            Pipeline.load(directory / TEXT),
            _read(CheckThresholds, thresholds) if thresholds.exists() else None,
        )

    def split(self, name: str) -> Split:
        """Read one of the splits `train`, `valid`, `test` and `train-NAME` (see
        `DataSettings.splits`).

        Raises:
            InputError: the recipe of the corpus has no such split, or the split's file is damaged.
        """
        if name not in self.report.splits:
            raise InputError(
                f"there is no split {name!r}, only {', '.join(self.report.splits)}",
                path=self.directory,
                cure=f"Set data.{name} in the recipe and prepare again",
            )
        return Split(self.directory / f"{name}.parquet")

    def check(self, recipe: CorpusRecipe) -> None:
        """Check that preparing this recipe would make the same folder.

        Raises:
            InputError: keys of `data` or `text` differ; the first five are named with both values.
        """
        wanted = PreparedSettings.of(recipe)
        keys = differences(self.settings, wanted)
        if keys:
            new, old = (flatten(s.model_dump(mode="json")) for s in (wanted, self.settings))
            each = [f"{k} is {_format(new, k)} but was {_format(old, k)}" for k in keys]
            raise InputError(
                f"prepared with other settings: {first_few(each, 5)}",
                path=self.directory,
                cure="Prepare again, or change these keys back",
            )


def _format(values: dict[str, Any], key: str) -> str:
    """A value as a user writes it."""
    return json.dumps(values[key], ensure_ascii=False) if key in values else "not set"


def _read(kind: type[_Saved], path: Path) -> _Saved:
    """Read a file of a prepared folder."""
    return kind.read(read_json(path, cure="Prepare again"), path=path)
