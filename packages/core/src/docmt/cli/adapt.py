"""`docmt adapt`: a model that translates as a person does, from the person's own translations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.cli.arguments import complete_models
from docmt.cli.terminal import INTERRUPTED, NOT_ADOPTED, inform, note, on_terminal, print_table
from docmt.cli.training_progress import training_progress
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted, megabytes

if TYPE_CHECKING:
    from docmt.adapting import Adaptation, Outcome, Verdict
    from docmt.models import InstalledModel, InstalledModels


_START = typer.Argument(
    metavar="MODEL",
    help="Installed model to start from: a pair, such as en-pt, or an adapted model, which "
    "goes on (`docmt models`).",
    autocompletion=complete_models,
)
_INPUTS = typer.Argument(
    metavar="[FILE|FOLDER]...",
    help="Your translations: memories (of docmt, `.tmx`), `.xlf`, `.po`, `.ts`, `.tsv`, "
    "`.jsonl`, edited reviews, or folders of them. In a folder, `guide.en.docx` belongs to "
    "`guide.pt.docx`, and files in `en` to those of the same names in `pt`.",
)
_OUTPUT = typer.Option(
    "--output",
    "-o",
    metavar="NAME",
    help="Name of the adapted model, such as acme. Default: the adapted model itself, "
    "where one goes on.",
    show_default=False,
)
_PAIR = typer.Option(
    metavar="ORIGINAL=TRANSLATION",
    help="A file and its translation, or a folder of originals and a folder of "
    "translations with the same names. May be given several times.",
)
_MINUTES = typer.Option(metavar="NUMBER", min=0.1, help="Maximum minutes of training.")
_KEEP = typer.Option("--keep", help="Make the model even if it is not better, or forgets too much.")
_MEMORY = typer.Option(
    metavar="FILE",
    help="Memory that takes all your translations. Default: NAME.memory, here.",
    show_default=False,
)
_TERMS = typer.Option(
    metavar="FILE",
    help="Table for the terms of your translations, to be corrected. Default: "
    "NAME-terms.tsv, here; a table that is there stays as it is.",
    show_default=False,
)


def adapt(
    start: Annotated[str, _START],
    inputs: Annotated[list[Path] | None, _INPUTS] = None,
    *,
    output: Annotated[str | None, _OUTPUT] = None,
    pair: Annotated[list[str] | None, _PAIR] = None,
    minutes: Annotated[float, _MINUTES] = 10.0,
    keep: Annotated[bool, _KEEP] = False,
    memory: Annotated[Path | None, _MEMORY] = None,
    terms: Annotated[Path | None, _TERMS] = None,
) -> None:
    """Adapt a model to your own translations, and find out whether it is better.

    A tenth of the translations is held out, translated before and after, and the model is made
    only if it translates them better, and general text about as before. It takes some 500 pairs of
    sentences, on this machine alone. Run the same command again to go on after an interruption.
    Exit code 5 says that the model was not made.
    """
    from docmt.adapting import Adaptation
    from docmt.adapting import adapt as adapt_model
    from docmt.models import InstalledModels
    from docmt.models.adding import check_name

    models = InstalledModels.default()
    model = models.named(start)
    name = _name(model, output)
    asked = Adaptation(
        models,
        model,
        check_name(name),
        tuple(inputs or ()),
        tuple(map(_paths, pair or ())),
        minutes,
        keep,
    )
    _check(asked, models)
    try:
        with training_progress(is_terminal=on_terminal(), note=inform) as show:
            outcome = adapt_model(asked, lambda line: inform(f"docmt: {line}"), show)
    except KeyboardInterrupt:
        note("docmt: interrupted; run the same command again to go on")
        raise typer.Exit(INTERRUPTED) from None
    _print_examples(outcome.verdict)
    _print_table(outcome.verdict)
    _put_beside(
        asked, outcome, memory or Path(f"{name}.memory"), terms or Path(f"{name}-terms.tsv")
    )
    if outcome.model is None:
        typer.echo(f"Not made: {outcome.verdict.reason_against}. `--keep` makes it all the same.")
        raise typer.Exit(NOT_ADOPTED)
    kept = outcome.verdict.reason_against
    because = f", although {kept}" if kept else ""
    target = outcome.model.languages[1]
    typer.echo(
        f"Made {name}{because}: {outcome.verdict.summary}, {megabytes(outcome.model.size)}. "
        f"Translate with: docmt translate --to {target} --model {name} INPUT"
    )


def _name(model: InstalledModel, output: str | None) -> str:
    """The name of the model to make."""
    if output is not None:
        return output
    if model.start:
        return model.name
    raise InputError(
        f"an adapted model needs a name, as {model.name} itself stays as it is",
        cure="Add `output=NAME`, such as acme",
        parameters=("output=NAME",),
    )


def _paths(pair: str) -> tuple[Path, Path]:
    """The two paths of an option."""
    original, separator, translation = pair.partition("=")
    if not (original and separator and translation):
        raise InputError(
            f"{pair!r} does not name an original and a translation",
            cure="Write `pair=ORIGINAL=TRANSLATION`",
            parameters=("pair=ORIGINAL=TRANSLATION",),
        )
    return Path(original), Path(translation)


def _check(asked: Adaptation, models: InstalledModels) -> None:
    """Check what is asked for, before anything is read."""
    if not asked.inputs and not asked.pairs:
        raise InputError(
            "nothing is given to adapt to",
            cure="Name files with your translations, or originals and translations as `pair`",
            parameters=("pair",),
        )
    there = models.get(asked.name)
    if there is not None and not there.start:
        raise InputError(
            f"{asked.name} is the name of another model",
            cure="Choose another name",
            parameters=("output",),
        )


def _print_examples(verdict: Verdict) -> None:
    """Print sentences before and after."""
    if verdict.examples:
        typer.echo("Held-out sentences, drawn at random from those that changed:")
    for number, each in enumerate(verdict.examples, start=1):
        typer.echo(f"\n{number:2}. {each.source}")
        typer.echo(f"    before: {each.before}")
        typer.echo(f"    after:  {each.after}")
        typer.echo(f"    yours:  {each.person}")
    typer.echo()


def _print_table(verdict: Verdict) -> None:
    """Print the scores before and after."""
    from docmt_nmt.evaluation import format_p

    rows: list[list[str]] = []
    for each in verdict.comparisons:
        chance = format_p(each.p if each.p is not None else each.bootstrap_p)
        gain = f"{each.difference:+.1f} ({each.low:+.1f} to {each.high:+.1f}, p {chance})"
        name = each.name.removeprefix("s-")
        rows.append([f"your text, {name}", f"{each.baseline:.1f}", f"{each.score:.1f}", gain])
    if uses := verdict.terms.uses:
        before, after = (each / uses for each in (verdict.terms.before, verdict.terms.after))
        change = f"{100 * (after - before):+.0f} points, of {uses:,}"
        rows.append(["your terms kept", f"{before:.0%}", f"{after:.0%}", change])
    general = verdict.general
    if general.sentences:
        changed = f"{general.changed:,} of {general.sentences:,} changed, chrF {general.chrf:.0f}"
        suspicious = str(general.warnings_before), str(general.warnings_after)
        rows.append(["general text, suspicious", *suspicious, changed])
    print_table(["", "before", "after", "change"], rows)
    pairs, documents = counted(verdict.pairs, "pair"), counted(verdict.documents, "document")
    inform(f"docmt: your text: {pairs} of {documents} that the model has not seen")


def _put_beside(asked: Adaptation, outcome: Outcome, memory: Path, terms: Path) -> None:
    """Put the translations into a memory, and the terms into a table."""
    from docmt.adapting.beside import remember
    from docmt.translating.term_candidates import write_candidates

    added, total = remember(memory, outcome.division, asked.start.languages)
    inform(f"docmt: {memory}: {counted(added, 'unit')} new or changed, {total:,} in all (--memory)")
    if terms.exists():
        inform(f"docmt: {terms} is there already and stays as it is")
    elif outcome.terms:
        write_candidates(terms, outcome.terms)
        found = counted(len(outcome.terms), "term")
        inform(f"docmt: {terms}: {found} to be corrected, for --glossary")
