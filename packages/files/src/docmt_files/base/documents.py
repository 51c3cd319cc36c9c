"""`Document`, sentences in order with or without translations: the type returned by every reader
and taken by every writer. `Sentence`, a sentence to translate with all that is known about it. Also
the boundaries of documents in line files, which hold one sentence per line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Literal, NamedTuple

from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted

Boundaries = Literal["markers", "blank", "docids", "sentences", "none"]
"""Forms of document boundaries in line files: a `MARKER` line before each document, a blank line
between documents, a file of document ids and sentence counts, each line is a document
(`sentences`), or the whole file is one document (`none`)."""

WarningKind = Literal[
    "too-short",
    "too-long",
    "repetition",
    "copy",
    "wrong-script",
    "other-language",
    "other-sentence",
    "truncated",
    "missing-characters",
    "lost-words",
    "numbers",
    "symbols",
    "names",
    "brackets",
    "sentences",
    "negation",
    "improbable",
    "not-translated",
    "codes",
    "terms",
]
"""Kinds of warnings about a translated sentence.

Compared with the source, the sentence is unusually short or long, copies the source, has other
numbers, has other symbols, addresses or identifiers, lacks a name, has other brackets, is more or
fewer sentences, or is negated on one side only. It repeats itself. It is improbable to the
system itself. It has characters of a script foreign to the target language, or it is in another
language. It has text of another sentence. It was truncated at the maximum length. The source has
characters missing from the vocabulary, possibly changed in the translation, or the translation has
lost such a word. It was left untranslated. It lacks a code of the source, or has a superfluous one
or part of one. It lacks a required term.
"""

WARNING_WORDS: Mapping[WarningKind, str] = {
    "too-short": "too short for the source",
    "too-long": "too long for the source",
    "repetition": "repeating itself",
    "copy": "copied from the source",
    "wrong-script": "with characters of another script",
    "other-language": "in another language than the target language",
    "other-sentence": "possibly with text of another sentence",
    "truncated": "truncated at the maximum length (search.max_length_factor)",
    "missing-characters": "with something that the vocabulary lacks",
    "lost-words": "without a word that must stay as it is, or with it in an uncertain place",
    "numbers": "with other numbers than the source",
    "symbols": "with other symbols, addresses or identifiers than the source",
    "names": "without a name of the source",
    "brackets": "with other brackets than the source",
    "sentences": "with other sentences than the source",
    "negation": "with a negation where the source has none, or the other way round",
    "improbable": "improbable to the system itself",
    "not-translated": "left as in the source",
    "codes": "without a code of the source, or with one or a part of one too many",
    "terms": "without a term that it must have, or worse with it",
}
"""The kinds of warnings in words."""

MatchKind = Literal["in-context", "exact", "adapted", "fuzzy"]
"""Kinds of matches of a sentence in a translation memory. The translation is taken if the memory
has the sentence in the same context, elsewhere, or with other numbers or placeholders, which are
put in (`adapted`). A similar sentence (`fuzzy`) is shown to a language model and to the reader."""

MATCH_WORDS: Mapping[MatchKind, str] = {
    "in-context": "from the memory, in the same context",
    "exact": "from the memory",
    "adapted": "from the memory, with other numbers or placeholders put in",
    "fuzzy": "translated anew; the memory has a similar sentence",
}
"""The kinds of matches in words."""

MARKER = "<d>"
"""The line at the beginning of a document in line files with boundaries `markers`."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document as a list of sentences; target sentence i translates source sentence i.

    Attributes:
        id: the document's name, unique in the corpus.
        source: the source sentences.
        target: the target sentences, or None if there is no translation yet.
        joined: for a document with joined sentences, because they were translated freely
            (`instances.join_sentences`): the number of original sentences in each.

    Raises:
        InputError: a side is a single string, or the two sides have different numbers of sentences.
    """

    id: str
    source: tuple[str, ...]
    target: tuple[str, ...] | None = None
    joined: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        for name, side in (("source", self.source), ("target", self.target)):
            # The characters of a string would be taken for sentences.
            if isinstance(side, str | bytes):
                raise InputError(
                    f"the {name} of document {self.id!r} is a single {type(side).__name__}, not a "
                    "sequence of sentences",
                    cure=f"Write ({side[:40]!r},) for one sentence, or divide the text into "
                    "sentences",
                )
        if self.target is not None and len(self.source) != len(self.target):
            raise InputError(
                f"document {self.id!r} has {counted(len(self.source), 'source sentence')} but "
                f"{counted(len(self.target), 'target sentence')}",
                cure="Align the two sides so that sentence i translates sentence i",
            )
        if self.joined is not None and (
            len(self.joined) != len(self.source) or min(self.joined, default=1) < 1
        ):
            raise InputError(
                f"document {self.id!r} does not say of each of its "
                f"{counted(len(self.source), 'text')} how many sentences it was joined from",
                cure="Give as many numbers in `joined` as there are texts, each 1 or more",
            )

    def __len__(self) -> int:
        return len(self.source)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of original sentences in each text: 1 each unless `joined` is given."""
        return (1,) * len(self) if self.joined is None else self.joined

    def translated(self, target: Iterable[str]) -> Document:
        """The document with these target sentences, one for each source sentence."""
        return replace(self, target=tuple(target))

    def join(self, sizes: Sequence[int]) -> Document:
        """The document with groups of these sizes joined by spaces.

        Args:
            sizes: numbers of sentences to join into the first, the second, …; they add up to all.
        """
        assert sum(sizes) == len(self), "sizes add up to the number of sentences"
        offsets = [0, *accumulate(sizes)]

        def joined(side: Sequence[str]) -> tuple[str, ...]:
            texts = (side[first:end] for first, end in pairwise(offsets))
            return tuple(" ".join(s.strip() for s in text if s.strip()) for text in texts)

        target = None if self.target is None else joined(self.target)
        return Document(self.id, joined(self.source), target, tuple(sizes))


@dataclass(frozen=True, slots=True)
class SentenceWarning:
    """A fault for the reader to look at in a translated sentence.

    Attributes:
        kind: the possible fault.
        detail: the numbers or characters in question, in words.
    """

    kind: WarningKind
    detail: str


@dataclass(frozen=True, slots=True)
class SentenceMatch:
    """The match of a sentence in a translation memory.

    Attributes:
        kind: the kind of the match.
        rate: how alike the sentences are, from 0 to 1.
        source: the sentence of the memory.
        target: the translation by a person.
        origin: name of the file that the translation comes from, or "".
        is_reviewed: whether a person has approved the translation, as far as it is known.
    """

    kind: MatchKind
    rate: float
    source: str
    target: str
    origin: str = ""
    is_reviewed: bool = True

    @property
    def is_taken(self) -> bool:
        """True if the translation of the sentence is the person's."""
        return self.kind != "fuzzy"

    @property
    def is_final(self) -> bool:
        """True if the translation is a person's, as it was approved."""
        return self.kind in ("in-context", "exact") and self.is_reviewed

    @property
    def percent(self) -> int:
        """The rate in percent, rounded down: only equal words give 100."""
        return int(100 * self.rate) if self.is_taken else min(99, int(100 * self.rate))


class InlineCode(NamedTuple):
    """An inline code of a sentence, such as the beginning or end of bold text, or a footnote.

    Attributes:
        offset: where it stands in the text of the sentence, in characters.
        partner: the index, among the codes of the sentence, of the other end of the pair; None if
            the code is not one end of a pair.
    """

    offset: int
    partner: int | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence to translate.

    Attributes:
        text: the sentence.
        protected: words to write as they are, such as placeholders, each as often as it is given.
        codes: the inline codes between the words. A translator may say where they go in the
            translation (`TranslatedSentence.codes`).
        heading: the level of a heading, from 1; 0 for no heading.
        key: the key in a file of strings, such as `menu.open`.
        note: what the sentence is for, such as the label of a button; a language model reads it.
        similar: a similar sentence with the translation by a person, which a language model reads.
        written: the sentence as the file has it, if it is all in capitals and `text` is not.
    """

    text: str
    protected: tuple[str, ...] = ()
    codes: tuple[InlineCode, ...] = ()
    heading: int = 0
    key: str = ""
    note: str = ""
    similar: SentenceMatch | None = None
    written: str = ""
