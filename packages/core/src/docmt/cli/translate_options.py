"""Options of `docmt translate` without a settings class in the library, and checks of all
options.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from docmt.cli.arguments import complete_sources, complete_targets
from docmt.cli.terminal import inform, note
from docmt.output import Output, OutputFormat
from docmt_files import Columns, Input, Shard, TreeOptions, format_names
from docmt_files.base.errors import InputError
from docmt_files.base.languages import check_language_code, primary_subtag
from docmt_nmt.base.choices import Formality
from docmt_nmt.runs.bundled import DEFAULT
from docmt_nmt.text.language_detection import language_name

if TYPE_CHECKING:
    from docmt.memory import MatchPenalties, TranslationMemory
    from docmt.models import PairTranslators
    from docmt.translating import TermChoices
    from docmt_files import ExclusionRules
    from docmt_nmt.translators.translator import Translator


FILE_FORMAT = typer.Option(
    "--format",
    metavar="NAME",
    help="Format of the input files, whatever their names: "
    f"{', '.join(f'`{name}`' for name in format_names())}. `text` reads any text file as plain "
    "text. Default: by their names; files of unknown formats are refused.",
)
"""The option for the format of files."""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """Options for the language of the input and for tables."""

    source_language: Annotated[
        str | None,
        typer.Option(
            "--source-language", "--from", metavar="CODE", autocompletion=complete_sources
        ),
    ] = None
    """Language of the input. Default: the run's or, with `to`, detected where there are several."""

    to: Annotated[str | None, typer.Option(metavar="CODE,…", autocompletion=complete_targets)] = (
        None
    )
    """Target language, or several with commas between them; pt-BR and pt-PT choose words of Brazil
    and of Europe, by a small list. With `run`, one or more of the run's
    languages. Otherwise the installed model of the pair translates (`docmt models`), or two models
    through English. Of several, each translation is in a folder of its own below `output`, or where
    `{to}` stands in the name of the output."""

    columns: Annotated[str | None, typer.Option(metavar="NAMES")] = None
    """Columns to translate in tables (`.csv`, `.tsv`, `.tab`), separated by commas: names in the
    first row or, if all are numbers, numbers from 1."""

    new_columns: bool = False
    """With `columns`, write the translations into new columns next to the originals. Default:
    replace the originals."""

    def targets(self) -> tuple[str, ...]:
        """The target languages of `to`.

        Raises:
            InputError: one is not written as a code, or is there twice.
        """
        if self.to is None:
            return ()
        codes = tuple(check_language_code(code.strip()) for code in self.to.split(","))
        if len(set(codes)) < len(codes):
            raise InputError(
                "a language is twice in `to`", cure="Leave one out", parameters=("to",)
            )
        return codes

    def chosen(self) -> Columns | None:
        """The columns to translate in tables.

        Raises:
            InputError: new columns are requested without columns, or a name is empty.
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
class LeavingOptions:
    """Options for what is not translated."""

    rules: Annotated[str | None, typer.Option(metavar="FILE")] = None
    """What stays as it is: a TOML file with rules by style, element, key, column, sheet, language
    or regular expression."""

    placeholders: Annotated[list[str] | None, typer.Option(metavar="REGEX")] = None
    """What stays as it is, besides the placeholders that docmt knows, as a regular expression, such
    as `<<.{1,40}?>>`; several times for several."""

    skip_hidden: bool = False
    """Leave hidden text, rows, columns, sheets and slides as they are. Default: they are translated
    like the rest, with a note on sheets, slides and text."""

    def chosen(self) -> ExclusionRules | None:
        """The rules, None for none.

        Raises:
            InputError: the file of rules cannot be read, or a pattern is not a regular expression.
        """
        from docmt_files import ExclusionRules, read_exclusion_rules

        rules = None if self.rules is None else read_exclusion_rules(self.rules)
        if self.placeholders:
            rules = (rules or ExclusionRules(())).with_placeholders(self.placeholders)
        return (rules or ExclusionRules(())).with_hidden() if self.skip_hidden else rules


@dataclass(frozen=True, slots=True)
class DestinationOptions:
    """Options for the output."""

    # Not a Path, which loses the `/` at the end of a folder's name.
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="PATH")] = None
    """Output file, or output folder for several inputs or a folder; a path with a final `/` is a
    folder. Default: standard output."""

    output_format: Annotated[OutputFormat | None, typer.Option(metavar="NAME")] = None
    """`same`: the input file, translated. `tsv`: a line per sentence with document, source and
    translation. `jsonl`: a JSON object per document. `tmx`: a translation memory.
    `html-review`: a page to edit, with each sentence next to its translation. Default: the format
    of an output named `.tsv`, `.jsonl` or `.tmx`, otherwise `same`."""


@dataclass(frozen=True, slots=True)
class MethodOptions:
    """Options for the search method."""

    sampling: bool = False
    """Draw translations at random from the system's distribution; with `n_best=N`, N of them."""

    processes: Annotated[int | None, typer.Option(metavar="NUMBER", min=1, max=1024)] = None
    """Number of parallel processes, each with one thread; they share the weights, and the
    translations are the same. 1: this process, with a thread for each core. Default: one process
    per core if there is enough text for half of them, otherwise 1."""

    def overrides(self) -> dict[str, bool]:
        """The options of the run's translator."""
        return {"sampling": True} if self.sampling else {}


@dataclass(frozen=True, slots=True)
class CostOptions:
    """Options for the costs of a language model."""

    dry_run: bool = False
    """Count how much of the files is in the translation memories, by rates of matches. Estimate the
    requests and tokens of a language model for the translation, and the costs if the run has
    prices. Nothing is sent or written."""

    max_tokens_total: Annotated[int | None, typer.Option(metavar="NUMBER", min=1)] = None
    """Maximum number of tokens of prompts and answers of a language model. The command then stops;
    the same command resumes there. Default: the run's."""

    def overrides(self) -> dict[str, int]:
        """The overridden keys of the run's recipe."""
        limit = self.max_tokens_total
        return {} if limit is None else {"max_tokens_total": limit}


@dataclass(frozen=True, slots=True)
class TermOptions:
    """Options for terms."""

    glossary: Annotated[str | None, typer.Option(metavar="FILE")] = None
    """Terms and their translations (`.tsv`, `.csv` or `.tbx`). The translation of a sentence with a
    term has one of the term's translations. An error names a term that cannot be written, and the
    sentence."""

    inflected: bool = False
    """Find and write the words of the glossary in their other forms, too: *file* finds *files*. For
    single words; needs the package simplemma."""

    consistent: bool = False
    """Translate recurring terms of a document alike: sentences with another than the most frequent
    translation are translated again. `OUTPUT.terms.tsv` lists these terms; edit the file to use it
    as a glossary."""

    instructions: Annotated[str | None, typer.Option(metavar="TEXT")] = None
    """What a language model should heed in wording and style, such as `for children, in short
    sentences`; a name with `@` before it is a text file. Other translators refuse it."""

    formality: Annotated[Formality, typer.Option(metavar="NAME")] = "default"
    """Form of address in the translation: `more` (formal) or `less` (informal), by a language
    model. Other translators refuse it."""

    memory: Annotated[list[str] | None, typer.Option(metavar="FILE")] = None
    """Translation memory: sentences in it keep the translation by a person, with other numbers put
    in. A file of `docmt memory`, or with both languages (`.tmx`, `.xlf`, `.po`, `.tsv`, `.jsonl`);
    several times for several."""

    memory_threshold: Annotated[float, typer.Option(metavar="NUMBER", min=0.5, max=1.0)] = 0.75
    """Minimum rate of a similar sentence of a memory, from 0.5 to 1, that is shown to a language
    model and to the reader."""

    memory_penalties: Annotated[str | None, typer.Option(metavar="NAME=PERCENT,…")] = None
    """What is taken off the rates of matches: `case` (other capitals; default 1), `tags` (inline
    codes at other places), `machine` (approved by nobody), `other` (of another memory than the
    first). A match below 100 % is not taken, but shown."""

    previous: Annotated[tuple[str, str] | None, typer.Option(metavar="FILE TRANSLATION")] = None
    """The last version of the file and its translation: sentences that are the same keep the
    translation."""

    def with_memories(self, translator: Translator) -> Translator:
        """The translator with the memories before it.

        Raises:
            InputError: a memory cannot be read.
        """
        if not self.has_memories:
            return translator
        from docmt.translating.from_memory import FromMemory

        memories = self.memories(translator.languages)
        return FromMemory(translator, memories, self.memory_threshold, self.penalties())

    def penalties(self) -> MatchPenalties:
        """What is taken off the rates of matches.

        Raises:
            InputError: they are not written as names with numbers.
        """
        from docmt.memory import MatchPenalties

        return MatchPenalties.parse(self.memory_penalties or "")

    @property
    def has_memories(self) -> bool:
        """True if a memory or the last version is given."""
        return bool(self.memory) or self.previous is not None

    def memories(self, languages: tuple[str, str]) -> tuple[TranslationMemory, ...]:
        """The memories of translations between two languages.

        Raises:
            InputError: a memory cannot be read.
        """
        from docmt.translating.memory_files import open_memories

        return open_memories(self.memory or (), self.previous, languages, note)

    def chosen(self, languages: tuple[str, str]) -> TermChoices:
        """The required words of translations between two languages.

        Raises:
            InputError: the glossary cannot be read.
        """
        from docmt.translating import TermChoices

        glossary = None
        if self.inflected and self.glossary is None:
            problem, cure = "forms of terms need a glossary", "Name one, or leave `inflected` out"
            raise InputError(problem, cure=cure, parameters=("inflected",))
        if self.glossary is not None:
            from docmt.glossaries import read

            glossary = read(self.glossary, languages)
            if self.inflected:
                from docmt.glossaries import with_inflections

                glossary = with_inflections(glossary, languages)
        return TermChoices(glossary, self.consistent, self._instructions(), self.formality)

    def _instructions(self) -> str:
        """The text of the instructions.

        Raises:
            InputError: the file cannot be read.
        """
        given = self.instructions or ""
        if not given.startswith("@"):
            return given.strip()
        from docmt_files.storage.files import read_lines

        return "\n".join(read_lines(given[1:])).strip()


def run_of_model(run: Path | None, model: str | None) -> Path | None:
    """The run directory of a command: as it is given, or of an installed model.

    Raises:
        InputError: both are given, or the model is not installed.
    """
    if model is None:
        return run
    if run is not None:
        raise InputError(
            "`run` and `model` both name what translates",
            cure="Leave out one of both",
            parameters=("run", "model"),
        )
    from docmt.models import InstalledModels

    return InstalledModels.default().named(model).directory


def check_translator(run: Path | None, tables: TableOptions) -> None:
    """Check that a run or a target language is named.

    Raises:
        InputError: neither is.
    """
    if run is not None or tables.to is not None:
        return
    from docmt.models import InstalledModels

    source = primary_subtag(tables.source_language or "en")
    models = InstalledModels.default().all()
    known = sorted({model.languages[1] for model in models if model.is_of_pair})
    target = "pt" if source == "en" else "en"
    cure = (
        f"No model is installed: get one, such as by `docmt models get {source}-{target}`, and "
        f"name its language as `to={target}`. The sample `run={DEFAULT}` is for a try"
    )
    if known:
        cure = f"Name it as `to`: installed models translate into {', '.join(known)}"
    parameters = "to", f"to={target}", f"run={DEFAULT}"
    raise InputError("no target language is named", cure=cure, parameters=parameters)


def load_translators(
    run: Path | None,
    inputs: Sequence[str],
    tables: TableOptions,
    input_form: Input,
    options: Mapping[str, Any],
) -> list[Translator]:
    """The translator into each target language: of a run or, with `to` alone, of the installed
    models.

    Raises:
        InputError: the run cannot be loaded or lacks a language; the source language is not given
            and cannot be detected; or no installed model translates between the languages.
    """
    source, targets = tables.source_language, tables.targets()
    if run is not None:
        from docmt_nmt.runs.open_run import load

        translator = load(run, **options)
        known = translator.language_set
        if known.is_one_pair and not targets:
            return [translator.between(source or known.sources[0], known.targets[0])]
        if source is None and (len(known.sources) == 1 or not targets):
            source = translator.languages[0]
        if source is None:
            source = _detected(inputs, input_form, known.sources)
        return [translator.between(source, to) for to in targets or translator.languages[1:]]
    from docmt.models import InstalledModels, PairTranslators

    translators = PairTranslators(InstalledModels.default(), options)
    if source is None:
        into = [{s for s, t in translators.pairs() if _is_alike(t, target)} for target in targets]
        ordered = dict.fromkeys(pair[0] for pair in translators.pairs())
        sources = [source for source in ordered if all(source in each for each in into)]
        try:
            source = _detected(inputs, input_form, sources)
        except InputError:
            if not sources and "-" not in inputs:  # It matters more that there is no model.
                _refuse_any_source(translators, targets[0])
            raise
    return [translators.translator(source, target) for target in targets]


def in_region(translator: Translator, index: int, tables: TableOptions) -> Translator:
    """The translator with the words of the region that a target language names, such as pt-BR.

    Args:
        index: the number of the target language, from 0.
    """
    targets = tables.targets()
    if not targets:
        return translator
    from docmt.translating.regional_words import with_region

    return with_region(translator, targets[index])


def load_translator(
    run: Path | None, inputs: Sequence[str], tables: TableOptions, input_form: Input
) -> Translator:
    """The translator of a command for one target language.

    Raises:
        InputError: several target languages are given, or as `load_translators`.
    """
    if len(tables.targets()) > 1:
        raise InputError(
            "this command is for one target language", cure="Name one", parameters=("to",)
        )
    return load_translators(run, inputs, tables, input_form, {})[0]


def pairs_of(
    run: Path | None, inputs: Sequence[str], tables: TableOptions, input_form: Input
) -> list[tuple[str, str]]:
    """The languages of the translation into each target language, without loading a model.

    Raises:
        InputError: the directory is not a run, or the source language cannot be detected.
    """
    source, targets = tables.source_language, tables.targets()
    if run is not None:
        from docmt_nmt.runs.run import read_recipe

        pair = read_recipe(run).languages
        return [(source or pair[0], target) for target in targets or pair[1:]]
    if source is None:
        from docmt.translating.source_language import detect_source_language
        from docmt_nmt.text.language_detection import language_probabilities

        source = detect_source_language(inputs, input_form, language_probabilities(""))
    return [(source, target) for target in targets]


def _refuse_any_source(translators: PairTranslators, target: str) -> NoReturn:
    """Raise the error about a language into which no installed model translates."""
    if not _is_alike(target, "en"):
        translators.translator("en", target)
    raise InputError(
        f"no installed model translates into {language_name('en')} (en)",
        cure="Get one, such as by `docmt models get fr-en`, or name a `run`",
        parameters=("run",),
    )


def _detected(inputs: Sequence[str], input_form: Input, known: Sequence[str]) -> str:
    """The language of the input, with a note."""
    from docmt.translating.source_language import detect_source_language

    source = detect_source_language(inputs, input_form, known)
    inform(f"docmt: the input is in {language_name(source)} ({source}), it seems")
    return source


def _is_alike(language: str, other: str) -> bool:
    return primary_subtag(language) == primary_subtag(other)


def shard_output(inputs: Sequence[str], output: str | None, form: Output, shard: str) -> str:
    """The output file of a shard.

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
    """The input folder and the output folder, or None if the inputs are files.

    Raises:
        InputError: there are other inputs beside a folder, there is no output folder, or options
            for folders are given for files.
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
