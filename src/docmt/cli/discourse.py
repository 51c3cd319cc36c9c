"""`docmt discourse`: pronouns, lexical consistency and discourse markers in translations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from docmt.cli._arguments import CategoryLists, DocumentIds, LineBoundaries, category_settings
from docmt.cli._terminal import note, output_console
from docmt.errors import InputError

if TYPE_CHECKING:
    from docmt.evaluation.discourse import AlignDocuments, PronounSettings, SystemScores


def discourse(
    hypothesis: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Translation to score: a line file, `.tsv`, `.jsonl` or `.parquet`; `-` is "
            "standard input.",
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Source text. Default: the source side of the translation's file, if it has one.",
        ),
    ] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Reference, for `apt` and `blonde`; repeat the option for several, of which `apt` "
            "compares with the first.",
        ),
    ] = None,
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Another system's translation to compare with; repeat the option for several.",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="`apt`, `ltcr`, `most-frequent`, `term-accuracy` or `blonde`; repeat the option "
            "for several. Default: all that the files allow.",
        ),
    ] = None,
    source_language: Annotated[
        str | None, typer.Option(metavar="CODE", help="Source language. Default: the run's.")
    ] = None,
    language: Annotated[
        str | None, typer.Option(metavar="CODE", help="Target language. Default: the run's.")
    ] = None,
    run: Annotated[
        str | None, typer.Option(metavar="DIR", help="Run directory that names the languages.")
    ] = None,
    boundaries: LineBoundaries = None,
    docids: DocumentIds = None,
    tokenized: Annotated[
        bool,
        typer.Option("--tokenized", help="The words of all files are what stands between spaces."),
    ] = False,
    alignment: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Word alignment of the source and the translation, in the Pharaoh format "
            "(`0-0 1-2`); needs `--tokenized`. Default: docmt aligns.",
        ),
    ] = None,
    baseline_alignment: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="The same of each `--baseline`, in the same order."),
    ] = None,
    reference_alignment: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Word alignment of the source and the reference, for `apt`."
        ),
    ] = None,
    alignment_corpus: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A corpus with both languages (`.tsv`, `.jsonl`, `.parquet`) from which docmt's "
            "aligner learns as well.",
        ),
    ] = None,
    alignment_run: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Align words by the attention of this run, in the place of docmt's aligner.",
        ),
    ] = None,
    alignment_layer: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            min=0,
            help="Decoder layer of `--alignment-run`, from 0. Default: the one that agrees best "
            "with docmt's aligner on the run's validation split.",
        ),
    ] = None,
    alignment_step: Annotated[
        Literal["input", "output"] | None,
        typer.Option(
            help="The decoder's step that stands for a target token: whose input it is, or whose "
            "output. Default: chosen as the layer is."
        ),
    ] = None,
    pronoun: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD",
            help="Source pronoun that `apt` scores; repeat the option for several. Default: all "
            "personal, possessive and reflexive pronouns of the language.",
        ),
    ] = None,
    target_pronoun: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD",
            help="Target pronoun that `apt` tells from others; repeat the option for several. "
            "Default: the pronouns of the language.",
        ),
    ] = None,
    equivalent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD,WORD",
            help="Target pronouns that may stand for each other, for `apt`; repeat the option for "
            "several groups.",
        ),
    ] = None,
    weights: Annotated[
        str,
        typer.Option(
            metavar="W,W,W,W,W,W",
            help="The weights of the six cases of `apt`; `-` leaves the pronouns of a case out.",
        ),
    ] = "1,0.5,0,0,0,0",
    terms: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Terms, one on each line, with a tab and the translation if it is known. Default: "
            "the content words that a document repeats.",
        ),
    ] = None,
    match: Annotated[
        Literal["stem", "exact"],
        typer.Option(help="When translations of a term are alike: by stems, or word for word."),
    ] = "stem",
    lowercase: Annotated[
        bool,
        typer.Option("--lowercase", help="Ignore case in n-grams, of `blonde` and with `--where`."),
    ] = False,
    where: Annotated[
        bool,
        typer.Option(
            "--where",
            help="Instead: s-BLEU and s-chrF, or the `--metric` of `docmt evaluate`, by category "
            "of the source sentence: those with an ambiguous pronoun, with a term that occurred "
            "before, with an ellipsis, and the rest.",
        ),
    ] = False,
    category_lists: CategoryLists = None,
    occurrences: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Also write each pronoun and term with its translations, as JSON lines.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the scores to standard output as JSON.")
    ] = False,
) -> None:
    """Measure pronouns, lexical consistency and discourse markers in translations.

    `apt` is the accuracy of pronoun translation, `ltcr` and `most-frequent` say how consistently
    terms are translated, `term-accuracy` whether they are translated as a list says, and `blonde`
    compares pronouns, verbs, discourse markers and n-grams with the reference. With `--baseline`,
    also test whether the difference from another system could be chance. With `--where`, say
    instead in which sentences a translation is better.
    """
    if hypothesis is None:
        raise InputError("there is no --hypothesis to score", cure="Name a translation")
    from docmt.evaluation.discourse import DiscourseOptions, evaluate_discourse, evaluate_where
    from docmt.evaluation.discourse.discourse_tables import print_discourse, print_where

    categories = category_settings(category_lists, where=where)
    if categories is not None:
        found = evaluate_where(
            hypothesis,
            reference or [],
            languages=_languages(run, source_language, language),
            source=source,
            baselines=baseline or [],
            metrics=metric,
            settings=categories,
            tokenized=tokenized,
            lowercase=lowercase,
            boundaries=boundaries,
            docids=docids,
            note=note,
        )
        if as_json:
            typer.echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=2))
        else:
            print_where(found, output_console())
        return
    settings = _pronouns(pronoun, target_pronoun, equivalent, weights)
    evaluation = evaluate_discourse(
        hypothesis,
        reference or [],
        source=source,
        baselines=baseline or [],
        align=_aligner(alignment_run, alignment_layer, alignment_step, alignment_corpus),
        options=DiscourseOptions(
            languages=_languages(run, source_language, language),
            metrics=metric,
            tokenized=tokenized,
            boundaries=boundaries,
            docids=docids,
            alignment=alignment,
            baseline_alignments=baseline_alignment or (),
            reference_alignment=reference_alignment,
            alignment_corpus=alignment_corpus,
            pronouns=settings,
            terms=terms,
            match=match,
            lowercase=lowercase,
        ),
        note=note,
    )
    if occurrences is not None:
        _write_occurrences(evaluation.systems, occurrences)
    if as_json:
        typer.echo(json.dumps(evaluation.to_dict(), ensure_ascii=False, indent=2))
        return
    print_discourse(evaluation, output_console())


def _aligner(
    run: str | None, layer: int | None, step: Literal["input", "output"] | None, corpus: str | None
) -> AlignDocuments | None:
    """What aligns words by the attention of a run, if there is one.

    Raises:
        InputError: it cannot be used, or options have no effect.
    """
    if run is None:
        for name, value in (("layer", layer), ("step", step)):
            if value is not None:
                raise InputError(
                    f"--alignment-{name} has no effect without --alignment-run",
                    cure="Add --alignment-run DIR, or leave it out",
                )
        return None
    if corpus is not None:
        raise InputError(
            "--alignment-corpus has no effect with --alignment-run", cure="Leave one of them out"
        )
    from functools import partial

    from docmt.alignment.tuning import align_by_attention, chosen_aligner

    return partial(align_by_attention, chosen_aligner(run, layer=layer, step=step, note=note))


def _languages(
    run: str | None, source_language: str | None, language: str | None
) -> tuple[str, str]:
    """The codes of the source and of the target language.

    Raises:
        InputError: they are not known, or not codes.
    """
    from docmt.text import check_language_code

    if run is not None and not (source_language and language):
        from docmt.runs import Run

        data = Run.load(run).recipe.data
        source_language = source_language or data.source_language
        language = language or data.target_language
    if not source_language or not language:
        raise InputError(
            "the languages are not known",
            cure="Add --source-language and --language, such as en and de, or --run DIR",
        )
    return check_language_code(source_language), check_language_code(language)


def _pronouns(
    source: Sequence[str] | None,
    target: Sequence[str] | None,
    equivalent: Sequence[str] | None,
    weights: str,
) -> PronounSettings:
    """The settings of APT.

    Raises:
        InputError: the weights are not six numbers from 0 to 1 or hyphens.
    """
    from docmt.evaluation.discourse import PronounSettings

    try:
        parsed = tuple(None if w.strip() == "-" else float(w) for w in weights.split(","))
    except ValueError:
        raise InputError(
            f"--weights: {weights!r} is not a list of numbers", cure="Write 1,0.5,0,0,0,0"
        ) from None
    return PronounSettings(
        source=source,
        target=target,
        equivalent=[[word.strip() for word in group.split(",")] for group in equivalent or ()],
        weights=parsed,
    )


def _write_occurrences(systems: Sequence[SystemScores], path: str) -> None:
    """Write all pronouns and terms with their translations."""
    from docmt.files import write_text

    lines = [
        json.dumps({"system": system.name, "metric": score.name, **occurrence}, ensure_ascii=False)
        for system in systems
        for score in system.scores
        for occurrence in score.occurrences
    ]
    write_text(path, "".join(f"{line}\n" for line in lines))
