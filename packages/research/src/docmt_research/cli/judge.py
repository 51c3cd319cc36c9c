"""`docmt judge`: let a large language model judge translations of documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.cli.arguments import LineOptions, TableFile
from docmt.cli.options import Options
from docmt.cli.terminal import note, print_lines, progress_bar, writing_tables
from docmt_files.base.errors import InputError
from docmt_files.storage.json_files import json_text
from docmt_research.judging.judge_prompts import JudgeMethod

if TYPE_CHECKING:
    from docmt_research.judging import Judge, JudgeSettings

_FILE = typer.Option(metavar="FILE")


@dataclass(frozen=True, kw_only=True)
class TextOptions(LineOptions):
    """Options for the texts."""

    hypothesis: Annotated[str, _FILE]
    """Translation to judge: a line file, `.tsv`, `.jsonl` or `.parquet`; `-` is standard input."""

    source: Annotated[str | None, _FILE] = None
    """Source text. Default: the source side of the translation's file, if it has one."""

    baseline: Annotated[tuple[str, ...], _FILE] = ()
    """Another system's translation to compare with; repeat the option for several."""

    reference: Annotated[str | None, _FILE] = None
    """Reference, which the judge then reads."""


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """Options for judging translations."""

    method: JudgeMethod = "errors"
    """`errors`: error spans with severities, from which a score is made. `assessment`: a number
    from 0 to 100. `comparison`: which of two translations is better, in both orders."""

    sentences: Annotated[int, typer.Option(metavar="NUMBER", min=1)] = 10
    """Maximum sentences of a passage. The judge reads one passage at a time."""

    context: Annotated[int, typer.Option(metavar="NUMBER", min=0)] = 5
    """Number of sentences before a passage to read with it."""

    repeats: Annotated[int, typer.Option(metavar="NUMBER", min=1)] = 1
    """How often each question is asked, with another seed each time."""

    temperature: Annotated[float | None, typer.Option(metavar="NUMBER", min=0)] = None
    """Temperature of sampling. Default: the run's."""

    seed: Annotated[int, typer.Option(metavar="NUMBER", min=0)] = 0
    """Seed of the first repeat."""

    prompt: Annotated[str | None, _FILE] = None
    """A prompt in the place of docmt's: a Jinja template with the blocks `system` and `user`."""

    def settings(self) -> JudgeSettings:
        """The settings of the judge.

        Raises:
            InputError: a number is not valid.
        """
        from docmt_research.judging import JudgeSettings

        return JudgeSettings(
            self.method, self.sentences, self.context, self.repeats, self.seed, self.prompt
        )


def judge(
    *,
    run: Annotated[
        str, typer.Option(metavar="DIR", help="Run directory of the language model that judges.")
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Also write everything as JSON, by passage."
        ),
    ] = None,
    table: TableFile = None,
    texts: Annotated[TextOptions, Options("Texts")],
    judging: Annotated[JudgeOptions, Options("Judging")],
) -> None:
    """Let a large language model judge translations of documents: by the errors found, by a number,
    or by a preference between two.

    Such scores depend on the model, and favor translations similar to the model's own. Quote them
    with the signature, beside metrics without a model.
    """
    from docmt.output.table_files import check_table_file
    from docmt_files.storage.files import check_not_an_input, write_text
    from docmt_research.discourse.discourse_sides import read_sides
    from docmt_research.judging import judge_systems
    from docmt_research.judging.judge_tables import as_dict, judgment_lines, judgment_table

    named = (texts.hypothesis, texts.source, texts.reference, texts.docids)
    check_not_an_input(output, (*named, *texts.baseline))
    check_table_file(table, (*named, *texts.baseline, output))
    sides = read_sides(
        texts.hypothesis,
        [] if texts.reference is None else [texts.reference],
        source=texts.source,
        baselines=texts.baseline,
        boundaries=texts.boundaries,
        docids=texts.docids,
        note=note,
    )
    if sides.source is None:
        raise InputError(
            "the source is not known", cure="Add `source=FILE`", parameters=("source=FILE",)
        )
    reference = sides.references[0] if sides.references else None
    asked, settings = _open_judge(run, judging.temperature), judging.settings()
    with progress_bar("Judging") as progress:
        found = judge_systems(
            asked, sides.translated, sides.source, reference, settings, progress=progress
        )
    with writing_tables(table) as console:
        console.print(judgment_table(found))
        print_lines(console, *judgment_lines(found))
    if output is not None:
        write_text(output, json_text({"run": run, **as_dict(found)}, indent=1) + "\n")


def _open_judge(run: str, temperature: float | None) -> Judge:
    """The language model of a run as a judge."""
    from docmt_llm.language_model.language_model import LanguageModelTranslator
    from docmt_nmt.runs.open_run import load
    from docmt_nmt.translators.decorator import undecorated
    from docmt_research.judging import Judge

    translator = undecorated(load(run, temperature=temperature))
    if not isinstance(translator, LanguageModelTranslator):
        raise InputError(
            "is not the run of a language model, and only such a model can judge",
            path=run,
            cure="Make one with docmt import language-model or docmt import huggingface",
        )
    return Judge(
        translator.model,
        translator.languages,
        structured=translator.request.structured != "none",
        concurrency=translator.request.concurrency,
    )
