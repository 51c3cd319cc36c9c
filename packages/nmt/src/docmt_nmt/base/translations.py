"""`Translation`, a translated document: its sentences, each with all that is known about the
translation. A sentence is one value, so it is kept, replaced or moved whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from docmt_files.base.documents import Document, SentenceMatch, SentenceWarning, WarningKind


class Candidate(NamedTuple):
    """One of several translations of a sentence.

    Attributes:
        text: the translation.
        log_probability: mean natural log-probability per token.
    """

    text: str
    log_probability: float = 0.0


class ContextChoice(NamedTuple):
    """Why a translation was preferred to that of the sentence alone.

    Attributes:
        by: the sentence before that decides most by itself.
        alone: the translation of the sentence alone.
    """

    by: str
    alone: str

    def in_words(self) -> str:
        """The choice, for a reader.

        >>> ContextChoice("Did you see it?", "Eu fiz.").in_words()
        'the sentences before decide, most of all "Did you see it?"; alone: Eu fiz.'
        """
        return f'the sentences before decide, most of all "{self.by}"; alone: {self.alone}'


@dataclass(frozen=True, slots=True)
class TranslatedSentence:
    """A sentence and its translation.

    Attributes:
        source: the sentence.
        target: the best translation.
        log_probability: mean natural log-probability per token; 0 if it is empty or not known.
        truncated: whether the translation was cut off at the maximum length of the search.
        others: further translations, best first.
        positions: with a sliding window of k sentences, k translations: the j-th from position j of
            a window, or as close to it as the sentence ever stands at the beginning of the
            document. Otherwise empty.
        warnings: possible faults of the best translation.
        codes: where the inline codes of the source go: the offset of each in the best translation,
            in characters. Empty if the translator does not say.
        match: the match in a translation memory.
        context: where the sentences before decided, why.
    """

    source: str
    target: str = ""
    log_probability: float = 0.0
    truncated: bool = False
    others: tuple[Candidate, ...] = ()
    positions: tuple[Candidate, ...] = ()
    warnings: tuple[SentenceWarning, ...] = ()
    codes: tuple[int, ...] = ()
    match: SentenceMatch | None = None
    context: ContextChoice | None = None

    @property
    def best(self) -> Candidate:
        """The best translation."""
        return Candidate(self.target, self.log_probability)

    @property
    def alternatives(self) -> tuple[Candidate, ...]:
        """All translations, best first."""
        return (self.best, *self.others)

    def at_position(self, position: int) -> Candidate:
        """The translation at a position of a sliding window, from 0: the best one where the
        sentence has no translations for positions."""
        return self.positions[position] if self.positions else self.best

    def with_targets(self, change: Callable[[str], str]) -> TranslatedSentence:
        """The sentence with every translation changed."""

        def changed(several: Iterable[Candidate]) -> tuple[Candidate, ...]:
            return tuple(Candidate(change(each.text), each.log_probability) for each in several)

        return replace(
            self,
            target=change(self.target),
            others=changed(self.others),
            positions=changed(self.positions),
        )

    def warned(self, warnings: Iterable[SentenceWarning]) -> TranslatedSentence:
        """The sentence with these warnings."""
        return replace(self, warnings=tuple(warnings))

    def revised(self, later: TranslatedSentence) -> TranslatedSentence:
        """The sentence with a later translation. A position changes where the best translation was
        taken from it."""
        positions = (later.best if each == self.best else each for each in self.positions)
        return replace(later, positions=tuple(positions))


@dataclass(frozen=True, slots=True)
class TermTranslation:
    """One of the translations of a term in a document.

    Attributes:
        forms: how it was written, the most frequent form first.
        sentences: the indices of the sentences with the translation, from 0.
        log_probability: the mean over these sentences.
    """

    forms: tuple[str, ...]
    sentences: tuple[int, ...]
    log_probability: float


@dataclass(frozen=True, slots=True)
class RecurringTerm:
    """A term with several translations in a document, before terms were made consistent.

    Attributes:
        source: the term in the most frequent spelling.
        translations: the winner first: the translation of most sentences or, of several, the most
            probable.
        changed: the indices of the sentences changed to the winner.
    """

    source: str
    translations: tuple[TermTranslation, ...]
    changed: tuple[int, ...] = ()

    @property
    def winner(self) -> TermTranslation:
        """The translation wanted for all occurrences."""
        return self.translations[0]

    @property
    def losers(self) -> tuple[TermTranslation, ...]:
        """The other ones."""
        return self.translations[1:]


class Alternative(NamedTuple):
    """One of several translations of the same document.

    Attributes:
        sentences: a target sentence for each source sentence.
        log_probabilities: mean natural log-probability per token, for each sentence.
    """

    sentences: tuple[str, ...]
    log_probabilities: tuple[float, ...]

    @classmethod
    def of(cls, candidates: Iterable[Candidate]) -> Alternative:
        """The translation of a document from one of each sentence."""
        chosen = tuple(candidates)
        return cls(tuple(c.text for c in chosen), tuple(c.log_probability for c in chosen))


class DocumentWarning(NamedTuple):
    """A warning about a sentence of a document.

    Attributes:
        sentence: the index of the sentence in the document, from 0.
        kind: the possible fault.
        detail: the numbers or characters in question, in words.
    """

    sentence: int
    kind: WarningKind
    detail: str


def warnings_by_sentence(
    warnings: Iterable[DocumentWarning], sentences: int
) -> list[list[SentenceWarning]]:
    """The warnings about each sentence of a document with this number of sentences."""
    found: list[list[SentenceWarning]] = [[] for _ in range(sentences)]
    for index, kind, detail in warnings:
        found[index].append(SentenceWarning(kind, detail))
    return found


@dataclass(frozen=True, slots=True)
class Translation:
    """A translated document.

    Attributes:
        id: the id of the document.
        sentences: the sentences.
        chunks: the number of sentences in each chunk of the document; with a sliding window, the
            number of sentences taken from each window.
        terms: where terms were made consistent, the terms with several translations before.
        is_joined: whether each of the `sentences` is a whole chunk, because chunks were translated
            freely (`instances.join_sentences`).

    >>> translation = Translation.of("letter", ["Yes.", "No."], ["Ja.", "Nein."])
    >>> translation.document.target
    ('Ja.', 'Nein.')
    """

    id: str
    sentences: tuple[TranslatedSentence, ...]
    chunks: tuple[int, ...] = ()
    terms: tuple[RecurringTerm, ...] = ()
    is_joined: bool = False

    @classmethod
    def of(cls, id: str, source: Sequence[str], target: Sequence[str]) -> Translation:  # noqa: A002
        """The translation of a document of which nothing else is known; one chunk."""
        pairs = zip(source, target, strict=True)
        return cls(id, tuple(TranslatedSentence(*pair) for pair in pairs), (len(source),))

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def source(self) -> tuple[str, ...]:
        """The source sentences, or chunks."""
        return tuple(sentence.source for sentence in self.sentences)

    @property
    def target(self) -> tuple[str, ...]:
        """The best translation of each sentence."""
        return tuple(sentence.target for sentence in self.sentences)

    @property
    def document(self) -> Document:
        """The document with the best translation."""
        return Document(self.id, self.source, self.target, self.chunks if self.is_joined else None)

    @property
    def log_probabilities(self) -> tuple[float, ...]:
        """The mean natural log-probability per token of each sentence."""
        return tuple(sentence.log_probability for sentence in self.sentences)

    @property
    def truncated(self) -> tuple[int, ...]:
        """The indices, from 0, of the truncated sentences."""
        return tuple(i for i, sentence in enumerate(self.sentences) if sentence.truncated)

    @property
    def warnings(self) -> tuple[DocumentWarning, ...]:
        """The warnings about all sentences, in the order of the sentences."""
        return tuple(
            DocumentWarning(index, warning.kind, warning.detail)
            for index, sentence in enumerate(self.sentences)
            for warning in sentence.warnings
        )

    @property
    def matches(self) -> Mapping[int, SentenceMatch]:
        """The matches in a translation memory, by the indices of the sentences."""
        return {i: s.match for i, s in enumerate(self.sentences) if s.match is not None}

    @property
    def context_choices(self) -> Mapping[int, ContextChoice]:
        """Why the sentences before decided, by the indices of the sentences where they did."""
        return {i: s.context for i, s in enumerate(self.sentences) if s.context is not None}

    @property
    def alternatives(self) -> tuple[Alternative, ...]:
        """The translations of the document, best first. The k-th joins the k-th best translations
        of the sentences, or the last one of a sentence with fewer."""
        several = [sentence.alternatives for sentence in self.sentences]
        return tuple(
            Alternative.of(each[min(rank, len(each) - 1)] for each in several)
            for rank in range(max(map(len, several), default=0))
        )

    @property
    def positions(self) -> tuple[Alternative, ...]:
        """The translations of the document from each position of a sliding window."""
        return self.at_positions(max((len(each.positions) for each in self.sentences), default=0))

    def at_positions(self, count: int) -> tuple[Alternative, ...]:
        """The translations of the document from this number of positions: a document without
        positions, such as one from a translation memory, has the same translation at each."""
        return tuple(Alternative.of(s.at_position(j) for s in self.sentences) for j in range(count))

    def part(self, id: str, first: int, size: int) -> Translation:  # noqa: A002
        """The translation of a document within this longer one, or this one under another id.

        Args:
            id: the id of the document.
            first: the index of the document's first sentence.
            size: the number of its sentences. A joined document is always the whole.
        """
        if self.is_joined or (first, size) == (0, len(self)):
            return replace(self, id=id)
        return replace(self, id=id, sentences=self.sentences[first : first + size], chunks=())

    def with_origins(self, origins: Sequence[int]) -> Translation:
        """The translation with the translation of another sentence for some sentences: inline codes
        are placed anew in these.

        Args:
            origins: for each sentence, the index of the sentence with the translation to use.
        """
        return self.with_sentences(
            self.sentences[i] if i == origin else replace(self.sentences[origin], codes=())
            for i, origin in enumerate(origins)
        )

    def with_best(self, targets: Iterable[str]) -> Translation:
        """The translation with other best translations of the sentences."""
        pairs = zip(self.sentences, targets, strict=True)
        return self.with_sentences(replace(each, target=target) for each, target in pairs)

    def with_sentences(self, sentences: Iterable[TranslatedSentence]) -> Translation:
        """The translation with other sentences, as many."""
        made = tuple(sentences)
        assert len(made) == len(self), "as many sentences"
        return replace(self, sentences=made)
