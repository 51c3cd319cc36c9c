"""`translate_files`: files in, the same files out in another language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext

from docmt.decoding.translator import Translator
from docmt.documents import Translation
from docmt.errors import InputError
from docmt.files import write_text
from docmt.formats import running, segmented
from docmt.formats.output import Output
from docmt.wording import counted

_ReportProgress = Callable[[int, int], None]

_MAX_LISTED = 10
"""Documents, sentences, or unknown words that a note lists."""


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
    one_sentence_per_line: bool = False,
    source_language: str | None = None,
    progress: Callable[[str], AbstractContextManager[_ReportProgress | None]] = _no_progress,
    note: Callable[[str], None] = _no_notes,
) -> None:
    """Translate files. All are read before the first is translated, and each output is written
    whole or not at all.

    Args:
        translator: translates the documents.
        inputs: the paths of text files; `-` is standard input.
        outputs: the path to write to for each input, as `Output.paths` gives them; `-` is standard
            output.
        form: what to write. Default: the text of the file, translated.
        one_sentence_per_line: whether the input has one sentence per line and a `<d>` line before
            each document if there are several. Default: running text, split into sentences.
        source_language: code of the language by whose rules text is split. Default: the run's.
        progress: given the name of a file, a context manager that yields what
            `Translator.translate` calls to show progress.
        note: called with each thing that a user should know about the translation of a file.

    Raises:
        InputError: a file cannot be read or written, or the translator cannot give what `form`
            asks for.
    """
    form = form or Output()
    _check_translator(translator, form)
    language = source_language or translator.pipeline.languages[0]
    read = segmented.read if one_sentence_per_line else running.read
    files = [read(path, language) for path in inputs]
    for documents, _ in files:
        form.check(documents)
    for path, destination, (documents, skeleton) in zip(inputs, outputs, files, strict=True):
        name = "standard input" if path == "-" else path
        with progress(name) as report_progress:
            translations = translator.translate(documents, report_progress)
        write_text(destination, form.text(translations, skeleton))
        for text in _notes(translations, translator):
            note(f"{name}: {text}")


def _check_translator(translator: Translator, form: Output) -> None:
    """Check that a translator finds what is to be written.

    Raises:
        InputError: its beam is narrower than the number of alternatives, or it does not translate
            sentences at several positions of a window.
    """
    kind, beam_size = translator.instances.kind, translator.search.beam_size
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


def _notes(translations: Sequence[Translation], translator: Translator) -> Iterator[str]:
    """How the documents of a file were cut, and what a reader should look at."""
    chunks = [size for translation in translations for size in translation.chunks]
    yield (
        f"{counted(len(translations), 'document')}, {counted(sum(chunks), 'sentence')}, "
        f"translated in {_chunks_in_words(chunks, translator)}"
    )
    yield from _truncation_notes(translations)
    truncated = translator.contexts.truncated() if translator.contexts is not None else {}
    for key, passages in truncated.items():
        yield f"{key}: {counted(passages, 'context')} truncated to what the encoder can read"
    unknown: Counter[str] = Counter()
    for translation in translations:
        unknown += translator.pipeline.unknown(translation.document)
    if unknown:
        listed = [f"{token} ({count})" for token, count in unknown.most_common(_MAX_LISTED)]
        yield f"not in the vocabulary and read as <unk>: {_listed(listed, len(unknown))}"


def _truncation_notes(translations: Sequence[Translation]) -> Iterator[str]:
    """Which sentences were cut off."""
    cut = [translation for translation in translations if translation.truncated]
    for translation in cut[:_MAX_LISTED]:
        numbers = [str(index + 1) for index in translation.truncated[:_MAX_LISTED]]
        yield (
            f"document {translation.document.id!r}: "
            f"{counted(len(translation.truncated), 'sentence')} truncated at the maximum length "
            f"(search.max_length_factor): {_listed(numbers, len(translation.truncated))}"
        )
    if len(cut) > _MAX_LISTED:
        rest = sum(len(translation.truncated) for translation in cut[_MAX_LISTED:])
        yield f"{counted(rest, 'more sentence')} truncated (--format jsonl lists them)"


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
