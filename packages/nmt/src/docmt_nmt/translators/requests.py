"""`TranslationRequest`: the documents to translate, and how, as one frozen value; `Revision`: the
sentences of a translation to translate again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from docmt_files.base.documents import Document, Sentence
from docmt_files.base.errors import InputError
from docmt_nmt.base.choices import Formality
from docmt_nmt.translators.glossary import Glossary

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
        forced_literals: the wanted sentences must have the literals that their known translations
            have lost (`docmt_nmt.decoding.literals`).
        corrected: a language model corrects the known translations of the wanted sentences, instead
            of translating them anew.
        known_codes: for some sentences, the offsets of the inline codes in their known translations
            (`TranslatedSentence.codes`).
    """

    known: tuple[Document, ...]
    sentences: frozenset[SentenceIndex]
    required: Mapping[SentenceIndex, Sequence[tuple[str, ...]]] = field(default_factory=dict)
    continued: bool = False
    forced_literals: bool = False
    corrected: bool = False
    known_codes: Mapping[SentenceIndex, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document to translate, as sentences with all that is known about them.

    Attributes:
        id: the name of the document.
        sentences: the sentences.
        target: a translation to read as target context (`search.oracle`).
    """

    id: str
    sentences: tuple[Sentence, ...]
    target: tuple[str, ...] | None = None

    @classmethod
    def of(cls, document: Document | SourceDocument) -> SourceDocument:
        """A document of which the texts alone are known, or the document itself."""
        if isinstance(document, SourceDocument):
            return document
        return cls(document.id, tuple(map(Sentence, document.source)), document.target)

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def source(self) -> tuple[str, ...]:
        """The texts of the sentences."""
        return tuple(sentence.text for sentence in self.sentences)

    @property
    def plain(self) -> Document:
        """The document with the texts alone."""
        return Document(self.id, self.source, self.target)


@dataclass(frozen=True, slots=True)
class TranslationRequest:
    """A request: the documents to translate, and how.

    Attributes:
        documents: the documents as they were given, of texts or of sentences. Their targets are
            ignored, unless the search is to read them as target context (`search.oracle`).
        glossary: terms with the translations that must be written.
        n_best: the number of translations of each document.
        contexts: the same documents with the translations that are read as target context.
            Default: the translator makes them in a first pass.
        revision: the sentences that are wanted again. Default: all sentences.
        instructions: what a person asks of the translation, such as the readers and the tone.
        formality: the form of address.
        sources: the documents with all that is known about their sentences.

    Raises:
        InputError: `documents` is not a sequence of documents, or one has no sentences; or
            instructions or a note are longer than `MAX_INSTRUCTIONS`.

    >>> request = TranslationRequest([Document("letter", ("Good morning.", "Who is it?"))])
    >>> request.sources[0].sentences[1].text
    'Who is it?'
    """

    documents: Sequence[Document | SourceDocument]
    glossary: Glossary | None = None
    n_best: int = 1
    contexts: Sequence[Document] | None = None
    revision: Revision | None = None
    instructions: str = ""
    formality: Formality = "default"
    sources: tuple[SourceDocument, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_documents(self.documents)
        object.__setattr__(self, "sources", tuple(map(SourceDocument.of, self.documents)))
        longest = max(len(self.instructions), *(len(each.note) for each in self._all_sentences), 0)
        if longest > MAX_INSTRUCTIONS:
            raise InputError(
                f"instructions or a description have {longest:,} characters",
                cure=f"Shorten them to {MAX_INSTRUCTIONS:,}",
                parameters=("instructions",),
            )

    @property
    def _all_sentences(self) -> Iterator[Sentence]:
        return chain.from_iterable(document.sentences for document in self.sources)

    def sentence(self, index: SentenceIndex) -> Sentence:
        """A sentence of the documents."""
        owner, position = index
        return self.sources[owner].sentences[position]

    def with_sentences(
        self, change: Callable[[SentenceIndex, Sentence], Sentence]
    ) -> TranslationRequest:
        """The request with every sentence changed."""
        documents = [
            replace(
                document,
                sentences=tuple(
                    change((owner, index), each) for index, each in enumerate(document.sentences)
                ),
            )
            for owner, document in enumerate(self.sources)
        ]
        return replace(self, documents=documents)

    @property
    def plain_documents(self) -> list[Document]:
        """The documents with the texts alone."""
        return [document.plain for document in self.sources]

    @property
    def size(self) -> int:
        """The number of sentences of all documents."""
        return sum(map(len, self.sources))

    @property
    def has_terms(self) -> bool:
        """True if the translations must contain given words."""
        return self.glossary is not None or any(each.protected for each in self._all_sentences)

    @property
    def has_notes(self) -> bool:
        """True if there is a note on a sentence."""
        return any(each.note for each in self._all_sentences)


def _check_documents(documents: object) -> None:
    """Check the documents of a request: text is easily given instead."""
    if not isinstance(documents, Sequence) or isinstance(documents, str | bytes):
        raise _not_documents(documents)
    for document in documents:
        if not isinstance(document, Document | SourceDocument):
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
