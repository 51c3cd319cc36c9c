"""`docmt calibrate`: how probable the translations of a run usually are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from docmt.cli.arguments import LineOptions, RunDirectory
from docmt.cli.options import Options
from docmt.cli.terminal import inform

_LINES = Options("Corpus", fields_of=LineOptions)


def calibrate(
    *,
    run: RunDirectory,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            rich_help_panel="Corpus",
            help="Text of the kind that the run translates, in its source language: a line file or "
            "a corpus. Default: the run's validation split.",
        ),
    ] = None,
    lines: Annotated[Mapping[str, Any], _LINES],
) -> None:
    """Learn which translations are improbable, and write the threshold into the run
    (`thresholds.json`).

    `docmt translate` warns about sentences with a lower mean log-probability per token than 97 in
    100 of the translations of some 1,000 sentences. `docmt train` calibrates the run at the end.
    """
    from docmt_files.base.errors import InputError
    from docmt_nmt import corpora
    from docmt_nmt.runs.bundled import check_not_bundled
    from docmt_nmt.runs.system_run import SystemRun
    from docmt_nmt.training import calibration

    check_not_bundled(run)
    documents = None if source is None else corpora.read(source, **lines)
    threshold = calibration.calibrate(SystemRun.load(run), documents)
    if threshold is None:
        raise InputError(
            f"has fewer than {calibration.MIN_SENTENCES} sentences, too few to tell improbable "
            "translations",
            path=source or run,
            cure=f"Give `source`, a text of some {calibration.MAX_SENTENCES:,} sentences",
            parameters=("source",),
        )
    inform(f"docmt: translations below {threshold:.2f} per token are improbable from now on")
