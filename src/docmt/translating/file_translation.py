"""`translate_files`: files in, the same files out in another language."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import NamedTuple

from docmt.alignment.code_alignment import CodeAligner
from docmt.decoding.glossary_terms import GlossaryTerms
from docmt.decoding.translator import Translator
from docmt.documents import Document, Translation
from docmt.errors import InputError
from docmt.formats import BlockSkeleton, CorpusFile, FileSkeleton, Input, Output, Skeleton
from docmt.formats.core.equal_blocks import with_equal_blocks
from docmt.formats.core.kept_words import keep_words, kept_words, take_out_words
from docmt.glossaries import Glossary
from docmt.translating.journal import Journal
from docmt.translating.notes import (
    empty_translation_notes,
    long_sentence_notes,
    sentences_with_warnings,
    translation_notes,
)
from docmt.translating.term_tables import check_term_table, write_term_table

ReportProgress = Callable[[int, int], None]
"""Called with what is done and the total."""

ReadFile = tuple[list[Document], FileSkeleton | Skeleton | CorpusFile]
"""The documents of a file, and the file without their sentences."""


class FileCounts(NamedTuple):
    """What a user should look at in translated files.

    Attributes:
        suspicious_sentences: the number of sentences with a warning (`Translation.warnings`).
        kept_blocks: the number of blocks that were left as they were, because the translation
            would have changed the structure of the file.
    """

    suspicious_sentences: int = 0
    kept_blocks: int = 0

    def plus(self, other: FileCounts) -> FileCounts:
        """The counts of both."""
        return FileCounts(*map(sum, zip(self, other, strict=True)))


def no_progress(_: str) -> AbstractContextManager[ReportProgress | None]:
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
    progress: Callable[[str], AbstractContextManager[ReportProgress | None]] = no_progress,
    note: Callable[[str], None] = no_notes,
) -> FileCounts:
    """Translate files. All are read before the first is translated, and each output is written
    whole or not at all.

    Args:
        translator: translates the documents.
        inputs: the paths of files; `-` is standard input.
        outputs: the path to write to for each input, as `Output.paths` gives them; `-` is standard
            output.
        form: what to write. Default: the file, translated.
        input_form: how files are read. Default: by their names, as corpora or as running text that
            is split into sentences.
        source_language: code of the language by whose rules text is split. Default: the run's.
        progress: given the name of a file, a context manager that yields what
            `Translator.translate` calls to show progress.
        note: called with each thing that a user should know about the translation of a file.

    Raises:
        InputError: a file cannot be read or written, or the translator cannot give what `form`
            asks for.
    """
    work = FileTranslator(
        translator, form or Output(), input_form or Input(), source_language, progress, note
    )
    files = [work.read(path) for path in inputs]
    for path, (documents, _) in zip(inputs, files, strict=True):
        work.note_long_sentences(path, documents)
    counts = FileCounts()
    with _journals(outputs, note) as journals:
        for path, file, destination, journal in zip(inputs, files, outputs, journals, strict=True):
            counts = counts.plus(work.translate(path, file, destination, journal))
    return counts


@dataclass(frozen=True, slots=True)
class FileTranslator:
    """Translates one file after the other; the arguments are those of `translate_files`.

    Raises:
        InputError: the translator cannot give what `form` asks for.
    """

    translator: Translator
    form: Output
    input_form: Input
    source_language: str | None = None
    progress: Callable[[str], AbstractContextManager[ReportProgress | None]] = no_progress
    note: Callable[[str], None] = no_notes

    def __post_init__(self) -> None:
        _check_translator(self.translator, self.form)

    def read(self, path: str) -> ReadFile:
        """Read a file, and check that it can be translated.

        Raises:
            InputError: it cannot be read, or be translated as asked for.
        """
        source, target = self.translator.pipeline.languages[:2]
        documents, skeleton = self.input_form.read(path, self.source_language or source, target)
        translator = self.translator
        if isinstance(skeleton, BlockSkeleton) and translator.writes_terms:
            terms = GlossaryTerms(Glossary(()), translator.pipeline, translator.search)
            documents, skeleton = keep_words(skeleton, terms.can_keep)
        self._protect(skeleton)
        self.form.check(documents)
        self.translator.check_terms(documents)
        return documents, skeleton

    def note_long_sentences(self, path: str, documents: Sequence[Document]) -> None:
        """Say which sentences may take long, before they do."""
        self._note(path, long_sentence_notes(documents, self.translator))

    def translate(
        self, path: str, file: ReadFile, destination: str, journal: Journal
    ) -> FileCounts:
        """Translate a file that has been read, and write it.

        Raises:
            InputError: it cannot be written.
        """
        documents, skeleton = file
        translator = self.translator
        self._protect(skeleton)
        if translator.consistent:
            glossary = translator.terms.glossary if translator.terms is not None else None
            check_term_table(destination, glossary)
        with self.progress(_name(path)) as report_progress:
            translations = translator.translate(documents, report_progress, journal)
            if isinstance(skeleton, BlockSkeleton):
                translations, skeleton = self._without_failures(translations, skeleton)
        if isinstance(skeleton, BlockSkeleton):
            translations = [with_equal_blocks(each, skeleton) for each in translations]
        aligner = CodeAligner(translator)
        source, target = translator.pipeline.languages[:2]
        written = self.form.write(
            destination, translations, skeleton, aligner, languages=(source, target)
        )
        if translator.consistent:
            self._note(path, write_term_table(destination, translations))
        if journal.resumed:
            self._note(path, ["resumed after an interruption"])
        self._note(path, translation_notes(translations, self.translator))
        self._note(path, (*written.notes, *aligner.notes))
        if self.form.kind == "same" and self.input_form.boundaries == "blank":
            self._note(path, empty_translation_notes(translations))
        return FileCounts(_suspicious(translations), written.kept)

    def _without_failures(
        self, translations: list[Translation], skeleton: BlockSkeleton
    ) -> tuple[list[Translation], BlockSkeleton]:
        """The translations of a file, which is translated again without the words of codes in the
        sentences that a system that does not know how to write them has not ended."""
        words = kept_words(skeleton)
        truncated = {
            index
            for translation in translations
            for index in translation.truncated
            if translation.document.source[index] in words
        }
        if not truncated:
            return translations, skeleton
        documents, skeleton = take_out_words(skeleton, truncated)
        self._protect(skeleton)
        return self.translator.translate(documents), skeleton

    def _protect(self, skeleton: FileSkeleton | Skeleton | CorpusFile) -> None:
        """Protect the words of codes that stay in the sentences of a file."""
        if self.translator.writes_terms:
            words = kept_words(skeleton) if isinstance(skeleton, BlockSkeleton) else {}
            self.translator.protect(words)

    def _note(self, path: str, texts: Iterator[str] | Sequence[str]) -> None:
        for text in texts:
            self.note(f"{_name(path)}: {text}")


def _name(path: str) -> str:
    """A file in notes."""
    return "standard input" if path == "-" else path


def _suspicious(translations: Sequence[Translation]) -> int:
    """The number of sentences with a warning."""
    return sum(len(sentences_with_warnings(translation)) for translation in translations)


@contextmanager
def _journals(outputs: Sequence[str], note: Callable[[str], None]) -> Iterator[Sequence[Journal]]:
    """The journals of the translations of several files. They are kept until all are written, so
    that the same command goes on where it was interrupted."""
    journals = [Journal(output) for output in outputs]
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


def _check_translator(translator: Translator, form: Output) -> None:
    """Check that a translator finds what is to be written.

    Raises:
        InputError: its beam is narrower than the number of alternatives, it does not translate
            sentences at several positions of a window, or does not translate single sentences.
    """
    kind, beam_size = translator.instances.kind, translator.search.beam_size
    if translator.instances.join_sentences and form.kind != "jsonl":
        raise InputError(
            f"--output-format {form.kind} needs a translation of each sentence, and this run "
            "translates whole instances freely (instances.join_sentences)",
            cure="Add --output-format jsonl, which holds a text for each instance",
        )
    if beam_size < form.n_best:
        raise InputError(
            f"--beam-size {beam_size} finds fewer than {form.n_best} translations",
            cure=f"Leave it out, or set it to {form.n_best}",
        )
    if not form.positions:
        return
    if kind != "window":
        raise InputError(
            f"--positions needs a run with instances.kind window, and this one has {kind}",
            cure="Leave it out",
        )
    if not translator.slides:
        raise InputError("--positions needs sliding windows", cure="Add --windows sliding")
