"""Requests: what is to be translated, and how (`TranslationRequest`, one frozen value), and
`Translator`, the interface of whatever translates it: beam search over a system of docmt, or an
engine of another kind. Files, folders, consistent terms, evaluation and the report know no other.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol, overload, runtime_checkable

from docmt.formats import Output
from docmt.glossaries import Glossary
from docmt.ground.documents import Document, InlineCode, Translation
from docmt.ground.errors import InputError
from docmt.ground.wording import counted

ProgressCallback = Callable[[int, int], None]
"""Called with the sentences translated so far and the sentences in all."""

SentenceIndex = tuple[int, int]
"""The index of a document in a request and that of a sentence in it, from 0."""


@dataclass(frozen=True, slots=True)
class Revision:
    """The sentences of a translation that are wanted anew.

    Attributes:
        known: the documents with the translations that the other sentences keep.
        sentences: the sentences that are wanted. A translator may leave out all that these do not
            depend on; what it then gives for other sentences says nothing.
        required: for some sentences, what their translations are to contain if they can: of each
            tuple of forms one.
        continued: whether the wanted sentences go on from the translations of those before them,
            as if the translator had written these itself, as far as it reads its own translations.
    """

    known: tuple[Document, ...]
    sentences: frozenset[SentenceIndex]
    required: Mapping[SentenceIndex, Sequence[tuple[str, ...]]] = field(default_factory=dict)
    continued: bool = False


@dataclass(frozen=True, slots=True)
class TranslationRequest:
    """A request: what is to be translated, and how.

    Attributes:
        documents: the documents. Their targets are ignored, unless the search is to read them as
            target context (`search.oracle`).
        glossary: terms whose translations must be written.
        protected: for some sentences, by their texts, words that they have and that are written as
            they are, such as placeholders, each as often as it is given.
        consistent: translate terms that recur in a document alike; `Translation.terms` then has
            those that were translated in several ways at first.
        n_best: how many translations of each document to find.
        contexts: the same documents with the translations that are read as target context.
            Default: what the translator finds in a first pass.
        revision: which sentences are wanted anew. Default: all.
        headings: the level of each sentence that is a heading, from 1, where that is known.
        codes: the inline codes of sentences that have some between their words. A translator may
            say where they go in the translation (`Translation.codes`); it need not.

    Raises:
        InputError: `documents` is not a sequence of documents, or one has no sentences.

    >>> request = TranslationRequest([Document("letter", ("Good morning.", "Who is it?"))])
    >>> request.sentences
    2
    """

    documents: Sequence[Document]
    glossary: Glossary | None = None
    protected: Mapping[str, Sequence[str]] = field(default_factory=dict)
    consistent: bool = False
    n_best: int = 1
    contexts: Sequence[Document] | None = None
    revision: Revision | None = None
    headings: Mapping[SentenceIndex, int] = field(default_factory=dict)
    codes: Mapping[SentenceIndex, Sequence[InlineCode]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_documents(self.documents)

    @classmethod
    def of(cls, request: TranslationRequest | Sequence[Document]) -> TranslationRequest:
        """The request itself, or one for documents and nothing else."""
        return request if isinstance(request, TranslationRequest) else cls(request)

    @property
    def sentences(self) -> int:
        """The number of sentences of all documents."""
        return sum(map(len, self.documents))

    @property
    def has_terms(self) -> bool:
        """True if there is something that translations must contain."""
        return self.glossary is not None or bool(self.protected)


class Journal(Protocol):
    """Keeps what a long translation has found so far, in the order in which it was found."""

    def next(self) -> Any | None:
        """The next value that an interrupted translation kept; None if there are no more."""

    def add(self, value: Any) -> None:
        """Keep a value, which JSON can represent."""

    def discard(self) -> None:
        """Forget what was kept, as it is not of this translation."""


@dataclass(frozen=True)
class Plan:
    """A request that a translator has prepared and checked.

    Attributes:
        request: the request.
        cautions: what a user should know before the translation begins.
    """

    request: TranslationRequest
    cautions: tuple[str, ...] = ()


@runtime_checkable
class Translator(Protocol):
    """Whatever translates documents. A translator never changes, so threads may share it.

    Another kind of translator subclasses it and defines `languages` and `translate`. Whatever else
    it can do, it says by overriding the other members.
    """

    @property
    @abstractmethod
    def languages(self) -> tuple[str, str]:
        """The codes of the source and of the target language."""

    @abstractmethod
    def translate(
        self,
        request: TranslationRequest | Sequence[Document],
        *,
        plan: Plan | None = None,
        progress: ProgressCallback | None = None,
        journal: Journal | None = None,
    ) -> list[Translation]:
        """Translate documents: exactly one target sentence for each source sentence, and an empty
        one for an empty one.

        Args:
            request: the documents and how they are translated, or the documents alone.
            plan: what `plan` has given for this request. Default: it is planned first.
            progress: called with the sentences translated so far and the sentences in all.
            journal: keeps what is found, and gives what an interrupted translation of the same
                request found.

        Returns:
            The translations of the documents, in their order.

        Raises:
            InputError: the request cannot be met.
        """

    @overload
    def translate_text(self, text: str) -> str: ...  # type: ignore[overload-overlap]
    @overload
    def translate_text(self, text: Sequence[str]) -> list[str]: ...
    def translate_text(self, text: str | Sequence[str]) -> str | list[str]:
        """Translate a sentence, or the sentences of one document, each with the others as its
        context.

        Args:
            text: a sentence, or a list of sentences.

        Returns:
            The translation of the sentence, or those of all.

        Raises:
            InputError: as `translate`.

        >>> import docmt
        >>> docmt.load().translate_text("Open the file.")
        'Öffnen Sie die Datei.'
        """
        sentences = (text,) if isinstance(text, str) else tuple(text)
        if not sentences:
            return []
        (translation,) = self.translate(TranslationRequest([Document("text", sentences)]))
        target = list(translation.document.target or ())
        return target[0] if isinstance(text, str) else target

    def plan(self, request: TranslationRequest) -> Plan:
        """Prepare a request, and check that it can be met, before anything is translated.

        Raises:
            InputError: it cannot.
        """
        if request.n_best > 1 or request.has_terms:
            wanted = "words that must be written" if request.has_terms else "several translations"
            raise InputError(f"this translator does not give {wanted}", cure="Leave them out")
        return Plan(request)

    def check_output(self, output: Output) -> None:
        """Check that translations have what is to be written.

        Raises:
            InputError: they do not.
        """
        if output.positions:
            raise InputError(
                "`positions` needs a run with instances.kind window", cure="Leave it out"
            )

    @property
    def requires_words(self) -> bool:
        """True if translations can be made to contain given words."""
        return False

    def can_keep(self, sentence: str, words: Sequence[str]) -> bool:
        """True if the translation of a sentence can have these words of it as they are, each as
        often as it is given."""
        del sentence, words
        return False

    def normalize(self, text: str) -> str:
        """Text as the translator reads it, by which terms are found."""
        return text

    def fingerprint(self, request: TranslationRequest) -> str | None:
        """Return what stays the same as long as the translation of this request does; None if
        nothing does, so that there is no journal."""
        del request
        return None

    def rehearsal(self) -> Translator | None:
        """A translator that finds out what translations would cost, and says it as `costs`, without
        making them; None if they cost nothing but time."""
        return None

    def costs(self) -> list[str]:
        """Return what all translations so far have cost, in sentences; none if it was nothing but
        time."""
        return []

    def notes(self, request: TranslationRequest, translations: Sequence[Translation]) -> list[str]:
        """Return what a user should know about how documents were translated, in sentences."""
        del request
        sentences = sum(len(translation.document) for translation in translations)
        return [f"{counted(len(translations), 'document')}, {counted(sentences, 'sentence')}"]


def merge_revision(
    old: Translation,
    new: Translation,
    sentences: Sequence[int],
    source: Sequence[str] | None = None,
) -> Translation:
    """A translation with some sentences of another one of the same document.

    Args:
        old: the translation of all sentences.
        new: has those sentences anew; of its alternatives, where it has fewer, the last counts.
        sentences: their indices.
        source: the source sentences, if they are others than before.
    """
    chosen = frozenset(sentences)

    def merged(mine: Sequence[Any], others: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(others[i] if i in chosen else value for i, value in enumerate(mine))

    best = old.alternatives[0]
    alternatives = []
    for rank, mine in enumerate(old.alternatives):
        other = new.alternatives[min(rank, len(new.alternatives) - 1)]
        alternatives.append(
            replace(
                mine,
                sentences=merged(mine.sentences, other.sentences),
                scores=merged(mine.scores, other.scores),
            )
        )
    positions = []
    for mine in old.positions:
        # A position changes where it has the translation that was taken from it.
        same = [
            i
            for i in chosen
            if (mine.sentences[i], mine.scores[i]) == (best.sentences[i], best.scores[i])
        ]
        texts, scores = list(mine.sentences), list(mine.scores)
        for i in same:
            texts[i], scores[i] = new.alternatives[0].sentences[i], new.alternatives[0].scores[i]
        positions.append(replace(mine, sentences=tuple(texts), scores=tuple(scores)))
    truncated = {i for i in old.truncated if i not in chosen} | (chosen & set(new.truncated))
    warnings = [warning for warning in old.warnings if warning.sentence not in chosen]
    warnings += [warning for warning in new.warnings if warning.sentence in chosen]
    codes = {index: own for index, own in old.codes.items() if index not in chosen}
    codes |= {index: own for index, own in new.codes.items() if index in chosen}
    document = old.document if source is None else replace(old.document, source=tuple(source))
    return replace(
        old,
        document=document.translated(alternatives[0].sentences),
        scores=alternatives[0].scores,
        truncated=tuple(sorted(truncated)),
        alternatives=tuple(alternatives),
        positions=tuple(positions),
        warnings=tuple(sorted(warnings, key=lambda warning: warning.sentence)),
        codes=codes,
    )


def digest_of_translation(identity: Any, documents: Sequence[Document]) -> str:
    """Return a digest of a translation, for `Translator.fingerprint`.

    Args:
        identity: all that it depends on besides its documents, as plain values.
        documents: what is translated or read.
    """
    digest = sha256(json.dumps([_version(), identity]).encode())
    for document in documents:
        values = [document.id, document.source, document.target]
        digest.update(json.dumps(values).encode())
    return digest.hexdigest()


def _version() -> str:
    """Return the version of docmt, where it is installed."""
    try:
        return version("docmt")
    except PackageNotFoundError:
        return ""


def _check_documents(documents: object) -> None:
    """Check what is to be translated, for which text is easily given."""
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
    """The error about something else than documents."""
    return InputError(
        f"translate takes a list of documents, not {_described(value)}",
        cure='Write translator.translate([docmt.Document("name", ("A sentence.", "Another."))]), '
        "or translator.translate_text for text",
    )


def _described(value: object) -> str:
    """A value and its type, for messages."""
    return f"{type(value).__name__} {str(value)[:40]!r}"
