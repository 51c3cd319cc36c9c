"""What `docmt translate` says about the files that it has translated: how documents were cut, which
sentences a reader should check, and what else is worth knowing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from docmt.decoding.document_checks import long_sentences
from docmt.decoding.translator import Translator
from docmt.documents import WARNING_WORDS, Document, Translation, WarningKind
from docmt.wording import counted

_MAX_LISTED = 10
"""Documents, sentences, or unknown words that a note lists."""


def long_sentence_notes(documents: Sequence[Document], translator: Translator) -> Iterator[str]:
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


def translation_notes(translations: Sequence[Translation], translator: Translator) -> Iterator[str]:
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
    if translator.terms is None or not len(translator.terms.glossary):
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


def empty_translation_notes(translations: Sequence[Translation]) -> Iterator[str]:
    """How many sentences look like blank lines between documents in the output."""
    empty = sum(
        not sentence.strip()
        for translation in translations
        for sentence in translation.document.target or ()
    )
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
            f"{WARNING_WORDS[kind]} ({len(numbers):,}): "
            + _listed(numbers[:_MAX_LISTED], len(numbers))
            for kind, numbers in by_kind.items()
        )
        noun = "sentence" if translation.document.joined is None else "chunk"
        yield (
            f"document {translation.document.id!r}: check "
            f"{len(sentences_with_warnings(translation)):,} of "
            f"{counted(len(translation.document), noun)}: {'; '.join(kinds)}"
        )
    if rest := suspicious[_MAX_LISTED:]:
        number = sum(len(sentences_with_warnings(translation)) for translation in rest)
        yield (
            f"{counted(len(rest), 'more document')}: check {counted(number, 'sentence')} "
            "(--output-format jsonl lists them)"
        )


def sentences_with_warnings(translation: Translation) -> set[int]:
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
