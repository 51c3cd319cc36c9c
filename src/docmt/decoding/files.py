"""`translate_files`: files in, the same files out in another language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from docmt.decoding.checks import long_sentences
from docmt.decoding.journal import Journal
from docmt.decoding.translator import Translator
from docmt.documents import Document, Translation, WarningKind
from docmt.errors import InputError
from docmt.formats import Input, Output
from docmt.wording import counted

_ReportProgress = Callable[[int, int], None]

_MAX_LISTED = 10
"""Documents, sentences, or unknown words that a note lists."""

_KINDS: dict[WarningKind, str] = {
    "too-short": "too short for the source",
    "too-long": "too long for the source",
    "repetition": "repeating itself",
    "copy": "copied from the source",
    "wrong-script": "with characters of another script",
    "truncated": "truncated at the maximum length (search.max_length_factor)",
}
"""The kinds of warnings in words."""


def _no_progress(_: str) -> AbstractContextManager[_ReportProgress | None]:
    return nullcontext()


def _no_notes(_: str) -> None:
    pass


def translate_files(
    translator: Translator,
    inputs: Sequence[str],
    outputs: Sequence[str],
    *,
    form: Output | None = None,
    input_form: Input | None = None,
    source_language: str | None = None,
    progress: Callable[[str], AbstractContextManager[_ReportProgress | None]] = _no_progress,
    note: Callable[[str], None] = _no_notes,
) -> int:
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

    Returns:
        The number of sentences with a warning (see `Translation.warnings`).
    """
    form, input_form = form or Output(), input_form or Input()
    _check_translator(translator, form)
    language = source_language or translator.pipeline.languages[0]
    target_language = translator.pipeline.languages[1]
    files = [input_form.read(path, language, target_language) for path in inputs]
    for documents, _ in files:
        form.check(documents)
        translator.check_terms(documents)
    names = ["standard input" if path == "-" else path for path in inputs]
    for name, (documents, _) in zip(names, files, strict=True):
        for text in _long_sentence_notes(documents, translator):
            note(f"{name}: {text}")
    suspicious = 0
    with _journals(outputs, note) as journals:
        for name, destination, journal, (documents, skeleton) in zip(
            names, outputs, journals, files, strict=True
        ):
            with progress(name) as report_progress:
                translations = translator.translate(documents, report_progress, journal)
            filling_notes = form.write(destination, translations, skeleton)
            if journal.resumed:
                note(f"{name}: resumed after an interruption")
            for text in (*_notes(translations, translator), *filling_notes):
                note(f"{name}: {text}")
            if form.kind == "same" and input_form.boundaries == "blank":
                for text in _empty_translation_notes(translations):
                    note(f"{name}: {text}")
            suspicious += sum(len(_sentences_with_warnings(t)) for t in translations)
    return suspicious


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


def _long_sentence_notes(documents: Sequence[Document], translator: Translator) -> Iterator[str]:
    """Which sentences may take long, before they do."""
    found = long_sentences(documents, translator.pipeline, translator.instances.max_tokens)
    for document_id, number, tokens in found[:_MAX_LISTED]:
        yield (
            f"document {document_id!r}: sentence {number:,} has {tokens:,} tokens, more than "
            f"{translator.instances.max_tokens:,} (instances.max_tokens); it takes long, and may "
            "be translated badly. If it is several sentences, put them on lines of their own"
        )
    if len(found) > _MAX_LISTED:
        yield f"{counted(len(found) - _MAX_LISTED, 'more sentence')} as long"


def _notes(translations: Sequence[Translation], translator: Translator) -> Iterator[str]:
    """How the documents of a file were cut, and what a reader should look at."""
    chunks = [size for translation in translations for size in translation.chunks]
    yield (
        f"{counted(len(translations), 'document')}, {counted(sum(chunks), 'sentence')}, "
        f"translated in {_chunks_in_words(chunks, translator)}"
    )
    yield from _term_notes(translations, translator)
    yield from _warning_notes(translations)
    truncated = translator.contexts.truncated() if translator.contexts is not None else {}
    for key, passages in truncated.items():
        yield f"{key}: {counted(passages, 'context')} truncated to what the encoder can read"
    unknown: Counter[str] = Counter()
    for translation in translations:
        unknown += translator.pipeline.unknown(translation.document)
    if unknown:
        listed = [f"{token} ({count})" for token, count in unknown.most_common(_MAX_LISTED)]
        yield f"not in the vocabulary and read as <unk>: {_listed(listed, len(unknown))}"


def _term_notes(translations: Sequence[Translation], translator: Translator) -> Iterator[str]:
    """How many terms of the glossary the documents have, and how many their translations."""
    if translator.terms is None:
        return
    counts = [translator.terms.count(translation.document) for translation in translations]
    required, written, sentences = map(sum, zip(*counts, strict=True))
    text = f"{counted(required, 'term')} of the glossary in {counted(sentences, 'sentence')}"
    if required:
        text += f", {written:,} of them in the translation"
    yield text
    if written < required:
        by_document = zip(translations, counts, strict=True)
        short = [repr(t.document.id) for t, count in by_document if count.written < count.required]
        yield (
            "check the terms of " + _listed(short[:_MAX_LISTED], len(short)) + ": their tokens are "
            "in the translation, but its text does not show all of them as they are in the glossary"
        )


def _empty_translation_notes(translations: Sequence[Translation]) -> Iterator[str]:
    """How many sentences look like blank lines between documents in the output."""
    empty = sum(
        not sentence.strip()
        for translation in translations for sentence in translation.document.target or ()
    )  # fmt: skip
    if empty:
        yield (
            f"{counted(empty, 'empty translation')}, which cannot be told from the blank lines "
            "between documents; --output-format jsonl tells them apart"
        )


def _warning_notes(translations: Sequence[Translation]) -> Iterator[str]:
    """Which sentences a reader should check: a note for each document that has some."""
    suspicious = [translation for translation in translations if translation.warnings]
    for translation in suspicious[:_MAX_LISTED]:
        by_kind: dict[WarningKind, list[str]] = {}
        for warning in translation.warnings:
            by_kind.setdefault(warning.kind, []).append(str(warning.sentence + 1))
        kinds = (
            f"{_KINDS[kind]} ({len(numbers):,}): {_listed(numbers[:_MAX_LISTED], len(numbers))}"
            for kind, numbers in by_kind.items()
        )
        noun = "sentence" if translation.document.joined is None else "chunk"
        yield (
            f"document {translation.document.id!r}: check "
            f"{len(_sentences_with_warnings(translation)):,} of "
            f"{counted(len(translation.document), noun)}: {'; '.join(kinds)}"
        )
    if rest := suspicious[_MAX_LISTED:]:
        number = sum(len(_sentences_with_warnings(translation)) for translation in rest)
        yield (
            f"{counted(len(rest), 'more document')}: check {counted(number, 'sentence')} "
            "(--output-format jsonl lists them)"
        )


def _sentences_with_warnings(translation: Translation) -> set[int]:
    """The indices of the sentences that have a warning."""
    return {warning.sentence for warning in translation.warnings}


def _listed(items: Sequence[str], total: int) -> str:
    return ", ".join(items) + (", …" if total > len(items) else "")


def _chunks_in_words(chunks: Sequence[int], translator: Translator) -> str:
    """How many chunks of what size the documents were cut into."""
    window = translator.instances.window
    if translator.slides:
        position = translator.search.window_position or window
        return f"a sliding window of {counted(window, 'sentence')}, taken at position {position}"
    sizes = " to ".join(str(size) for size in sorted({min(chunks), max(chunks)}))
    return f"{counted(len(chunks), 'chunk')} of {sizes} ({translator.instances.kind})"
