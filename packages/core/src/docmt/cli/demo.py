"""`docmt demo`: translate bundled files and compare documents with single sentences, or train on
the bundled corpus."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.cli.terminal import inform, note, output_console, progress_bar
from docmt_files.base.errors import InputError
from docmt_nmt.base.extras import TRAIN
from docmt_nmt.runs.bundled import DEFAULT

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from docmt.translating.context_changes import ContextChange
    from docmt_files.base.documents import Document
    from docmt_nmt.decoding import BeamSearchTranslator

_RECIPE = "demo-g-transformer-finetuned"
_FILES = ("guide.md", "video.srt")
_TEST_SET = "manuals"
_LOG_WIDTH = 120
"""Width of the tables if standard output is not a terminal."""

_SHOWN_SENTENCES = 12
"""Approximate number of sentences of the document shown after a training."""

_SHOWN_CHANGES = 8
"""Maximum number of sentences shown of the test set."""


def demo(
    *,
    train: Annotated[
        bool,
        typer.Option(
            "--train",
            help="Train a small system on the bundled corpus (some minutes), then translate and "
            "score the test split.",
        ),
    ] = False,
    recipe: Annotated[
        str | None,
        typer.Option(
            metavar="RECIPE",
            help="With `--train`, the recipe: a bundled one or a YAML file, with a test split. "
            f"Default: {_RECIPE}.",
        ),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(
            help="Run directory of another English to German system to show. With `--train`, the "
            "run directory to train in. Default: the bundled model, or runs/ and the recipe's name."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder for the translated files. Default: `demo`.",
        ),
    ] = None,
) -> None:
    """Translate a page and subtitles, compare documents of a test set with their sentences alone,
    and score both.

    All files come with docmt. With `--train`, run the command again to resume an interrupted
    training; a finished run is not trained again.
    """
    if train:
        if output is not None:
            raise InputError("--output is not for --train", cure="Leave it out")
        recipe = recipe or _RECIPE
        _train(recipe, run or Path("runs") / Path(recipe).stem)
    elif recipe is not None:
        raise InputError("--recipe is for --train", cure="Add --train, or leave it out")
    else:
        _show(run or Path(DEFAULT), output or Path("demo"))


def _show(run: Path, output: Path) -> None:
    """Translate the bundled files into a folder, and compare documents with single sentences."""
    from docmt.translating import translate_files
    from docmt_files.storage.files import read_bytes, write_text
    from docmt_nmt.corpora.demo import file_to_translate
    from docmt_nmt.decoding import BeamSearchTranslator

    console = _console()
    translator = BeamSearchTranslator.load(run)
    language = translator.pipeline.languages[1]
    inputs = [output / name for name in _FILES]
    outputs = [path.with_suffix(f".{language}{path.suffix}") for path in inputs]
    texts = {path: file_to_translate(path.name).read_text("utf-8") for path in inputs}
    for path, translated in zip(inputs, outputs, strict=True):
        is_ours = path.exists() and read_bytes(path) == texts[path].encode()
        for file in (path, translated):
            if file.exists() and not is_ours:
                raise InputError(
                    "is there already, and is not the demo's",
                    path=file,
                    cure="Choose another folder with --output",
                )
    for path, text in texts.items():
        write_text(path, text)
    names = [[str(path) for path in paths] for paths in (inputs, outputs)]
    translate_files(translator, *names, progress=progress_bar, note=note)
    for path in (path for pair in zip(inputs, outputs, strict=True) for path in pair):
        console.rule(str(path), align="left")
        console.print(path.read_text("utf-8"), markup=False, highlight=False)
    if find_spec("sacrebleu") is None:
        inform(f"docmt: a test set is scored, too, after `pip install '{TRAIN}'`")
        return
    _compare(translator, console)


def _compare(translator: BeamSearchTranslator, console: Console) -> None:
    """Translate the test set as documents, sentence by sentence and, as a control, as documents of
    random sentences; show the differences between the first two, and score both."""
    from docmt.output.score_tables import print_evaluation
    from docmt.translating.context_changes import (
        context_changes,
        translate_alone,
        translate_among_others,
    )
    from docmt_nmt import corpora
    from docmt_nmt.corpora.demo import corpus_file
    from docmt_nmt.evaluation import MetricSettings, evaluate_with_baselines
    from docmt_nmt.translators import translate

    paths = [corpus_file(f"{_TEST_SET}.{part}.xz") for part in ("en", "de", "docids")]
    references = list(corpora.read(*paths[:2], docids=paths[2]))
    with progress_bar("translating a test set") as progress:
        translations = translate(translator, references, progress=progress)
    with progress_bar("translating its sentences alone") as progress:
        alone = translate_alone(translator, references, progress)
    with progress_bar("translating them among those of other documents") as progress:
        among_others = translate_among_others(translator, references, progress=progress)
    in_context = [translation.document for translation in translations]
    changes = context_changes(in_context, alone)
    total = sum(map(len, references))
    mixed = len(context_changes(among_others, alone))
    console.print(
        f"Of {total} sentences of a test set of manuals, {len(changes)} are translated otherwise "
        f"in their documents than alone, and {mixed} among sentences of other documents. These "
        "say nothing about them, but search ranks together what it translates together; only "
        "what is more than that is due to context."
    )
    if changes:
        console.print(_changes(changes, references))
    settings = MetricSettings(language=translator.pipeline.languages[1])
    baselines = {"each sentence alone": alone}
    evaluation = evaluate_with_baselines(in_context, [references], baselines, settings)
    print_evaluation(evaluation, console)


def _changes(changes: Sequence[ContextChange], references: Sequence[Document]) -> Table:
    """A table of the sentences with the greatest difference in chrF, better or worse."""
    from sacrebleu.metrics.chrf import CHRF

    chrf = CHRF()
    gains = []
    for change in changes:
        target = references[change.document].target
        assert target is not None
        reference = target[change.sentence]
        alone, in_context = (
            chrf.sentence_score(text, [reference]).score
            for text in (change.alone, change.in_context)
        )
        gains.append((in_context - alone, change, reference))
    table = _table("source", "alone", "in its document", "chrF", "reference")
    most = sorted(gains, key=lambda gain: (-abs(gain[0]), gain[1]))[:_SHOWN_CHANGES]
    for gain, change, reference in sorted(most, key=lambda gain: (-gain[0], gain[1])):
        texts = (change.alone, change.in_context, f"{gain:+.0f}", reference)
        _add_row(table, change.source, *texts)
    return table


def _train(recipe: str, run: Path) -> None:
    """Train a recipe, translate the test split, and show a document and the scores."""
    from docmt.cli.train import train
    from docmt.output.score_tables import print_evaluation
    from docmt_nmt.evaluation.split_scores import check_split, score_split
    from docmt_nmt.recipes import load

    check_split(load(recipe), "test")
    train(recipe, run=run)
    with progress_bar("translating the test split") as progress:
        evaluation, translations, references = score_split(
            run, "test", own_recipe=True, progress=progress
        )
    console = _console()
    shown = min(translations, key=lambda t: abs(len(t.document) - _SHOWN_SENTENCES))
    reference = references[translations.index(shown)]
    if shown.document.joined is not None:
        reference = reference.join(shown.document.joined)
    console.print(_side_by_side(shown.document, reference))
    print_evaluation(evaluation, console)


def _side_by_side(translated: Document, reference: Document) -> Table:
    """A table of a document's sentences: source, translation, reference."""
    assert translated.target is not None and reference.target is not None
    table = _table("source", "translation", "reference")
    table.title = f"Document {translated.id}"
    for sentences in zip(translated.source, translated.target, reference.target, strict=True):
        _add_row(table, *sentences)
    return table


def _table(*columns: str) -> Table:
    from rich import box
    from rich.table import Table

    return Table(*columns, box=box.SIMPLE_HEAD, show_lines=True)


def _add_row(table: Table, *sentences: str) -> None:
    from rich.text import Text

    table.add_row(*map(Text, sentences))


def _console() -> Console:
    return output_console(width=None if sys.stdout.isatty() else _LOG_WIDTH)
