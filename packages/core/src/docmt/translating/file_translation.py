"""`translate_files`: files in, the same files out in another language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from docmt.output import Output
from docmt.translating.journal import FileJournal
from docmt.translating.notes import (
    documents_by_other_language,
    empty_translation_notes,
    language_notes,
    sentences_with_warnings,
    translation_notes,
)
from docmt.translating.passage import Layout, Passage
from docmt.translating.text_repairs.of_texts import repairs
from docmt.translating.word_aligner import code_aligner
from docmt_files import Input
from docmt_files.base.errors import InputError, UnavailableError, name_of
from docmt_files.base.messages import Message, said_of
from docmt_files.base.wording import counted
from docmt_nmt.base.choices import Formality
from docmt_nmt.base.translations import Translation
from docmt_nmt.translators.glossary import Glossary
from docmt_nmt.translators.repair import Repair
from docmt_nmt.translators.repairs import fingerprint, translate
from docmt_nmt.translators.requests import TranslationRequest
from docmt_nmt.translators.translator import Plan, ProgressCallback, Translator

if TYPE_CHECKING:
    from docmt.translating.marked_sentences import MarkedSentence
    from docmt_files.review import Origin


class FileCounts(NamedTuple):
    """Counts of problems in translated files.

    Attributes:
        suspicious_sentences: the number of sentences with a warning (`Translation.warnings`).
        kept_blocks: the number of untranslated blocks, where the translation would have changed the
            structure of the file.
        foreign_documents: the number of documents in another language than the translator's source
            language (`docmt_nmt.text.language_detection`).
        moved_codes: the number of sentences with inline codes around whole words or the whole
            sentence, of which they are around a part in the source.
    """

    suspicious_sentences: int = 0
    kept_blocks: int = 0
    foreign_documents: int = 0
    moved_codes: int = 0

    def plus(self, other: FileCounts) -> FileCounts:
        """Return the sum of two counts."""
        return FileCounts(*map(sum, zip(self, other, strict=True)))


@dataclass(frozen=True, slots=True)
class TermChoices:
    """The required words in the translations of files.

    Attributes:
        glossary: terms with required translations.
        consistent: whether recurring terms of a document get the same translation everywhere.
        instructions, formality: what a person asks of the translation (`TranslationRequest`).
    """

    glossary: Glossary | None = None
    consistent: bool = False
    instructions: str = ""
    formality: Formality = "default"


GROUP = 512
"""Files are translated together until they have so many sentences: batches are full then, and
little is searched again after an interruption."""

FileProgress = Callable[[str], AbstractContextManager[ProgressCallback | None]]
"""Given the name of a file, a context manager yielding the progress callback of
`Translator.translate`."""


def no_progress(_: str) -> AbstractContextManager[ProgressCallback | None]:
    """Show no progress."""
    return nullcontext()


def no_notes(_: str) -> None:
    """Show no notes."""


def translate_files(
    translator: Translator,
    inputs: Sequence[str],
    outputs: Sequence[str],
    *,
    form: Output | None = None,
    input_form: Input | None = None,
    source_language: str | None = None,
    terms: TermChoices | None = None,
    progress: FileProgress = no_progress,
    note: Callable[[str], None] = no_notes,
    mark: Callable[[MarkedSentence], None] | None = None,
) -> FileCounts:
    """Translate files. All files are read before the first is translated, and each output is
    written whole or not at all. Small files are searched together.

    Args:
        translator: translates the documents.
        inputs: the paths of files; `-` is standard input.
        outputs: the output path for each input, as `Output.paths` gives them; `-` is standard
            output.
        form: the form of the output. Default: the file, translated.
        input_form: the way to read files. Default: by their names, as corpora or as running text to
            split into sentences.
        source_language: code of the language whose rules split text. Default: the translator's.
        terms: the required words. Default: none.
        progress: shows the progress of each file.
        note: called with each note for the user about the translation of a file.
        mark: called with each suspicious sentence of a file that is written.

    Raises:
        InputError: a file cannot be read or written, or the translator does not support `form` or
            `terms`.

    >>> import docmt, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.md").write_text("Select **OK**.")
    >>> docmt.translate_files(docmt.load(), [str(folder / "a.md")], [str(folder / "b.md")])
    FileCounts(suspicious_sentences=0, kept_blocks=0, foreign_documents=0, moved_codes=0)
    >>> (folder / "b.md").read_text()
    'Wählen Sie **OK**.'
    """
    if isinstance(inputs, str) or isinstance(outputs, str):
        raise InputError("`inputs` and `outputs` are lists of files", cure="Give lists")
    work = FileTranslator(
        translator,
        form or Output(),
        input_form or Input(),
        source_language,
        terms or TermChoices(),
        progress,
        note,
        mark,
    )
    files = [work.read(path, output) for path, output in zip(inputs, outputs, strict=True)]
    counts = FileCounts()
    with _journals(note) as journals:
        for group in work.groups(files):
            for file in group:
                work.note_cautions(file)
            for part in _translated(work, group, journals):
                counts = counts.plus(part)
    work.note_unused_rules()
    return counts


def _translated(
    work: FileTranslator, group: Sequence[ReadFile], journals: list[FileJournal]
) -> Iterator[FileCounts]:
    """Translate files together, and write them; or, if this fails, one by one, so that those before
    the failing file are written.

    Args:
        work: translates them.
        group: the files.
        journals: theirs are added. The first keeps the results of all; the others show that their
            outputs are in work.

    Raises:
        InputError: a file cannot be translated or written.
    """
    own = [FileJournal(file.output) for file in group]
    journals += own
    try:
        found = work.translations(group, own[0], own[1:])
    except UnavailableError:
        raise
    except InputError:
        if len(group) == 1:
            raise
        for journal in own:
            journal.close()
        for file in group:
            yield from _translated(work, [file], journals)
        return
    for file, translations in zip(group, found, strict=True):
        yield work.write(file, translations, resumed=bool(own[0].resumed))


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file, read and ready to be translated.

    Attributes:
        path: the file; `-` is standard input.
        output: the output path; `-` is standard output.
        layout: the file and its documents.
        plan: the request for the documents, planned by the translator.
    """

    path: str
    output: str
    layout: Layout
    plan: Plan

    @property
    def request(self) -> TranslationRequest:
        """The request for the documents."""
        return self.plan.request

    @property
    def name(self) -> str:
        """The file in notes."""
        return name_of(self.path)


@dataclass(frozen=True, slots=True)
class FileTranslator:
    """Translates one file after the other; the arguments are those of `translate_files`.

    Raises:
        InputError: the translator does not support `form` or `terms`.
    """

    translator: Translator
    form: Output
    input_form: Input
    source_language: str | None
    terms: TermChoices
    progress: FileProgress = no_progress
    note: Callable[[str], None] = no_notes
    mark: Callable[[MarkedSentence], None] | None = None

    def __post_init__(self) -> None:
        _check_features(self.translator, self.form)
        for repair in self.repairs:
            repair.check(self.translator)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """The repairs of translations."""
        return repairs(consistent=self.terms.consistent)

    def read(self, path: str, output: str) -> ReadFile:
        """Read a file, and check it.

        Raises:
            InputError: the file cannot be read, or not be translated as requested.
        """
        if self.form.is_review:
            self._origin(path).check()
        documents, skeleton = self.input_form.read(
            path,
            self.source_language or self.translator.languages[0],
            self.translator.languages[1],
            read_corpus=_read_corpus,
        )
        passage = Passage.of(
            documents,
            skeleton,
            self.translator,
            every_language=self.input_form.every_language,
            rules=self.input_form.rules,
        )
        self.form.check(passage.documents)
        layout = Layout.of_file(passage)
        request = layout.request(
            glossary=self.terms.glossary,
            n_best=self.form.n_best,
            instructions=self.terms.instructions,
            formality=self.terms.formality,
        )
        return ReadFile(path, output, layout, self.translator.plan(request))

    def _origin(self, path: str) -> Origin:
        """A file, and how it is read, for a review."""
        from docmt_files.review import Origin

        language = self.source_language or self.translator.languages[0]
        return Origin(path, self.input_form, language)

    def fingerprint(self, file: ReadFile) -> str | None:
        """Return a digest of everything the translation of a file depends on, or None if it is not
        known."""
        return fingerprint(self.translator, file.request, self.repairs)

    def groups(self, files: Iterable[ReadFile]) -> Iterator[list[ReadFile]]:
        """Files in groups to translate together, as they are read."""
        group: list[ReadFile] = []
        for file in files:
            group.append(file)
            if self.is_full(group):
                yield group
                group = []
        if group:
            yield group

    def is_full(self, group: Sequence[ReadFile]) -> bool:
        """Return whether files are translated together without any more."""
        # Terms are chosen for all documents of a request, and are to be consistent in each file.
        return sum(file.request.size for file in group) >= GROUP or self.terms.consistent

    def note_cautions(self, file: ReadFile) -> None:
        """Note what is known of a file before it is translated.

        Raises:
            InputError: the table of its terms could not be written.
        """
        self._note(file, file.plan.cautions)
        foreign = documents_by_other_language(self.translator, file.request)
        self._note(file, language_notes(self.translator, foreign))
        if self.terms.consistent:
            from docmt.translating.term_tables import check_term_table

            check_term_table(file.output, file.request.glossary)

    def translations(
        self, files: Sequence[ReadFile], journal: FileJournal, others: Sequence[FileJournal] = ()
    ) -> list[list[Translation]]:
        """Translate the documents of files together.

        Args:
            files: the files, of one reader.
            journal: keeps the results, if the translation can be resumed.
            others: journals of the other outputs, where these are not locked otherwise.

        Returns:
            The translations of the documents of each file.
        """
        request = files[0].request
        if len(files) > 1:
            documents = [each for file in files for each in file.request.documents]
            request = replace(request, documents=documents)
        digest = None
        if journal.path is not None:  # Streams have no journal.
            digest = fingerprint(self.translator, request, self.repairs)
        if digest is not None:
            for each in (journal, *others):
                each.begin(digest)
        more = f" and {counted(len(files) - 1, 'other file')}" if len(files) > 1 else ""
        with self.progress(files[0].name + more) as progress:
            found = translate(
                self.translator,
                request if len(files) > 1 else files[0].plan,
                self.repairs,
                progress=progress,
                journal=None if digest is None else journal,
            )
        remaining = iter(found)
        return [list(islice(remaining, len(file.request.documents))) for file in files]

    def write(
        self, file: ReadFile, found: Sequence[Translation], *, resumed: bool = False
    ) -> FileCounts:
        """Write the output of a file.

        Args:
            file: the file.
            found: the translations of its documents.
            resumed: whether they were kept by an interrupted translation.

        Raises:
            InputError: the output cannot be written.
        """
        request = file.request
        foreign = documents_by_other_language(self.translator, request)
        align, align_notes = code_aligner(self.translator)
        (passage,), (parts,) = file.layout.passages, file.layout.parts(found)
        filled = passage.filled_by(parts, align)
        translations, languages = filled.translations, self.translator.languages
        written = self.form.write(
            file.output,
            translations,
            filled.skeleton,
            filled.align,
            languages=languages,
            origin=self._origin(file.path) if self.form.is_review else None,
        )
        if self.mark is not None:
            from docmt.translating.marked_sentences import marked_sentences

            for marked in marked_sentences(translations, filled.skeleton, file.name):
                self.mark(marked)
        if self.terms.consistent:
            from docmt.translating.term_tables import write_term_table

            self._note(file, write_term_table(file.output, translations))
        if resumed:
            self._note(file, [Message("resumed after an interruption", kind="advice")])
        self._note(file, translation_notes(self.translator, request, translations))
        self._note(file, (*written.notes, *align_notes()))
        if self.form.kind == "same" and self.input_form.boundaries == "blank":
            self._note(file, empty_translation_notes(translations))
        suspicious = sum(len(sentences_with_warnings(each)) for each in translations)
        documents = sum(map(len, foreign.values()))
        return FileCounts(suspicious, written.kept, documents, written.moved)

    def note_unused_rules(self) -> None:
        """Note the rules that have left nothing in all files."""
        for text in self.input_form.rules.unused() if self.input_form.rules else ():
            self.note(text)

    def _note(self, file: ReadFile, texts: Iterator[str] | Sequence[str]) -> None:
        for text in texts:
            self.note(said_of(file.name, text))


def _read_corpus(*arguments: Any, **settings: Any) -> Any:
    """The documents of a corpus, whose formats are imported when there is one."""
    from docmt_nmt.corpora import corpus_files

    return corpus_files.read(*arguments, **settings)


def _check_features(translator: Translator, form: Output) -> None:
    """Refuse an output with features that the translator does not have."""
    if "sentences" not in translator.gives and form.kind != "jsonl":
        raise InputError(
            f"`output_format` {form.kind} needs a translation of each sentence, and this run "
            "translates whole instances freely (instances.join_sentences)",
            cure="Set `output_format` jsonl, which holds a text for each instance",
            parameters=("output_format",),
        )
    if form.positions and "positions" not in translator.gives:
        raise InputError(
            "`positions` needs sliding windows, and a run with instances.kind window",
            cure="Set `windows` sliding, or leave out `positions`",
            parameters=("positions", "windows"),
        )


@contextmanager
def _journals(note: Callable[[str], None]) -> Iterator[list[FileJournal]]:
    """A list for the journals of the translations of several files. All journals are kept until all
    files are written, so the same command resumes after an interruption."""
    journals: list[FileJournal] = []
    try:
        yield journals
    except BaseException:
        if any(journal.is_kept for journal in journals):
            note("what has been translated is kept; the same command goes on from there")
        raise
    else:
        for journal in journals:
            journal.remove()
    finally:
        for journal in journals:
            journal.close()
