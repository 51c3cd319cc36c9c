"""`Checking`: the checks of files and folders as `docmt check` makes them: which languages they are
in, what is read of them, and what a run says about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from docmt.glossaries import read as read_glossary
from docmt.translating.checks.file_checks import CHECKS, CheckSettings, Finding, check_file, summary
from docmt.translating.checks.text_pairs import (
    CheckedFile,
    is_bilingual,
    read_bilingual_file,
    read_two_files,
)
from docmt.translating.file_translation import no_notes
from docmt_files import Input, TreeOptions, find_tree
from docmt_files.base import entry_points
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError, name_of
from docmt_files.base.languages import check_language_code
from docmt_files.base.wording import counted, did_you_mean, first_few
from docmt_files.storage.files import PathLike
from docmt_nmt.base import plugin_groups
from docmt_nmt.corpora import corpus_files
from docmt_nmt.runs.open_run import open_run
from docmt_nmt.text.language_detection import language_probabilities

_SAMPLE, _MAX_SENTENCES = 8000, 2000
"""Characters and sentences of a file that show its language."""

_MIN_PROBABILITY = 0.5


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The findings of one or several files.

    Attributes:
        findings: the findings.
        checked: what was checked, in words.
        languages: the codes of the languages.
    """

    findings: list[Finding]
    checked: str
    languages: tuple[str, str]

    @property
    def summary(self) -> str:
        """The numbers of findings, in words."""
        return summary(self.findings)


def chosen_checks(only: str | None, without: str | None) -> frozenset[str]:
    """The names of checks, from lists with commas.

    Raises:
        InputError: there is no such check.
    """
    listed = [
        [name.strip() for name in names.split(",") if name.strip()]
        for names in (only or "", without or "")
    ]
    for parameter, names in zip(("only", "without"), listed, strict=True):
        for name in names:
            if name not in CHECKS:
                maybe = did_you_mean(name, CHECKS)
                raise InputError(
                    f"`{parameter}`: there is no check {name!r}" + (f": {maybe}" if maybe else ""),
                    cure=f"Checks are {', '.join(CHECKS)}",
                    parameters=(parameter,),
                )
    return frozenset(listed[0] or CHECKS) - set(listed[1])


@dataclass(frozen=True, slots=True)
class Checking:
    """How files are read and checked.

    Attributes:
        form: the way to read files.
        languages: the codes of the source and the target language, None where they are not given.
        checks: the names of the checks.
        glossary: a file of terms.
        max_length: the most characters of a text.
        run: the directory of a run that judges sentences.
        note: called with each note for the user.
    """

    form: Input
    languages: tuple[str | None, str | None]
    checks: frozenset[str]
    glossary: PathLike | None = None
    max_length: int | None = None
    run: PathLike | None = None
    note: Callable[[str], None] = no_notes

    def check(self, source: str, target: str | None) -> CheckReport:
        """Check a file or a folder.

        Args:
            source: the file or folder, or a bilingual file.
            target: the translation; None for a bilingual file.

        Raises:
            InputError: a file cannot be read, the two are not of one format and structure, or the
                languages are not clear.
        """
        judge = None if self.run is None else _Judge.load(self.run)
        paths = list(self._paths(source, target))
        languages = self._languages(*paths[0]) if judge is None else judge.languages
        settings = CheckSettings(
            languages,
            None if self.glossary is None else read_glossary(self.glossary, languages),
            self.max_length,
            None if judge is None else judge.run.thresholds(),
            None if judge is None else judge.log_probabilities,
            self.checks,
        )
        files = [self._read(path, translation, languages) for path, translation in paths]
        findings = [finding for file in files for finding in check_file(file, settings)]
        for text in self.form.rules.unused() if self.form.rules is not None else ():
            self.note(text)
        pairs = [pair for file in files for pair in file.pairs]
        names = files[0].name if len(files) == 1 else counted(len(files), "file")
        sentences = counted(sum(len(pair.sentences) for pair in pairs), "sentence")
        numbers = f"{counted(len(pairs), 'text')}, {sentences}"
        checked = f"{names} ({languages[0]} to {languages[1]}): {numbers}"
        return CheckReport(findings, checked, languages)

    def _paths(self, source: str, target: str | None) -> Iterator[tuple[str, str | None]]:
        """The files to read: each with its translation, or a bilingual file with None."""
        if Path(source).is_dir():
            if target is None or not Path(target).is_dir():
                cure = "Name the folder with the translations after it"
                raise InputError("is a folder, and its translation is none", path=source, cure=cure)
            yield from self._paths_in_folder(source, target)
        elif is_bilingual(source, self.form):
            if target is not None:
                raise InputError(
                    "has the texts of both languages, and so has its translation",
                    path=source,
                    cure=f"Name {name_of(target)} alone",
                )
            yield source, None
        elif target is None:
            raise InputError(
                "has the texts of one language", path=source, cure="Name its translation after it"
            )
        else:
            yield source, target

    def _paths_in_folder(self, source: str, target: str) -> Iterator[tuple[str, str | None]]:
        missing = []
        tree = find_tree(source, target, self.form, TreeOptions())
        for path, translated in tree.translated:
            translation = str(tree.output / translated)
            if not Path(translation).exists():
                missing.append(str(path))
            elif is_bilingual(translation, self.form):
                yield translation, None
            else:
                yield str(tree.folder / path), translation
        if missing:
            self.note(
                f"{counted(len(missing), 'file')} without a translation: {first_few(missing)}"
            )
        if len(missing) == len(tree.translated):
            cure = "Name the folder that was translated, and the folder with its translation"
            raise InputError("has no translation of a file of it", path=target, cure=cure)

    def _read(self, path: str, translation: str | None, languages: tuple[str, str]) -> CheckedFile:
        if translation is None:
            return read_bilingual_file(path, self.form, languages)
        return read_two_files(path, translation, self.form, languages)

    def _languages(self, path: str, translation: str | None) -> tuple[str, str]:
        """The languages as they are given, as the file names them, or as its texts show them."""
        texts: Sequence[Callable[[], Iterator[str]]]
        named = "", ""
        if translation is None:
            file = read_bilingual_file(path, self.form, None)
            named = file.languages
            texts = (
                lambda: (pair.source for pair in file.pairs),
                lambda: (pair.target for pair in file.pairs),
            )
        else:
            texts = tuple(partial(self._texts, each) for each in (path, translation))
        source, target = (
            given or of_file or _detected(text(), side, parameter)
            for given, of_file, text, side, parameter in zip(
                self.languages,
                named,
                texts,
                (path, translation or path),
                ("source_language", "to"),
                strict=True,
            )
        )
        return check_language_code(source), check_language_code(target)

    def _texts(self, path: str) -> Iterator[str]:
        """The sentences of a file in any language. The rules of English split them well enough."""
        documents, _ = self.form.read(path, "en", read_corpus=corpus_files.read)
        return (sentence for document in documents for sentence in document.source)


def _detected(texts: Iterator[str], path: str, parameter: str) -> str:
    """The language of texts."""
    sample = " ".join(islice(texts, _MAX_SENTENCES))[:_SAMPLE]
    probabilities = language_probabilities(sample)
    best = max(probabilities, key=lambda code: probabilities[code])
    if probabilities[best] < _MIN_PROBABILITY:
        raise InputError(
            f"the language of the {'source' if parameter != 'to' else 'translation'} is not clear",
            path=path,
            cure=f"Give it as `{parameter}`",
            parameters=(parameter,),
        )
    return best


@dataclass(frozen=True, slots=True)
class _Judge:
    """A run that gives log-probabilities of translations.

    Attributes:
        run: the run.
        forced_decoder: the forced decoder of the run (of docmt-research).
    """

    run: Any
    forced_decoder: Any

    @classmethod
    def load(cls, directory: PathLike) -> _Judge:
        """The judge of a run directory.

        Raises:
            InputError: the run gives no log-probabilities, or docmt-research is not installed.
        """
        run = open_run(directory)
        loaded = entry_points.load(plugin_groups.FORCED_DECODERS, run.recipe.translator_name)
        if loaded is None or not run.recipe.is_trained:
            raise InputError(
                "gives no log-probabilities of translations",
                path=directory,
                cure="Name the run of a trained system, and install docmt-research",
            )
        return cls(run, loaded[1](run))

    @property
    def languages(self) -> tuple[str, str]:
        """The codes of the languages of the run."""
        languages: tuple[str, str] = self.forced_decoder.translator.languages
        return languages

    def log_probabilities(self, document: Document) -> list[float]:
        """The mean log-probability per token of each sentence; 0 where there is none."""
        (found,) = self.forced_decoder.log_probabilities([document])
        return [0.0 if each is None else each.log_probability / len(each.tokens) for each in found]
