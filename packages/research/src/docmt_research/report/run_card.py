"""The card of a report: what a reader of a paper must know about the runs, as Markdown.

A card has the systems, their data and its overlap with the test data, the hardware and time of
training, and every score with its signature. What is not known is said not to be.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment

from docmt_nmt.data.corpus_report import OverlapReport, SplitReport
from docmt_nmt.data.parallel_corpus import PreparedCorpus
from docmt_nmt.recipes import BaseRecipe
from docmt_nmt.runs.run import read_recipe
from docmt_research.analysis.run_stages import run_stages
from docmt_research.report.collect import ReportData
from docmt_research.report.run_summaries import RunSummary

_SPLITS = ("train", "valid", "test")
_PACKAGES = ("docmt-nmt", "docmt-research", "torch", "transformers", "sacrebleu")


@dataclass(frozen=True, slots=True)
class RunData:
    """The data of a run, or of one of its stages.

    Attributes:
        stages: the names of the stages with this data; none of a run without stages.
        files: the files of each split; of additional training corpora, too.
        sizes: by split, the documents, sentences and tokens; nothing where the corpus is gone.
        overlap: by split, the sentences of a split that are in the training text, too.
    """

    stages: Sequence[str]
    files: Mapping[str, str]
    sizes: Mapping[str, SplitReport]
    overlap: Mapping[str, OverlapReport]


def run_data(summary: RunSummary) -> list[RunData]:
    """The data of a run, of each stage where it is another's; nothing of a translation in a
    file."""
    directory = Path(summary.directory)
    if not directory.is_dir():
        return []
    stages = run_stages(directory)
    found: list[RunData] = []
    prepared: Path | None = None
    for stage in stages:
        recipe = read_recipe(stage)
        own = Path(recipe.data.prepared or stage / "data")
        if own.is_dir():
            prepared = own
        elif found and found[-1].files != _files(recipe):
            prepared = None  # Else a stage reads the corpus of the one before.
        report = PreparedCorpus.load(prepared).report if prepared else None
        name = "the run itself" if stage == directory else stage.name
        one = RunData(
            [name] if len(stages) > 1 else [],
            _files(recipe),
            report.splits if report else {},
            report.overlap if report else {},
        )
        if found and replace(found[-1], stages=one.stages) == one:
            found[-1] = replace(one, stages=[*found[-1].stages, name])
        else:
            found.append(one)
    return found


def _files(recipe: BaseRecipe) -> dict[str, str]:
    """The files of each split."""
    corpora = {name: getattr(recipe.data, name) for name in _SPLITS}
    corpora |= {f"train-{name}": corpus for name, corpus in recipe.data.additional.items()}
    return {
        name: " and ".join(filter(None, (corpus.source, corpus.target)))
        for name, corpus in corpora.items()
        if corpus is not None
    }


def render_card(data: ReportData, energy: str | None = None) -> str:
    """The card of a report, as Markdown.

    Args:
        data: the report.
        energy: the energy of all trainings in words, as somebody has measured it.
    """
    environment = Environment(autoescape=False, trim_blocks=True, lstrip_blocks=True)
    environment.filters["cell"] = _cell
    template = environment.from_string(
        (files("docmt_research.report") / "card.md.j2").read_text(encoding="utf-8")
    )
    return template.render(
        data=data,
        data_of={run.name: run_data(run) for run in data.runs},
        energy=energy,
        python=platform.python_version(),
        versions={name: found for name in _PACKAGES if (found := _version(name))},
    )


def _cell(value: object) -> str:
    """A text in a cell of a table."""
    return " ".join(str(value).split()).replace("\\", "\\\\").replace("|", "\\|")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
