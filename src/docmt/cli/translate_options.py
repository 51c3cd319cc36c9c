"""Options of `docmt translate` that no settings class of the library has, and checks of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.cli.terminal import note
from docmt.formats import Columns, Output, OutputFormat
from docmt.formats.shards import Shard
from docmt.formats.tree import TreeOptions
from docmt.ground.errors import InputError
from docmt.ground.languages import primary_subtag

if TYPE_CHECKING:
    from docmt.translating import TermChoices


@dataclass(frozen=True, slots=True)
class TableOptions:
    """Options about the language of the input, and about tables."""

    source_language: Annotated[str | None, typer.Option(metavar="CODE")] = None
    """Language of the input. Default: the run's."""

    columns: Annotated[str | None, typer.Option(metavar="NAMES")] = None
    """For tables (`.csv`, `.tsv`, `.tab`), the columns to translate, with commas between them:
    names in the first row or, where all are numbers, numbers from 1 on."""

    new_columns: bool = False
    """With `columns`, write the translations into new columns next to these. Default: in their
    place."""

    def chosen(self) -> Columns | None:
        """The columns of tables that are translated.

        Raises:
            InputError: new columns of none are asked for, or a name is empty.
        """
        if self.columns is not None:
            names = tuple(name.strip() for name in self.columns.split(","))
            return Columns(names, self.new_columns)
        if self.new_columns:
            raise InputError(
                "`new_columns` needs `columns`",
                cure="Name the columns to translate",
                parameters=("new_columns", "columns"),
            )
        return None


@dataclass(frozen=True, slots=True)
class DestinationOptions:
    """Options that say what is written where."""

    # Not a Path, which loses the `/` at the end of a folder's name.
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="PATH")] = None
    """Output file, or output folder for several inputs or a folder; a path that ends in `/` is a
    folder. Default: standard output."""

    output_format: Annotated[OutputFormat | None, typer.Option(metavar="NAME")] = None
    """`same`: the input file, translated. `tsv`: a line per sentence with document, source and
    translation. `jsonl`: a JSON object per document. `tmx`: a translation memory.
    `html-side-by-side`: a page with each sentence next to its translation. Default: that of an
    output named `.tsv`, `.jsonl` or `.tmx`, else `same`."""


@dataclass(frozen=True, slots=True)
class MethodOptions:
    """Options that choose the method of search."""

    sampling: bool = False
    """Draw translations at random from the system's distribution; with `n_best=N`, N of them."""

    processes: Annotated[int | None, typer.Option(metavar="NUMBER", min=1, max=1024)] = None
    """Number of processes that translate at the same time, each with one thread; they share the
    weights, and translations are the same. 1: this process, with a thread for each core. Default:
    one for each core where there is enough text for half of them, else 1."""

    def overrides(self) -> dict[str, bool]:
        """The options of the run's translator."""
        return {"sampling": True} if self.sampling else {}


@dataclass(frozen=True, slots=True)
class CostOptions:
    """Options about what translations by a language model cost."""

    dry_run: bool = False
    """Say about how many requests and tokens of a language model the translation takes, and what
    they cost if the run has prices, and send and write nothing."""

    max_tokens_total: Annotated[int | None, typer.Option(metavar="NUMBER", min=1)] = None
    """Tokens of prompts and answers of a language model after which the command stops; the same
    command goes on from there. Default: the run's."""

    def overrides(self) -> dict[str, int]:
        """The keys of the run's recipe that are overridden."""
        limit = self.max_tokens_total
        return {} if limit is None else {"max_tokens_total": limit}


@dataclass(frozen=True, slots=True)
class TermOptions:
    """Options about terms."""

    glossary: Annotated[str | None, typer.Option(metavar="FILE")] = None
    """Terms and their translations (`.tsv`, `.csv` or `.tbx`): where a sentence has a term, its
    translation has one of the term's translations. An error says which term of which sentence
    cannot be written."""

    consistent: bool = False
    """Translate terms that recur in a document alike: sentences in which one is translated
    otherwise than in most are translated again. `OUTPUT.terms.tsv` lists these terms; edit it to
    use it as a glossary."""

    def chosen(self, languages: tuple[str, str]) -> TermChoices:
        """The words that translations between two languages must have.

        Raises:
            InputError: the glossary cannot be read.
        """
        from docmt.glossaries import read
        from docmt.translating import TermChoices

        glossary = None if self.glossary is None else read(self.glossary, languages)
        return TermChoices(glossary, self.consistent)


def check_default_languages(source_language: str | None) -> None:
    """Check that the input of the bundled model is English, as far as is said.

    Raises:
        InputError: it is not.
    """
    if source_language is not None and primary_subtag(source_language) != "en":
        raise InputError(
            f"the bundled model translates English to German, and not {source_language}",
            cure="Name a `run` for this language; `docmt import` makes one from a pretrained model",
            parameters=("run",),
        )
    note("docmt: translating English to German with the bundled model; --run names another")


def shard_output(inputs: Sequence[str], output: str | None, form: Output, shard: str) -> str:
    """The file that the translation of a shard is written to.

    Raises:
        InputError: there are several inputs, or the output is not a folder.
    """
    if len(inputs) != 1 or Path(inputs[0]).is_dir() or output in (None, "-"):
        raise InputError(
            "`shard` is of one file, and its output is a folder",
            cure="Add `output=FOLDER/`",
            parameters=("shard", "output=FOLDER/"),
        )
    folder = Path(str(output))
    if folder.exists() and not folder.is_dir():
        raise InputError("is not a folder, as `shard` needs", path=folder, parameters=("shard",))
    (whole,) = form.paths(inputs, f"{folder}/")
    return str(Shard.parse(shard).path(Path(whole)))


def input_folder(
    inputs: Sequence[str], output: str | None, options: TreeOptions
) -> tuple[str, str] | None:
    """The folder that is translated and that of its translation, or None if the inputs are files.

    Raises:
        InputError: there are other inputs, no folder for the output, or options of folders are
            given for files.
    """
    folders = [name for name in inputs if Path(name).is_dir()]
    if not folders:
        if options != TreeOptions():
            name = "exclude" if options.exclude else "other_files"
            raise InputError(
                f"`{name}` is for a folder, and the inputs are files",
                cure="Leave it out",
                parameters=(f"{name}",),
            )
        return None
    if len(inputs) > 1:
        raise InputError(
            "is a folder, and there are other inputs",
            path=folders[0],
            cure="Translate each folder in a command of its own, into a folder of its own",
        )
    if output is None or output == "-":
        raise InputError(
            "is a folder and needs an output folder",
            path=folders[0],
            cure="Add `output=FOLDER`",
            parameters=("output=FOLDER",),
        )
    return folders[0], output
