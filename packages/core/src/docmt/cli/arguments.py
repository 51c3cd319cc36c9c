"""Arguments and options that several commands share."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from docmt_files.base.documents import Boundaries, Document
from docmt_nmt.base.choices import Precision


def complete_recipes(incomplete: str) -> list[str]:
    """The bundled recipes with this prefix, for completion in the shell."""
    from docmt_nmt.recipes.bundle import names

    return [name for name in names() if name.startswith(incomplete)]


def complete_targets(incomplete: str) -> list[str]:
    """The languages into which installed models translate, for completion in the shell: of the last
    language of a list."""
    before, comma, last = incomplete.rpartition(",")
    taken = before.split(",")
    languages = (target for _, target in _installed_pairs() if target not in taken)
    fitting = (each for each in languages if each.startswith(last))
    return [f"{before}{comma}{each}" for each in dict.fromkeys(fitting)]


def complete_sources(incomplete: str) -> list[str]:
    """The languages from which installed models translate, for completion in the shell."""
    languages = dict.fromkeys(source for source, _ in _installed_pairs())
    return [each for each in languages if each.startswith(incomplete)]


def complete_models(incomplete: str) -> list[str]:
    """The names of installed models, for completion in the shell."""
    from docmt.models import InstalledModels

    return [m.name for m in InstalledModels.default().all() if m.name.startswith(incomplete)]


def _installed_pairs() -> list[tuple[str, str]]:
    """The pairs that installed models translate, through English as well."""
    from docmt.models import InstalledModels, PairTranslators

    return PairTranslators(InstalledModels.default()).pairs()


RecipeName = Annotated[
    str,
    typer.Argument(
        metavar="RECIPE",
        help="Name of a bundled recipe, or path of a YAML file.",
        autocompletion=complete_recipes,
    ),
]
Overrides = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="KEY=VALUE", help="Keys to change, for example `training.max_steps=500`."
    ),
]
"""The argument for overridden keys of a recipe."""
RunDirectory = Annotated[Path, typer.Option(help="Run directory of the trained system.")]
"""The option for a run."""

ForcedDecodingPrecision = Annotated[
    Precision, typer.Option(help="Number format; int8 needs a CPU.")
]
"""The option for the number format of forced decoding."""

TableFile = Annotated[
    str | None,
    typer.Option(
        "--table",
        metavar="FILE",
        help="Also write the tables for a paper or a program: `.tex` (LaTeX with booktabs) or "
        "`.csv`. The second table goes beside the first, with -2 before the suffix.",
    ),
]
"""The option for a file of tables."""


@dataclass(frozen=True, kw_only=True)
class LineOptions:
    """Options of line files."""

    boundaries: Annotated[Boundaries | None, typer.Option(metavar="NAME")] = None
    """Document boundaries in line files: markers, blank, docids, sentences or none. Default:
    markers if the first line is `<d>`, otherwise docids if `docids` is given, otherwise none (one
    document per file)."""

    docids: Annotated[str | None, typer.Option(metavar="FILE")] = None
    """For line files, a file with one line per document: id, tab, number of sentences."""


@dataclass(frozen=True, kw_only=True)
class _Sides:
    source: Annotated[str, typer.Option(metavar="FILE")]
    """Source text: a line file, or a corpus of both sides (`.tsv`, `.jsonl`, `.parquet`, `.sgm`,
    `.xml`, `.tmx`); `-` is standard input."""

    target: Annotated[str | None, typer.Option(metavar="FILE")] = None
    """Its translation, unless the source file holds both sides."""


@dataclass(frozen=True, kw_only=True)
class CorpusOptions(LineOptions, _Sides):
    """Options of a corpus of both languages."""

    def check_output(self, output: str | None) -> None:
        """Refuse to overwrite a file of the corpus.

        Raises:
            InputError: `output` is a file of the corpus.
        """
        from docmt_files.storage.files import check_not_an_input

        check_not_an_input(output, (self.source, self.target, self.docids))

    def documents(self) -> list[Document]:
        """Read the corpus."""
        from docmt_nmt import corpora

        allow_empty = self.boundaries != "blank"
        return list(corpora.read(**asdict(self), allow_empty=allow_empty))


ALL_LANGUAGES = typer.Option(
    metavar="CODE,…",
    help="All languages of the run of a language model, with commas between them: it translates "
    "from each of them into each other. Default: one pair.",
)
"""The option for the languages of a run that `docmt import` makes."""


def codes_of(languages: str | None) -> list[str]:
    """The codes of a list with commas between them."""
    return [] if languages is None else [code.strip() for code in languages.split(",")]
