"""`docmt report`: a comparison of runs on one page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.cli.arguments import TableFile
from docmt.cli.options import Options
from docmt.cli.terminal import note, note_tables, progress_bar
from docmt_files.base.errors import InputError
from docmt_nmt.base.choices import EvaluationSplit

if TYPE_CHECKING:
    from docmt_research.report import ReportData


@dataclass(frozen=True, slots=True)
class OtherOptions:
    """Options for translations of other systems."""

    translation: Annotated[tuple[str, ...], typer.Option(metavar="NAME=FILE")] = ()
    """A translation of the split by another system, beside the runs; repeat the option for
    several."""

    realign: bool = False
    """The translations are free text, or join sentences: split them into sentences and align these
    with the references and the source, as `docmt evaluate` does."""

    encoder: Annotated[str | None, typer.Option(metavar="MODEL")] = None
    """With `realign`, sentence encoder as for `docmt evaluate`. Default: words and characters are
    compared."""

    def files(self) -> dict[str, str]:
        """The files by the names of their systems.

        Raises:
            InputError: a system has no file or two, or `encoder` has no effect.
        """
        if self.encoder is not None and not self.realign:
            raise InputError(
                "`encoder` has no effect without `realign`",
                cure="Leave it out",
                parameters=("encoder", "realign"),
            )
        found: dict[str, str] = {}
        for option in self.translation:
            name, _, path = option.partition("=")
            if not name or not path or name in found:
                raise InputError(
                    f"`translation` {option!r} does not name a file by a name of its own",
                    cure="Write NAME=FILE, each name once",
                    parameters=("translation",),
                )
            found[name] = path
        return found


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """Options for the measures."""

    split: EvaluationSplit = "test"
    """The split of the runs' corpus to translate and score."""

    metrics: Annotated[tuple[str, ...], typer.Option("--metric", metavar="NAME")] = ()
    """Metric, as for `docmt evaluate`; repeat the option for several. Default: the metrics of the
    first run."""

    comet_model: Annotated[str | None, typer.Option(metavar="NAME")] = None
    """Model of COMET, as for `docmt evaluate`."""

    suite: Annotated[tuple[str, ...], typer.Option(metavar="FILE")] = ()
    """A contrastive suite, as for `docmt contrast`; repeat the option for several."""

    detokenize: bool = False
    """Detokenize the suites as Moses does, as for `docmt contrast`."""

    cxmi: Annotated[tuple[int, ...], typer.Option(metavar="NUMBER", min=1)] = ()
    """Also measure the value of this number of previous sentences, like `docmt cxmi`; repeat the
    option for several."""

    attention: Annotated[str | None, typer.Option(metavar="DOCUMENT")] = None
    """Also measure attention and gates, as `docmt attention` does, and draw the attention of the
    document of this id; needs matplotlib."""

    energy: Annotated[str | None, typer.Option(metavar="TEXT")] = None
    """Energy of the trainings, such as `1.2 kWh by the meter of the machine`, for the card."""


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN", help="Run directories; the others are compared with the first."
        ),
    ],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder for the page (`index.html`), the card (`card.md`), and the translations "
            "and results that they show (`data`).",
        ),
    ],
    table: TableFile = None,
    other: Annotated[OtherOptions, Options("Translations of other systems")],
    measures: Annotated[MeasureOptions, Options("Measures")],
) -> None:
    """Compare runs on one page: scores with significance, contrastive suites, sentences by length
    and position, training curves, and documents side by side, the most different first.

    Beside the page is a card in Markdown for a paper or a repository: systems, data, hardware, time
    and all scores with their signatures.

    The page is one file, readable from disk without a network. Translations are kept beside it: a
    repeated command only does the new work.
    """
    if output.is_file():
        raise InputError(
            "is a file", path=output, cure="Name a folder as `output`", parameters=("output",)
        )

    from docmt.output.table_files import check_table_file
    from docmt_files.storage.files import write_text
    from docmt_research.report import render
    from docmt_research.report.report_tables import report_tables
    from docmt_research.report.run_card import render_card

    check_table_file(table, (*measures.suite, *other.files().values()))
    data = _collected(runs, output, other, measures)
    page, card = output / "index.html", output / "card.md"
    write_text(page, render(data))
    write_text(card, render_card(data, measures.energy))
    if table is not None:
        quoted = (*data.evaluation.scores, *data.evaluation.comparisons)
        note_tables(list(report_tables(data)), table, list(map(str, quoted)))
    for text in data.all_notes:
        note(f"note: {text}")
    note(f"docmt: wrote {page} and {card}")


def _collected(
    runs: list[Path], output: Path, other: OtherOptions, measures: MeasureOptions
) -> ReportData:
    from docmt_research.analysis.contrastive_suites import read_suite
    from docmt_research.report import collect

    return collect(
        runs,
        output,
        split=measures.split,
        metrics=measures.metrics or None,
        comet_model=measures.comet_model,
        suites=[read_suite(path) for path in measures.suite],
        detokenize=measures.detokenize,
        contexts=measures.cxmi,
        drawn=measures.attention,
        translated=other.files(),
        realign=other.realign,
        encoder=other.encoder,
        progress=progress_bar,
    )
