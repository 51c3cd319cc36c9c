"""`docmt discourse`: pronouns, lexical consistency and discourse markers in translations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from docmt.cli.arguments import TableFile
from docmt.cli.options import Options
from docmt.cli.terminal import note, print_json, writing_tables
from docmt_files.base.errors import InputError
from docmt_files.storage.json_files import json_text
from docmt_research.cli.category_options import CategoryOptions
from docmt_research.discourse import (
    AlignDocuments,
    DiscourseOptions,
    PronounSettings,
    SystemScores,
    evaluate_discourse,
    evaluate_where,
)

if TYPE_CHECKING:
    from rich.console import Console

    from docmt_research.discourse import DiscourseEvaluation, WhereEvaluation

_FILE = typer.Option(metavar="FILE")


@dataclass(frozen=True, slots=True)
class FileOptions:
    """Options for the texts."""

    hypothesis: Annotated[str | None, _FILE] = None
    """Translation to score: a line file, `.tsv`, `.jsonl` or `.parquet`; `-` is standard input."""

    source: Annotated[str | None, _FILE] = None
    """Source text. Default: the source side of the translation's file, if it has one."""

    reference: Annotated[tuple[str, ...], _FILE] = ()
    """Reference, for `apt` and `blonde`; repeat the option for several, of which `apt` compares
    with the first."""

    baseline: Annotated[tuple[str, ...], _FILE] = ()
    """Another system's translation to compare with; repeat the option for several."""

    def check(self, output: str | None, table: str | None) -> str:
        """Check the texts, and return the translation to score.

        Raises:
            InputError: there is none, or `output` or `table` is one of the texts.
        """
        from docmt.output.table_files import check_table_file
        from docmt_files.storage.files import check_not_an_input

        if self.hypothesis is None:
            raise InputError(
                "there is no `hypothesis` to score",
                cure="Name a translation",
                parameters=("hypothesis",),
            )
        texts = (self.hypothesis, self.source, *self.reference, *self.baseline)
        check_not_an_input(output, texts)
        check_table_file(table, (*texts, output))
        return self.hypothesis


@dataclass(frozen=True, slots=True)
class LanguageOptions:
    """Options for the languages of the texts."""

    source_language: Annotated[str | None, typer.Option(metavar="CODE")] = None
    """Source language. Default: the run's."""

    language: Annotated[str | None, typer.Option(metavar="CODE")] = None
    """Target language. Default: the run's."""

    run: Annotated[str | None, typer.Option(metavar="DIR")] = None
    """Run directory with the languages."""

    def codes(self) -> tuple[str, str]:
        """The codes of the source and of the target language.

        Raises:
            InputError: they are not known, or not codes.
        """
        from docmt_files.base.languages import check_language_code

        source, target = self.source_language, self.language
        if self.run is not None and not (source and target):
            from docmt_nmt.runs.run import read_recipe

            data = read_recipe(self.run).data
            source, target = source or data.source_language, target or data.target_language
        if not source or not target:
            raise InputError(
                "the languages are not known",
                cure="Add `source_language` and `language`, such as en and de, or `run=DIR`",
                parameters=("source_language", "language", "run=DIR"),
            )
        return check_language_code(source), check_language_code(target)


@dataclass(frozen=True, slots=True)
class AttentionOptions:
    """Options of an alignment by attention."""

    alignment_run: Annotated[str | None, typer.Option(metavar="DIR")] = None
    """Align words by the attention of this run, in the place of docmt's aligner."""

    alignment_layer: Annotated[int | None, typer.Option(metavar="NUMBER", min=0)] = None
    """Decoder layer of `alignment_run`, from 0. Default: the layer with the best agreement with
    docmt's aligner on the run's validation split."""

    alignment_step: Literal["input", "output"] | None = None
    """The decoder step of a target token: the step with the token as input, or as output. Default:
    chosen together with the layer."""

    def aligner(self, corpus: str | None) -> AlignDocuments | None:
        """The aligner by the attention of a run, if there is one.

        Raises:
            InputError: it cannot be used, or options have no effect.
        """
        layer, step = self.alignment_layer, self.alignment_step
        if self.alignment_run is None:
            for name, value in (("layer", layer), ("step", step)):
                if value is not None:
                    raise InputError(
                        f"`alignment_{name}` has no effect without `alignment_run`",
                        cure="Add `alignment_run=DIR`, or leave it out",
                        parameters=(f"alignment_{name}", "alignment_run", "alignment_run=DIR"),
                    )
            return None
        if corpus is not None:
            raise InputError(
                "`alignment_corpus` has no effect with `alignment_run`",
                cure="Leave one of them out",
                parameters=("alignment_corpus", "alignment_run"),
            )
        from functools import partial

        from docmt_research.analysis.alignment_tuning import align_by_attention, chosen_aligner

        aligner = chosen_aligner(self.alignment_run, layer=layer, step=step, note=note)
        return partial(align_by_attention, aligner)


@dataclass(frozen=True, slots=True)
class PronounOptions:
    """Options of `apt`."""

    pronoun: Annotated[tuple[str, ...], typer.Option(metavar="WORD")] = ()
    """Source pronoun to score by `apt`; repeat the option for several. Default: all personal,
    possessive and reflexive pronouns of the language."""

    target_pronoun: Annotated[tuple[str, ...], typer.Option(metavar="WORD")] = ()
    """Target pronoun distinguished by `apt`; repeat the option for several. Default: the pronouns
    of the language."""

    equivalent: Annotated[tuple[str, ...], typer.Option(metavar="WORD,WORD")] = ()
    """Interchangeable target pronouns, for `apt`; repeat the option for several groups."""

    weights: Annotated[str, typer.Option(metavar="W,W,W,W,W,W")] = "1,0.5,0,0,0,0"
    """The weights of the six cases of `apt`; `-` leaves the pronouns of a case out."""

    def settings(self) -> PronounSettings:
        """The settings of APT.

        Raises:
            InputError: the weights are not six numbers from 0 to 1 or hyphens.
        """
        try:
            weights = [None if w.strip() == "-" else float(w) for w in self.weights.split(",")]
        except ValueError:
            raise InputError(
                f"`weights`: {self.weights!r} is not a list of numbers",
                cure="Write 1,0.5,0,0,0,0",
                parameters=("weights",),
            ) from None
        return PronounSettings(
            source=self.pronoun or None,
            target=self.target_pronoun or None,
            equivalent=[[w.strip() for w in group.split(",")] for group in self.equivalent],
            weights=tuple(weights),
        )


def _of_texts(panel: str, *names: str, **details: Any) -> Options:
    """A group of options from fields of `DiscourseOptions`."""
    files = dict.fromkeys(("docids", "reference_alignment", "alignment_corpus", "terms"), _FILE)
    return Options(panel, fields_of=DiscourseOptions, only=names, details=files | details)


_METRICS = _of_texts(
    "Metrics", "metrics", "match", "lowercase", metrics=typer.Option("--metric", metavar="NAME")
)
_WORDS = _of_texts(
    "Texts", "boundaries", "docids", "tokenized", "terms", boundaries=typer.Option(metavar="NAME")
)
_FREE = _of_texts("Free translations", "realign", "encoder", encoder=typer.Option(metavar="MODEL"))
_ALIGNMENT = _of_texts(
    "Word alignment",
    "alignment",
    "baseline_alignments",
    "reference_alignment",
    "alignment_corpus",
    alignment=_FILE,
    baseline_alignments=typer.Option("--baseline-alignment", metavar="FILE"),
)
_OF_CATEGORIES = ("metrics", "tokenized", "lowercase", "boundaries", "docids", "realign", "encoder")
"""Settings of the texts used for scores by category as well."""

_CATEGORIES = Options(
    "Categories",
    details={
        "where": typer.Option(
            help="Instead: s-BLEU and s-chrF, or the `metrics` of `docmt evaluate`, by category of "
            "the source sentence: those with an ambiguous pronoun, with a term that occurred "
            "before, with an ellipsis, and the rest."
        )
    },
)


def discourse(
    *,
    files: Annotated[FileOptions, Options("Texts")],
    words: Annotated[Mapping[str, Any], _WORDS],
    languages: Annotated[LanguageOptions, Options("Texts")],
    free: Annotated[Mapping[str, Any], _FREE],
    metrics: Annotated[Mapping[str, Any], _METRICS],
    pronouns: Annotated[PronounOptions, Options("Pronouns")],
    alignment: Annotated[Mapping[str, Any], _ALIGNMENT],
    attention: Annotated[AttentionOptions, Options("Word alignment")],
    categories: Annotated[CategoryOptions, _CATEGORIES],
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
    table: TableFile = None,
) -> None:
    """Measure pronouns, lexical consistency and discourse markers in translations.

    `apt` is the accuracy of pronoun translation, `ltcr` and `most-frequent` say how consistently
    terms are translated, `term-accuracy` whether they are translated as a list says, and `blonde`
    compares pronouns, verbs, discourse markers and n-grams with the reference. With `--baseline`,
    also test whether the difference from another system could be chance. With `--where`, say
    instead in which sentences a translation is better. With `--realign`, translations need not have
    a sentence for each sentence of the reference.
    """
    from docmt_research.discourse.discourse_tables import print_discourse, print_where

    hypothesis = files.check(occurrences, table)
    texts: dict[str, Any] = {"source": files.source, "baselines": files.baseline, "note": note}
    by_category = categories.settings()
    if by_category is not None:
        given = {**metrics, **words, **free}
        texts |= {name: given[name] for name in _OF_CATEGORIES if name in given}
        where = evaluate_where(
            hypothesis, files.reference, languages=languages.codes(), settings=by_category, **texts
        )
        _finish(where, print_where, table, as_json=as_json)
        return
    evaluation = evaluate_discourse(
        hypothesis,
        files.reference,
        align=attention.aligner(alignment.get("alignment_corpus")),
        options=DiscourseOptions(
            languages.codes(), **metrics, **words, **free, **alignment, pronouns=pronouns.settings()
        ),
        **texts,
    )
    if occurrences is not None:
        _write_occurrences(evaluation.systems, occurrences)
    _finish(evaluation, print_discourse, table, as_json=as_json)


def _finish(
    evaluation: DiscourseEvaluation | WhereEvaluation,
    show: Callable[[Any, Console], None],
    table: str | None,
    *,
    as_json: bool,
) -> None:
    """Print the tables of an evaluation, or the values as JSON."""
    if as_json:
        print_json(evaluation.to_dict())
    with writing_tables(table, quiet=as_json) as console:
        show(evaluation, console)


def _write_occurrences(systems: Sequence[SystemScores], path: str) -> None:
    """Write all pronouns and terms with their translations."""
    from docmt_files.storage.files import write_text

    lines = [
        json_text({"system": system.name, "metric": score.name, **occurrence})
        for system in systems
        for score in system.scores
        for occurrence in score.occurrences
    ]
    write_text(path, "".join(f"{line}\n" for line in lines))
