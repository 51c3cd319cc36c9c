"""`docmt contrast`: evaluate a system on contrastive suites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from docmt.cli.arguments import ForcedDecodingPrecision, RunDirectory, TableFile
from docmt.cli.options import Options
from docmt.cli.terminal import note, print_lines, progress_bar, writing_tables
from docmt_files.base.errors import InputError
from docmt_files.storage.json_files import json_text

if TYPE_CHECKING:
    from docmt_research.analysis.contrastive_evaluation import SuiteResult
    from docmt_research.analysis.contrastive_suites import Suite


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """Options for reading suites."""

    context: Annotated[int | None, typer.Option(metavar="NUMBER", min=0)] = None
    """The most sentences of context. Default: all sentences of the suite; for ContraPro, 3."""

    documents: Annotated[str | None, typer.Option(metavar="DIR")] = None
    """For ContraPro, the folder with the documents. Default: `documents/`, beside the suite."""

    detokenize: bool = False
    """Detokenize the suite as Moses does: for tokenized suites, such as the suites of Voita et al.
    2019, with runs on untokenized text."""

    def read(self, suites: Sequence[str], output: str | None, table: str | None) -> list[Suite]:
        """Read suites. A suite must not be an output file.

        Raises:
            InputError: `output` or `table` is a suite, or as `read_suite`.
        """
        from docmt.output.table_files import check_table_file
        from docmt_files.storage.files import check_not_an_input
        from docmt_research.analysis.contrastive_suites import read_suite

        check_not_an_input(output, suites)
        check_table_file(table, (*suites, output))
        return [read_suite(p, documents=self.documents, context=self.context) for p in suites]

    def prepared(self, suite: Suite, languages: tuple[str, str]) -> Suite:
        """Detokenize a suite if asked to, and note what does not fit the languages of a system."""
        from docmt_research.analysis.contrastive_suites import detokenized
        from docmt_research.analysis.suite_cautions import suite_cautions

        suite = detokenized(suite, languages) if self.detokenize else suite
        for text in suite_cautions(suite, languages):
            note(text)
        return suite


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """Options for comparing the run."""

    baseline: Annotated[tuple[str, ...], typer.Option(metavar="DIR")] = ()
    """Another run to compare with, such as a sentence-level one; repeat the option for several."""

    target_context: Literal["reference", "own"] = "reference"
    """For systems that read the translation of the context: the translation in the suite, or their
    own."""

    controls: Annotated[bool, typer.Option("--controls/--no-controls")] = True
    """Also evaluate the run without context, and with the context of other cases."""

    def check(self, run: Path) -> None:
        """Check that a run is compared with others.

        Raises:
            InputError: it is compared with itself.
        """
        if str(run) in self.baseline:
            raise InputError(
                f"{run} is compared with itself",
                cure="Name another run as `baseline`",
                parameters=("baseline",),
            )


def contrast(
    suites: Annotated[
        list[str],
        typer.Argument(
            metavar="SUITE",
            help="A contrastive suite: JSON lines, or the JSON of Voita et al. 2019, of ContraPro "
            "or of Bawden et al. 2018.",
        ),
    ],
    *,
    run: RunDirectory,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Also write everything as JSON, down to the log-probability of each candidate.",
        ),
    ] = None,
    table: TableFile = None,
    precision: ForcedDecodingPrecision = "fp32",
    reading: Annotated[SuiteOptions, Options("Suites")],
    comparing: Annotated[ComparisonOptions, Options("Comparison")],
) -> None:
    """Evaluate a system on contrastive suites: how often it assigns the right translation of a
    sentence in context a higher probability than every other.

    Accuracies are given by phenomenon and distance, with 95 % intervals (Wilson) and, against each
    control and baseline, the p-value of McNemar's test.
    """
    from docmt_files.storage.files import write_text
    from docmt_research.analysis import contrast as evaluate
    from docmt_research.analysis.analysis_tables import suite_lines, suite_table
    from docmt_research.forced_decoding.loading import load_forced_decoder

    read = reading.read(suites, output, table)
    comparing.check(run)
    forced_decoder = load_forced_decoder(run, precision=precision)
    compared = asdict(comparing)
    paths = compared.pop("baseline")
    compared["baselines"] = {path: load_forced_decoder(path, precision=precision) for path in paths}
    results = []
    with writing_tables(table) as console:
        for suite in read:
            suite = reading.prepared(suite, forced_decoder.translator.languages)
            start = monotonic()
            with progress_bar(suite.name) as progress:
                result = evaluate(forced_decoder, suite, **compared, progress=progress)
            seconds = max(monotonic() - start, 1e-9)
            results.append(result)
            console.print(suite_table(result))
            print_lines(console, *suite_lines(result))
            _note_speed(result, seconds)
    if output is not None:
        values = [result.as_dict() | {"run": str(run)} for result in results]
        write_text(output, json_text(values, indent=1) + "\n")


def _note_speed(result: SuiteResult, seconds: float) -> None:
    """Note how many candidates were scored per second."""
    every = (result.decisions, *result.controls)
    decoded = sum(len(of_case) for one in every for of_case in one.log_probabilities)
    note(f"{decoded:,} candidates in {seconds:,.1f} s: {decoded / seconds:,.1f} a second")
