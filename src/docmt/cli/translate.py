"""`docmt translate`: files in, the same files out in another language."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docmt.cli.terminal import note, progress_bar
from docmt.errors import InputError
from docmt.files import is_stream, write_text
from docmt.wording import counted

if TYPE_CHECKING:
    from docmt.decoding import Alternative, Translation, Translator
    from docmt.documents import Document

MOST_LISTED = 10
"""Documents, sentences, and unknown words or characters that are named in notes."""


class Precision(StrEnum):
    """Numbers to compute with."""

    fp32 = "fp32"
    bf16 = "bf16"
    int8 = "int8"


class Windows(StrEnum):
    """How windows lie on a document."""

    apart = "disjoint"
    sliding = "sliding"


class Format(StrEnum):
    """What is written for a file."""

    text = "text"
    tsv = "tsv"
    jsonl = "jsonl"


SUFFIXES = {Format.tsv: ".tsv", Format.jsonl: ".jsonl"}
"""What an output file's name ends with in a folder of them; that of its input for `text`."""


def translate(
    inputs: Annotated[
        list[str], typer.Argument(metavar="INPUT", help="Text files; `-` is standard input.")
    ],
    *,
    run: Annotated[Path, typer.Option(help="The run directory of the system.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o",
            help="The file to write, or for several inputs the folder. Default: standard output.",
        ),
    ] = None,
    segmented: Annotated[
        bool,
        typer.Option(
            "--segmented",
            help="The input has one sentence a line, and a `<d>` line before each document if "
            "there are several. Default: running text, which is split into sentences.",
        ),
    ] = False,
    source_language: Annotated[
        str | None,
        typer.Option(help="Language code by which sentences are split. Default: the run's."),
    ] = None,
    beam: Annotated[
        int | None, typer.Option(min=1, help="Hypotheses kept. Default: the recipe's.")
    ] = None,
    parallel: Annotated[
        bool,
        typer.Option(
            "--parallel",
            help="Write all sentences of a document at once, until none changes another: what "
            "--beam 1 finds, in another way.",
        ),
    ] = False,
    precision: Annotated[
        Precision | None,
        typer.Option(
            help="Numbers to compute with: fp32, bf16 or int8 (on a CPU). Default: the recipe's."
        ),
    ] = None,
    windows: Annotated[
        Windows | None,
        typer.Option(
            help="Of a system that translates windows of k sentences: translate windows that lie "
            "apart, or slide one over the document, so that each sentence is translated k times. "
            "Default: the recipe's."
        ),
    ] = None,
    position: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Place in the sliding window whose translation of a sentence is taken. Default: "
            "the recipe's, or the last.",
        ),
    ] = None,
    positions: Annotated[
        bool,
        typer.Option(
            "--positions",
            help="Write the document as it is translated in each place of the sliding window "
            "(jsonl), for `docmt evaluate --positions`.",
        ),
    ] = False,
    n_best: Annotated[
        int, typer.Option(min=1, help="Translations to write of each document (jsonl).")
    ] = 1,
    scores: Annotated[
        bool,
        typer.Option(
            "--scores", help="Write each sentence's mean log-probability of a token (tsv, jsonl)."
        ),
    ] = False,
    format: Annotated[
        Format,
        typer.Option(
            help="`text`: the file as it was, translated. `tsv`: a row a sentence, with document, "
            "source and translation. `jsonl`: a JSON object a document."
        ),
    ] = Format.text,
) -> None:  # fmt: skip
    """Translate files, each whole: every sentence with the sentences around it.

    How documents were cut and what else is worth knowing is told on standard error.
    """
    check_options(beam, parallel, n_best, scores, format, positions=positions)
    outputs = output_paths(inputs, output, format)
    check_places(outputs)
    from docmt.decoding import Translator
    from docmt.formats import running
    from docmt.formats import segmented as lines

    # Of what is not asked for the recipe says.
    asked: dict[str, Any] = {
        "beam": beam, "precision": precision and precision.value,
        "windows": windows and windows.value, "window_position": position,
    }  # fmt: skip
    if parallel:
        asked |= {"method": "parallel", "beam_size": 1}
    translator = Translator.load(run, **asked)
    if positions:
        check_slides(translator)
    if translator.search.beam_size < n_best:
        translator.search = translator.search.model_copy(update={"beam": n_best})
    language = source_language or translator.pipeline.languages[0]
    reader = lines.read if segmented else running.read
    # All files are read before the first is translated, so that a mistake is told at once.
    files = [reader(path, language) for path in inputs]
    if format is Format.tsv:
        refuse_tabs(document for documents, _ in files for document in documents)
    for name, path, (documents, skeleton) in zip(inputs, outputs, files, strict=True):
        with progress_bar("standard input" if name == "-" else name) as progress:
            translations = translator.translate(documents, progress)
        if format is Format.text:
            text = skeleton.fill([translation.document for translation in translations])
        elif format is Format.tsv:
            text = as_tsv(translations, scores=scores)
        else:
            text = as_jsonl(translations, scores=scores, n_best=n_best, positions=positions)
        write_text(path, text)
        tell(name, translations, translator)


def check_options(
    beam_size: int | None,
    parallel: bool,
    n_best: int,
    scores: bool,
    format: Format,
    *,
    positions: bool,
) -> None:
    """Refuse options that do not fit each other.

    Raises:
        InputError: naming the options and what would fit.
    """
    if beam_size is not None and beam_size < n_best:
        raise InputError(
            f"--beam-size {beam_size} finds no {n_best} translations",
            cure=f"Leave it out, or set {n_best}",
        )
    if parallel and (beam_size or n_best) > 1:
        raise InputError(
            "--parallel finds one translation", cure="Leave out --beam-size and --n-best"
        )
    if scores and format is Format.text:
        raise InputError("text has no place for --scores", cure="Add --format tsv or jsonl")
    if n_best > 1 and format is not Format.jsonl:
        raise InputError(f"{format.value} has no place for --n-best", cure="Add --format jsonl")
    if positions and format is not Format.jsonl:
        raise InputError(f"{format.value} has no place for --positions", cure="Add --format jsonl")


def check_slides(translator: Translator) -> None:
    """See that there are several places in a window to write the translations in.

    Raises:
        InputError: saying what is missing, windows or that they slide.
    """
    kind = translator.instances.kind
    if kind != "window":
        raise InputError(
            f"--positions needs a run with instances.kind window, and this one has {kind}",
            cure="Leave it out",
        )
    if not translator.slides:
        raise InputError("--positions needs windows that slide", cure="Add --windows sliding")


def output_paths(inputs: Sequence[str], output: Path | None, format: Format) -> list[str]:
    """Where the translation of each input goes.

    Raises:
        InputError: several inputs without a folder to write to, two of one name, or an output
            that is one of the inputs.
    """
    if output is None or str(output) == "-":
        if len(inputs) > 1:
            raise InputError("several files need a folder to go to", cure="Add --output FOLDER")
        return ["-"]
    if len(inputs) == 1 and not output.is_dir():
        paths = [output]
    elif "-" in inputs:
        raise InputError(
            "standard input has no name to have in a folder", path=output,
            cure="Name a file as --output, and translate other files apart",
        )  # fmt: skip
    elif output.is_file():
        raise InputError(
            "is a file, and several inputs need a folder to go to", path=output,
            cure="Choose another --output",
        )  # fmt: skip
    else:
        named = [Path(name) for name in inputs]
        paths = [
            output / path.with_suffix(SUFFIXES.get(format, path.suffix)).name for path in named
        ]
    for place, path in enumerate(paths):
        if path in paths[:place]:
            raise InputError(
                "two inputs would be written here", path=path,
                cure="Translate them in two commands, into two folders",
            )  # fmt: skip
        if any(path.resolve() == Path(name).resolve() for name in inputs if name != "-"):
            raise InputError(
                "is an input and would be overwritten", path=path, cure="Choose another --output"
            )
    return [str(path) for path in paths]


def check_places(outputs: Sequence[str]) -> None:
    """See that the outputs can be written, before hours are spent on what goes into them.

    Raises:
        InputError: naming the first that cannot.
    """
    for output in outputs:
        if is_stream(output):
            continue
        folder = next(parent for parent in Path(output).resolve().parents if parent.exists())
        if not (folder.is_dir() and os.access(folder, os.W_OK)):
            raise InputError(
                "cannot be written", path=output,
                cure=f"Look at {folder}, or choose another --output",
            )  # fmt: skip


def refuse_tabs(documents: Iterable[Document]) -> None:
    """Refuse sentences that would be several columns. A translation has no tabs.

    Raises:
        InputError: naming the document.
    """
    for document in documents:
        if any("\t" in sentence for sentence in document.source):
            raise InputError(
                f"document {document.id!r} has a tab in a sentence",
                cure="Choose --format jsonl, or replace the tab by a space",
            )


def as_tsv(translations: Sequence[Translation], *, scores: bool) -> str:
    """A row a sentence: document, source, translation and, if asked for, score."""
    rows = []
    for translation in translations:
        document = translation.document
        assert document.target is not None
        pairs = zip(document.source, document.target, translation.scores, strict=True)
        for source, target, score in pairs:
            rows.append([document.id, source, target, *([f"{score:.4f}"] if scores else [])])
    return "".join("\t".join(row) + "\n" for row in rows)


def as_jsonl(
    translations: Sequence[Translation], *, scores: bool, n_best: int, positions: bool
) -> str:
    """A JSON object a document: id, source, target; pieces (the sentences in each) and ended (the
    sentences, from 0, that reached their greatest length); scores, alternatives and positions if
    asked for."""

    def plain(others: Sequence[Alternative]) -> list[dict[str, Any]]:
        return [
            {"target": other.sentences, **({"scores": other.scores} if scores else {})}
            for other in others
        ]

    lines = []
    for translation in translations:
        document = translation.document
        values: dict[str, Any] = {
            "id": document.id, "source": document.source, "target": document.target,
            "chunks": translation.chunks, "truncated": translation.truncated,
        }  # fmt: skip
        if scores:
            values["scores"] = translation.scores
        if n_best > 1:
            values["alternatives"] = plain(translation.alternatives[:n_best])
        if positions:
            values["positions"] = plain(translation.positions)
        lines.append(json.dumps(values, ensure_ascii=False) + "\n")
    return "".join(lines)


def tell(name: str, translations: Sequence[Translation], translator: Translator) -> None:
    """Say how a file's documents were cut, and what a reader should look at."""
    place = "standard input" if name == "-" else name
    pieces = [size for translation in translations for size in translation.chunks]
    note(
        f"{place}: {counted(len(translations), 'document')}, {counted(sum(pieces), 'sentence')}, "
        f"translated in {how_cut(pieces, translator)}"
    )
    cut = [translation for translation in translations if translation.truncated]
    for translation in cut[:MOST_LISTED]:
        listed = ", ".join(str(number + 1) for number in translation.truncated[:MOST_LISTED])
        more = ", …" if len(translation.truncated) > MOST_LISTED else ""
        note(
            f"{place}: document {translation.document.id!r}: "
            f"{counted(len(translation.truncated), 'sentence')} cut short at the greatest length "
            f"(search.max_length_factor): {listed}{more}"
        )
    if len(cut) > MOST_LISTED:
        number = sum(len(translation.truncated) for translation in cut[MOST_LISTED:])
        note(
            f"{place}: and {counted(number, 'sentence')} of other documents "
            "(--format jsonl has all)"
        )
    cuts = translator.contexts.cuts() if translator.contexts is not None else {}
    for key, passages in cuts.items():
        note(f"{place}: {key}: {counted(passages, 'context')} cut to what the encoder reads")
    unknown: Counter[str] = Counter()
    for translation in translations:
        unknown += translator.pipeline.unknown(translation.document)
    if unknown:
        listed = ", ".join(
            f"{piece} ({times})" for piece, times in unknown.most_common(MOST_LISTED)
        )
        more = ", …" if len(unknown) > MOST_LISTED else ""
        note(f"{place}: not in the vocabulary and read as <unk>: {listed}{more}")


def how_cut(pieces: Sequence[int], translator: Translator) -> str:
    """The pieces of documents in words."""
    window = translator.instances.window
    if translator.slides:
        position = translator.search.window_position or window
        return f"a sliding window of {window}, in place {position} of it"
    sizes = " to ".join(str(size) for size in sorted({min(pieces), max(pieces)}))
    return f"{counted(len(pieces), 'piece')} of {sizes} ({translator.instances.kind})"
