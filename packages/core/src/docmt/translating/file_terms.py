"""Candidates for a glossary from a file, translated for it, or from an edited review."""

from __future__ import annotations

from docmt.glossaries import read
from docmt.output import Output
from docmt.translating.file_translation import FileTranslator, TermChoices
from docmt.translating.reviews import read_review
from docmt.translating.term_candidates import Candidate, term_candidates
from docmt.translating.word_aligner import align_documents
from docmt_files import Input
from docmt_files.base.documents import Document
from docmt_files.review import plain
from docmt_files.storage.files import PathLike
from docmt_nmt.translators.repairs import translate
from docmt_nmt.translators.translator import ProgressCallback, Translator


def terms_of_file(
    translator: Translator,
    path: PathLike,
    form: Input,
    *,
    source_language: str | None = None,
    glossary: PathLike | None = None,
    progress: ProgressCallback | None = None,
) -> list[Candidate]:
    """The candidates of a file, with the translations of a translator.

    Args:
        translator: translates the file.
        path: the file.
        form: the way to read it.
        source_language: the code of the language whose rules split text. Default: the translator's.
        glossary: a glossary of terms that are known already.
        progress: called as the translation proceeds.

    Raises:
        InputError: the file cannot be read, or the translator gives no translations of sentences.
    """
    work = FileTranslator(translator, Output("tsv"), form, source_language, TermChoices())
    known = None if glossary is None else read(glossary, translator.languages)
    file = work.read(str(path), "-")
    translations = translate(translator, file.plan, work.repairs, progress=progress)
    documents = [translation.document for translation in translations]
    aligned = align_documents(translator, documents, translator.languages)
    return term_candidates(documents, aligned, translator.languages, known)


def terms_of_review(path: PathLike, glossary: PathLike | None = None) -> list[Candidate]:
    """The candidates of an edited review, with the person's translations.

    Args:
        path: the review.
        glossary: a glossary of terms that are known already.

    Raises:
        InputError: a file cannot be read.
    """
    review = read_review(path)
    pairs = [
        (plain(segment.source), plain(segment.target))
        for unit in review.units
        for segment in unit.segments
        if segment.target
    ]
    source, target = zip(*pairs, strict=True) if pairs else ((), ())
    documents = [Document(review.original, source, target)]
    aligned = align_documents(None, documents, review.languages)
    known = None if glossary is None else read(glossary, review.languages)
    return term_candidates(documents, aligned, review.languages, known)
