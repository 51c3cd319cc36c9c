"""Importers of other packages, by the entry points `docmt.importers`: a `ModelImporter` takes
models that `docmt import huggingface` finds, and a function is a command below `docmt import`.

Nothing here needs torch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from docmt_files.base import entry_points
from docmt_files.base.entry_points import Plugin
from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike
from docmt_nmt.base import plugin_groups
from docmt_nmt.runs.run import Run


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """A model to import.

    Attributes:
        name: a folder or a file, which must stay in its place, or a name on the hub.
        path: the folder of the files, or the file.
        run: the directory to make.
        languages: codes of the source and of the target language, if they are given.
        all_languages: codes of all languages of the run, between which it translates. Empty: the
            pair alone, or the languages of the model.
        pickle: whether pickles may be read.
        recipe: the other settings of the run: a bundled name or a file.
        overrides: `key.sub=value` each, for the recipe.
    """

    name: str
    path: Path
    run: PathLike
    languages: tuple[str | None, str | None] = (None, None)
    all_languages: Sequence[str] = ()
    pickle: bool = False
    recipe: PathLike | None = None
    overrides: Sequence[str] = ()

    @property
    def model(self) -> str:
        """The name of the model from any working directory: an absolute path, or the name on the
        hub."""
        return str(Path(self.name).resolve()) if self.path == Path(self.name) else self.name

    @property
    def pair(self) -> tuple[str | None, str | None]:
        """The source and the target language: as they are given, or else the first of all."""
        return first_pair(self.languages, self.all_languages)

    def refuse_all_languages(self) -> None:
        """Check that no list of languages is given, for a model whose files have the languages.

        Raises:
            InputError: one is given.
        """
        if self.all_languages:
            raise InputError(
                f"`languages` has no effect with {self.name}, whose files have the languages",
                cure="Leave it out",
                parameters=("languages",),
            )


def first_pair(
    given: tuple[str | None, str | None], languages: Sequence[str]
) -> tuple[str | None, str | None]:
    """The pair that a run translates unless others are asked for: as it is given, or else the first
    of its languages.

    Args:
        given: the source and the target language, None for one that is not given.
        languages: all languages of the run; empty, if they are not given.

    Raises:
        InputError: there is only one language.

    >>> first_pair((None, None), ["en", "pt"]), first_pair(("pt", None), ["en", "pt"])
    (('en', 'pt'), ('pt', 'en'))
    """
    if not languages:
        return given
    if len(set(languages)) < 2:
        raise InputError(
            f"`languages` names one language, {languages[0]}",
            cure="Name at least two, with a comma between them",
            parameters=("languages",),
        )
    source, target = given
    source = source or next(each for each in languages if each != target)
    return source, target or next(each for each in languages if each != source)


@dataclass(frozen=True, slots=True)
class ModelImporter:
    """Makes runs of models that docmt itself does not take.

    Attributes:
        takes: whether the importer takes a model, given the name and the folder of the files; None
            for the folder before anything is downloaded, when only the name can decide.
        make: makes the run directory.
        described: the models in words, for messages.
    """

    takes: Callable[[str, Path | None], bool]
    make: Callable[[ImportRequest], Run]
    described: str


def import_commands() -> dict[str, Callable[..., None]]:
    """The commands of other packages, by name. Their options are the parameters of the function, as
    of all commands."""
    return {
        plugin.name: value for plugin, value in _importers() if not isinstance(value, ModelImporter)
    }


def importer_of(name: str, folder: Path | None) -> ModelImporter | None:
    """The importer of a model, None if none takes it; arguments as of `ModelImporter.takes`.

    Raises:
        InputError: an importer cannot be imported, or fails; naming the package.
    """
    for plugin, value in _importers():
        if isinstance(value, ModelImporter):
            with entry_points.errors_of(plugin):
                if value.takes(name, folder):
                    return value
    return None


def importable_models() -> list[str]:
    """The models that other packages take, in words."""
    return [value.described for _, value in _importers() if isinstance(value, ModelImporter)]


def _importers() -> Iterator[tuple[Plugin, ModelImporter | Callable[..., None]]]:
    for plugin, value in entry_points.load_each(plugin_groups.IMPORTERS):
        if not (isinstance(value, ModelImporter) or callable(value)):
            raise entry_points.wrong(plugin, "is neither a ModelImporter nor a function")
        yield plugin, value
