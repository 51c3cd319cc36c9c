"""Notes of `docmt translate` about translated files: the division of documents, sentences to check,
and further advice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from docmt.translating.regional_words import regions_note
from docmt_files.base.documents import WARNING_WORDS, WarningKind
from docmt_files.base.messages import Message, parted
from docmt_files.base.wording import counted, first_few
from docmt_nmt.base.translations import Translation
from docmt_nmt.text.language_detection import language_name, other_language
from docmt_nmt.translators.requests import TranslationRequest
from docmt_nmt.translators.term_uses import count_terms
from docmt_nmt.translators.translator import Translator

_MAX_LISTED = 10
"""Maximum number of documents, sentences or unknown words in a note."""

_MIN_SENTENCES, _MANY_IMPROBABLE = 10, 0.2
"""The least sentences of a file that is not like the training corpus, and the least share of them
that is improbable; usual is three in a hundred."""


def documents_by_other_language(
    translator: Translator, request: TranslationRequest
) -> dict[str, list[str]]:
    """The ids of the documents in another language than the translator's source language, by
    language."""
    ids_by_language: dict[str, list[str]] = {}
    for document in request.sources:
        if language := other_language(document.source, translator.languages[0]):
            ids_by_language.setdefault(language, []).append(document.id)
    return ids_by_language


def language_notes(translator: Translator, foreign: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Notes on documents in the wrong language, given as `documents_by_other_language`."""
    for language, ids in foreign.items():
        name, expected = language_name(language), language_name(translator.languages[0])
        noun = "document is" if len(ids) == 1 else "documents are"
        yield (
            f"{len(ids):,} {noun} in {name}, it seems, and this system translates from {expected}: "
            f"{first_few(map(repr, ids))}; translate {'it' if len(ids) == 1 else 'them'} with a "
            f"system for {name}"
        )


def translation_notes(
    translator: Translator, request: TranslationRequest, translations: Sequence[Translation]
) -> Iterator[str]:
    """Yield notes on the translation of the documents of a file, and on sentences to check."""
    counts, rest = parted(translator.notes(request, translations), "counts")
    yield from counts or [_counts(translations)]
    yield from _term_notes(translator, request, translations)
    yield from _warning_notes(translations)
    yield from _domain_notes(translations)
    yield from regions_note(translator.languages, translations)
    yield from rest


def _counts(translations: Sequence[Translation]) -> str:
    """The numbers of documents and sentences."""
    sentences = counted(sum(map(len, translations)), "sentence")
    return f"{counted(len(translations), 'document')}, {sentences}"


def _term_notes(
    translator: Translator, request: TranslationRequest, translations: Sequence[Translation]
) -> Iterator[str]:
    """Numbers of terms of the glossary in the documents, and in their translations."""
    if request.glossary is None or not len(request.glossary):
        return
    glossary = request.glossary.normalized(translator.normalize)
    counts = [
        count_terms(glossary, document.sentences, translation.target)
        for document, translation in zip(request.sources, translations, strict=True)
    ]
    required, written, sentences = map(sum, zip(*counts, strict=True))
    text = f"{counted(required, 'term')} of the glossary in {counted(sentences, 'sentence')}"
    if required:
        text += f", {written:,} of them in the translation"
    yield Message(text, kind="advice")
    if written < required:
        by_document = zip(translations, counts, strict=True)
        short = [repr(t.document.id) for t, count in by_document if count.written < count.required]
        yield (
            f"check the terms of {_listed(short[:_MAX_LISTED], len(short))}: the translation does "
            "not show all of them as they are in the glossary"
        )


def empty_translation_notes(translations: Sequence[Translation]) -> Iterator[str]:
    """The number of sentences that look like blank lines between documents in the output."""
    empty = sum(
        not sentence.strip()
        for translation in translations
        for sentence in translation.document.target or ()
    )
    if empty:
        text = (
            f"{counted(empty, 'empty translation')}, which cannot be told from the blank lines "
            "between documents; `output_format` jsonl tells them apart"
        )
        yield Message(text, ["output_format"])


def _warning_notes(translations: Sequence[Translation]) -> Iterator[str]:
    """The sentences to check: a note for each document with warnings."""
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
        text = (
            f"{counted(len(rest), 'more document')}: check {counted(number, 'sentence')} "
            "(`output_format` jsonl lists them)"
        )
        yield Message(text, ["output_format"])


def _domain_notes(translations: Sequence[Translation]) -> Iterator[str]:
    """A note on text that is not like the text that the system was trained for, where few sentences
    are improbable."""
    sentences = sum(bool(s.strip()) for each in translations for s in each.document.source)
    improbable = sum(
        warning.kind == "improbable" for each in translations for warning in each.warnings
    )
    if sentences >= _MIN_SENTENCES and improbable >= _MANY_IMPROBABLE * sentences:
        yield (
            f"{improbable:,} of {counted(sentences, 'sentence')} are improbable: the text is not "
            "like the text that the system was trained on. Check every sentence, or translate the "
            "text with a system for such text"
        )


def sentences_with_warnings(translation: Translation) -> set[int]:
    """The indices of the sentences with a warning."""
    return {warning.sentence for warning in translation.warnings}


def _listed(items: Sequence[str], total: int) -> str:
    return ", ".join(items) + (", …" if total > len(items) else "")
