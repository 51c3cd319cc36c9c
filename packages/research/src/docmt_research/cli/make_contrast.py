"""`docmt make-contrast`: make a contrastive suite of dropped pronouns from a parallel corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from docmt.cli.arguments import CorpusOptions
from docmt.cli.options import Options
from docmt.cli.terminal import note, output_console


@dataclass(frozen=True, slots=True)
class LanguageOptions:
    """Options about the languages and their pronouns."""

    source_language: Annotated[str, typer.Option(metavar="CODE")]
    """Language of the source, which leaves pronouns out."""

    target_language: Annotated[str, typer.Option(metavar="CODE")]
    """Language of the translation."""

    table: Annotated[str | None, typer.Option(metavar="FILE")] = None
    """TOML file with the pronouns of both languages and the rules of exchange for the target.
    Default: the table bundled with docmt (zh-en)."""


@dataclass(frozen=True, slots=True)
class CaseOptions:
    """Options about the cases."""

    context: Annotated[int, typer.Option(metavar="NUMBER", min=0)] = 10
    """Maximum number of context sentences in a case."""

    most: Annotated[int | None, typer.Option(metavar="NUMBER", min=1)] = None
    """Most cases of each pronoun of a pair, drawn at random. Default: all."""

    overt: bool = False
    """Take sentences with this pronoun and no other in the source: a control, decided by the
    sentence alone."""

    seed: Annotated[int, typer.Option(metavar="NUMBER", min=0)] = 1
    """Seed of the draw."""


def make_contrast(
    *,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Suite to write, as JSON lines (`.jsonl`) for `docmt contrast`.",
        ),
    ],
    languages: Annotated[LanguageOptions, Options("Languages")],
    cases: Annotated[CaseOptions, Options("Cases")],
    corpus: Annotated[CorpusOptions, Options("Corpus")],
) -> None:
    """Make a contrastive suite from a parallel corpus: sentences without the translation's pronoun
    in the source. A wrong candidate has another pronoun in the place of the right one.

    For each pair of pronouns, both have the same number of cases, also among the cases with the
    same word after the pronoun, among questions, and among those whose context says the same
    pronoun last: a system without context has little to go by, and repeating is right in half.
    """
    from rich.table import Table

    from docmt_files.base.errors import InputError
    from docmt_research.suites import SuiteSettings, make_suite, read_table, write_suite

    if not output.endswith(".jsonl"):
        raise InputError(f"{output!r} does not end in .jsonl", cure="Name the suite NAME.jsonl")
    corpus.check_output(output)
    pronouns = read_table((languages.source_language, languages.target_language), languages.table)
    settings = SuiteSettings(
        context=cases.context, most=cases.most, overt=cases.overt, seed=cases.seed
    )
    suite = make_suite(corpus.documents(), pronouns, settings)
    write_suite(suite, output)
    table = Table("right", "wrong", "found", "kept")
    kept = suite.kept()
    for pair, count in sorted(suite.found.items()):
        table.add_row(*pair, f"{count:,}", f"{kept[':'.join(pair)]:,}")
    output_console().print(table)
    far = sum(case.distance is None for case in suite.cases)
    note(
        f"{len(suite.cases):,} cases; in {far:,} the context of up to {cases.context} sentences "
        "does not have the pronoun"
    )
