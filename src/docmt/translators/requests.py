"""`TranslationRequest`: the documents to translate, and how, as one frozen value; `Revision`: the
sentences of a translation to translate again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from docmt.glossaries import Glossary
from docmt.ground.choices import Formality
from docmt.ground.documents import Document, InlineCode, SentenceMatch
from docmt.ground.errors import InputError

MAX_INSTRUCTIONS = 4000
"""Maximum number of characters of instructions, and of a description."""

SentenceIndex = tuple[int, int]
"""The index of a document in a request and that of a sentence in it, from 0."""


@dataclass(frozen=True, slots=True)
class Revision:
    """The sentences of a translation that are wanted again.

    Attributes:
        known: the documents with the translations that all other sentences keep.
        sentences: the wanted sentences. A translator may skip every sentence on which no wanted
            sentence depends; the answers for unwanted sentences mean nothing.
        required: for some sentences, words for their translations: one form of each tuple, where
            the translator can write it.
        continued: the wanted sentences continue the translations of the sentences before them, as
            if the translator had written these, as far as it reads its own translations.
        stand_ins: the words of the wanted sentences that the vocabulary lacks are replaced by
            stand-ins before the search, and put back afterwards.
        corrected: a language model corrects the known translations of the wanted sentences, instead
            of translating them anew.
        known_codes: for some sentences, the offsets of the inline codes in their known translations
            (`Translation.codes`).
    """

    known: tuple[Document, ...]
    sentences: frozenset[SentenceIndex]
    required: Mapping[SentenceIndex, Sequence[tuple[str, ...]]] = field(default_factory=dict)
    continued: bool = False
    stand_ins: bool = False
    corrected: bool = False
    known_codes: Mapping[SentenceIndex, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TranslationRequest:
    """A request: the documents to translate, and how.

    Attributes:
        documents: the documents. Their targets are ignored, unless the search is to read them as
            target context (`search.oracle`).
        glossary: terms with the translations that must be written.
        protected: for some sentences, by their texts, words to write as they are, such as
            placeholders, each as often as it is given.
        without_words: for some of the protected sentences, by their texts, the text without these
            words. It is translated where a translator fails on the words
            (`docmt.translators.truncated_sentences`).
        n_best: the number of translations of each document.
        contexts: the same documents with the translations that are read as target context.
            Default: the translator makes them in a first pass.
        revision: the sentences that are wanted again. Default: all sentences.
        headings: the level of each sentence that is a heading, from 1, where that is known.
        codes: the inline codes of sentences that have some between their words. A translator may
            say where they go in the translation (`Translation.codes`).
        keys: the keys of sentences in files of strings, such as `menu.open`.
        similar: for some sentences, a similar sentence with the translation by a person, which a
            language model reads.
        instructions: what a person asks of the translation, such as the readers and the tone.
        formality: the form of address.
        descriptions: for some sentences, what they are for, such as the label of a button; a
            language model reads them, and they are no part of the document.

    Raises:
        InputError: `documents` is not a sequence of documents, or one has no sentences; or
            instructions or a description are longer than `MAX_INSTRUCTIONS`.

    >>> request = TranslationRequest([Document("letter", ("Good morning.", "Who is it?"))])
    >>> request.sentences
    2
    """

    documents: Sequence[Document]
    glossary: Glossary | None = None
    protected: Mapping[str, Sequence[str]] = field(default_factory=dict)
    without_words: Mapping[str, str] = field(default_factory=dict)
    n_best: int = 1
    contexts: Sequence[Document] | None = None
    revision: Revision | None = None
    headings: Mapping[SentenceIndex, int] = field(default_factory=dict)
    codes: Mapping[SentenceIndex, Sequence[InlineCode]] = field(default_factory=dict)
    keys: Mapping[SentenceIndex, str] = field(default_factory=dict)
    similar: Mapping[SentenceIndex, SentenceMatch] = field(default_factory=dict)

    instructions: str = ""
    formality: Formality = "default"
    descriptions: Mapping[SentenceIndex, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_documents(self.documents)
        longest = max(map(len, (self.instructions, *self.descriptions.values())))
        if longest > MAX_INSTRUCTIONS:
            raise InputError(
                f"instructions or a description have {longest:,} characters",
                cure=f"Shorten them to {MAX_INSTRUCTIONS:,}",
                parameters=("instructions",),
            )

    @property
    def sentences(self) -> int:
        """The number of sentences of all documents."""
        return sum(map(len, self.documents))

    @property
    def has_terms(self) -> bool:
        """True if the translations must contain given words."""
        return self.glossary is not None or bool(self.protected)


def _check_documents(documents: object) -> None:
    """Check the documents of a request: text is easily given instead."""
    if not isinstance(documents, Sequence) or isinstance(documents, str | bytes):
        raise _not_documents(documents)
    for document in documents:
        if not isinstance(document, Document):
            raise _not_documents(document)
        if not document.source:
            raise InputError(
                f"document {document.id!r} has no sentences", cure="Leave it out or fill it"
            )
        if wrong := [sentence for sentence in document.source if not isinstance(sentence, str)]:
            raise InputError(
                f"document {document.id!r} has a sentence that is {_described(wrong[0])}",
                cure="Give each sentence as a string",
            )


def _not_documents(value: object) -> InputError:
    """The error about a value that is not a list of documents."""
    return InputError(
        f"translate takes a list of documents, not {_described(value)}",
        cure='Write translator.translate([docmt.Document("name", ("A sentence.", "Another."))]), '
        "or docmt.translate_text(translator, text) for text",
    )


def _described(value: object) -> str:
    """A value and its type, for messages."""
    return f"{type(value).__name__} {str(value)[:40]!r}"


def check_targets(documents: Sequence[Document]) -> None:
    """Check that documents have translations.

    Raises:
        InputError: one has no sentences or no target, or is not a document.
    """
    TranslationRequest(documents)  # checks them
    for document in documents:
        if document.target is None:
            raise InputError(
                f"document {document.id!r} has no translation",
                cure="Give a target for every document",
            )
