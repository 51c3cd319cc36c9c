"""`translate_folder`: a folder in, the same folder out in another language."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from docmt.output import Output
from docmt.translating.file_translation import (
    FileCounts,
    FileProgress,
    FileTranslator,
    ReadFile,
    TermChoices,
    no_notes,
    no_progress,
)
from docmt.translating.finished_files import FinishedFiles, digest_of
from docmt.translating.journal import FileJournal
from docmt.translating.marked_sentences import MarkedSentence
from docmt_files import Input, NoTextError, Reason, Tree, TreeOptions, find_tree
from docmt_files.base.errors import InputError, UnavailableError, name_of
from docmt_files.base.messages import Message, parameters_of, said_of
from docmt_files.base.wording import counted, first_few
from docmt_files.storage.files import (
    PathLike,
    read_blocks,
    reporting_write_errors,
    resolved,
    whole_path,
)
from docmt_nmt.translators.translator import Translator

_NO_TEXT = Reason("without text")


class FolderCounts(NamedTuple):
    """The outcome of a folder.

    Attributes:
        files: the counts of all translated files together.
        translated: the number of translated files.
        failed: the failed files, with the reason.
    """

    files: FileCounts
    translated: int
    failed: tuple[tuple[Path, str], ...]


def translate_folder(
    translator: Translator,
    folder: PathLike,
    output: PathLike,
    *,
    form: Output | None = None,
    input_form: Input | None = None,
    options: TreeOptions | None = None,
    source_language: str | None = None,
    terms: TermChoices | None = None,
    progress: FileProgress = no_progress,
    note: Callable[[str], None] = no_notes,
    mark: Callable[[MarkedSentence], None] | None = None,
) -> FolderCounts:
    """Translate all files of known formats in a folder, each as a document of its own; small files
    are searched together. A failed file does not stop the others. After an interruption or a
    failure, the same call translates the missing files.

    Args:
        translator: translates the documents.
        folder: the folder.
        output: the folder for the translation.
        form: the form of each output. Default: the file, translated.
        input_form: the way to read files. Default: by their names. With a format, only files of
            this format are translated.
        options: the files to leave out, and the treatment of other untranslated files.
        source_language, terms, progress, note, mark: as for `translate_files`.

    Raises:
        InputError: one of the folders is within the other, the folder has nothing to translate, or
            the translator does not support `form`.

    >>> import docmt, pathlib
    >>> pathlib.Path("manual").mkdir()
    >>> _ = pathlib.Path("manual/guide.md").write_text("Select **OK**.")
    >>> _ = translate_folder(docmt.load(), "manual", "handbuch")
    >>> pathlib.Path("handbuch/guide.md").read_text(encoding="utf-8")
    'Wählen Sie **OK**.'
    """
    form, input_form = form or Output(), input_form or Input()
    tree = find_tree(folder, output, input_form, options or TreeOptions(), form.added_suffix)
    work = FileTranslator(
        translator, form, input_form, source_language, terms or TermChoices(), progress, note, mark
    )
    return _FolderTranslation(tree, work).run()


class _FileToTranslate(NamedTuple):
    """A file of a folder that is not finished.

    Attributes:
        path, target: the file and its translation, in their folders.
        file: the file, read.
        made_from: digest of what the translation is made from.
    """

    path: Path
    target: Path
    file: ReadFile
    made_from: str


class _FolderTranslation:
    """The translation of one folder."""

    def __init__(self, tree: Tree, work: FileTranslator) -> None:
        self.tree, self.work = tree, work
        self.counts = FileCounts()
        self.translated = self.done_before = 0
        self.copied: list[tuple[Path, Reason]] = []
        self.failed: list[tuple[Path, str]] = list(tree.unreadable)

    def run(self) -> FolderCounts:
        """Translate, copy and report."""
        self._make_folders()
        finished = FinishedFiles(self.tree.output)
        is_done = False
        try:
            for group in self._groups(finished):
                self._translate(group, finished)
            for path, reason in self.tree.copied:
                with self._collecting(path):
                    self._copy(path, reason)
            is_done = not self.failed
        except BaseException:
            self.work.note("what has been translated is kept; the same command goes on from there")
            raise
        finally:
            finished.close(remove=is_done)
        for text in self._notes():
            name = name_of(self.tree.folder)
            self.work.note(said_of(name, text))
        self.work.note_unused_rules()
        return FolderCounts(self.counts, self.translated, tuple(self.failed))

    def _make_folders(self) -> None:
        """Make the output folder, with all folders and links in it."""
        for path in (Path(), *self.tree.folders):
            with reporting_write_errors(folder := self.tree.output / path):
                folder.mkdir(parents=True, exist_ok=True)
        for path, written in self.tree.links:
            with reporting_write_errors(link := self.tree.output / path):
                if not (link.is_symlink() and str(link.readlink()) == written):
                    link.unlink(missing_ok=True)
                    link.symlink_to(written)

    @contextmanager
    def _collecting(self, path: Path) -> Iterator[None]:
        """Record a failed file, and go on with the next, unless further files would fail too."""
        try:
            yield
        except UnavailableError:
            raise
        except InputError as error:
            self.failed.append((path, error.message))

    def _groups(self, finished: FinishedFiles) -> Iterator[list[_FileToTranslate]]:
        """Read the files that are not finished, and yield those that are translated together."""
        group: list[_FileToTranslate] = []
        for path, target in self.tree.translated:
            with self._collecting(path):
                group += self._read(path, target, finished)
            if group and self.work.is_full([each.file for each in group]):
                yield group
                group = []
        if group:
            yield group

    def _read(
        self, path: Path, target: Path, finished: FinishedFiles
    ) -> Iterator[_FileToTranslate]:
        """Read a file, and yield it unless it is finished. A file without text is copied."""
        source, output = str(self.tree.folder / path), self.tree.output / target
        try:
            file = self.work.read(source, str(output))
        except NoTextError:
            if self.work.form.kind == "same":
                self._copy(path, _NO_TEXT)
            else:
                self.tree.left_out.append((path, _NO_TEXT))
            return
        self._check(target)
        made_from = self._made_from(file)
        if (finished_before := finished.find(target, made_from)) is None:
            self.work.note_cautions(file)
            yield _FileToTranslate(path, target, file, made_from)
        else:
            self._count(FileCounts(*finished_before))
            self.done_before += 1

    def _translate(self, group: Sequence[_FileToTranslate], finished: FinishedFiles) -> None:
        """Translate files together; or, if this fails, one by one, to find the failing file."""
        with closing(FileJournal(group[0].file.output)) as journal:
            try:
                found = self.work.translations([each.file for each in group], journal)
            except UnavailableError:
                raise
            except InputError as error:
                if len(group) == 1:
                    self.failed.append((group[0].path, error.message))
                    return
            else:
                failed = len(self.failed)
                for each, translations in zip(group, found, strict=True):
                    with self._collecting(each.path):
                        resumed = bool(journal.resumed)
                        counts = self.work.write(each.file, translations, resumed=resumed)
                        finished.add(each.target, each.made_from, counts)
                        self._count(counts)
                if len(self.failed) == failed:
                    journal.remove()
                return
        for each in group:
            self._translate([each], finished)

    def _count(self, counts: FileCounts) -> None:
        self.counts = self.counts.plus(counts)
        self.translated += 1

    def _copy(self, path: Path, reason: Reason) -> None:
        """Copy a file as it is, with permissions."""
        self._check(path)
        output = self.tree.output / path
        with whole_path(output) as part:
            try:
                shutil.copyfile(self.tree.folder / path, part)
                shutil.copymode(self.tree.folder / path, part)
            except PermissionError as error:
                source = name_of(self.tree.folder / path)
                raise InputError(
                    "may not be read", path=source, cure="Change its permissions"
                ) from error
        self.copied.append((path, reason))

    def _check(self, path: Path) -> None:
        """Refuse an output path that leads by a link into the source folder, or to a pipe or a
        device."""
        output = self.tree.output / path
        if output.exists() and not (output.is_file() or output.is_dir()):
            raise InputError(
                "is not a regular file", path=output, cure="Remove it, or what it links to"
            )
        if resolved(output).is_relative_to(resolved(self.tree.folder)):
            raise InputError(
                "leads back into the folder that is translated, by a link",
                path=output,
                cure="Remove the link",
            )

    def _made_from(self, file: ReadFile) -> str:
        """A digest of the input and the settings of an output; empty if it is not known."""
        work = self.work
        fingerprint = work.fingerprint(file)
        if fingerprint is None:
            return ""
        values = [
            fingerprint,
            digest_of(read_blocks(file.path)),
            repr(work.form),
            repr(work.input_form),
            work.source_language,
        ]
        return sha256(json.dumps(values).encode()).hexdigest()

    def _notes(self) -> Iterator[str]:
        """Return the notes on the folder: counts, untranslated files with the reason, and every
        failed file."""
        parts = [f"{counted(self.translated, 'file')} translated"]
        if self.done_before:
            parts[0] += f", {self.done_before:,} of them before an interruption"
        if self.copied:
            parts.append(f"{len(self.copied):,} copied")
        if self.failed:
            parts.append(f"{len(self.failed):,} failed")
        yield "; ".join(parts)
        yield from _untranslated("copied", self.copied)
        yield from _untranslated("left out", self.tree.left_out)
        for path, message in self.failed:
            yield Message(f"{name_of(path)} failed: {message}", parameters_of(message))


def _untranslated(done: str, entries: Sequence[tuple[Path, Reason]]) -> Iterator[str]:
    """Return the copied and omitted files for each reason, with a way to translate them."""
    paths: dict[Reason, list[str]] = {}
    for path, reason in entries:
        paths.setdefault(reason, []).append(name_of(path))
    for (what, cure), names in paths.items():
        what_all = ("file",) if done == "copied" else ("entry", "entries")
        count = counted(len(names), *what_all)
        text = f"{count} {done} ({what}): {first_few(names)}" + (f". {cure}." if cure else "")
        yield Message(text, parameters_of(cure))
