"""The alignments shared by the metrics of one command: of the reference and of each translation,
from files or learned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from docmt.alignment.links import Alignment
from docmt.alignment.statistical import align_words
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.messages import Message
from docmt_files.base.wording import counted
from docmt_nmt.corpora import read
from docmt_nmt.text.word_splitting import split_words, stem
from docmt_research.discourse.alignment_files import read_alignment
from docmt_research.discourse.discourse_text import Text

_FEW_PAIRS = 5000
"""With fewer sentence pairs, the alignment of rare words is uncertain."""

AlignDocuments = Callable[
    [Sequence[Document], Sequence[tuple[Sequence[str], Sequence[str]]]], Alignment
]
"""Aligns documents with their translations, given the words of both sides of each sentence, for
example by the attention of a run (`docmt_research.analysis.alignment_tuning`)."""

_Pairs = list[tuple[list[str], list[str]]]
"""The stems of sentence pairs."""


@dataclass
class TextAlignments:
    """Aligns translations and the reference with the source.

    Each is aligned by a model learned from it and the corpus. So the alignment of a system depends
    on no other system and not on whether there is a reference, and the reference is aligned from as
    much text as a system.

    Attributes:
        languages: the codes of the source and of the target language.
        tokenized: whether the words are already divided by spaces.
        reference_file: the file of the alignment of the reference, if it is not to be learned.
        corpus: a corpus of both languages to learn from as well.
        note: called with each message to the user about the alignments.
        align: aligns in the place of a learned model.
    """

    languages: tuple[str, str]
    tokenized: bool
    reference_file: str | None
    corpus: str | None
    note: Callable[[str], None]
    align: AlignDocuments | None = None

    def __post_init__(self) -> None:
        self._reference: Alignment | None = None
        self._has_noted = False

    def of_reference(
        self, text: Text, source: Sequence[Document], reference: Sequence[Document]
    ) -> Alignment:
        """The alignment of the reference, which is the same in the texts of all systems.

        Args:
            text: the sentences.
            source, reference: the documents of the source and of the reference.

        Raises:
            InputError: a file cannot be read or does not fit the text.
        """
        if self._reference is None:
            pairs = [(s.source, s.reference) for s in text.sentences]
            self._reference = self._of(pairs, self.reference_file, source, reference)
        return self._reference

    def of_hypothesis(
        self,
        text: Text,
        path: str | None,
        source: Sequence[Document],
        translated: Sequence[Document],
    ) -> Alignment:
        """The alignment of a translation.

        Args:
            text: the sentences.
            path: the file of the alignment, if there is one.
            source, translated: the documents of the source and of the translation.

        Raises:
            InputError: a file cannot be read or does not fit the text.
        """
        pairs = [(s.source, s.hypothesis) for s in text.sentences]
        return self._of(pairs, path, source, translated)

    def _of(
        self,
        pairs: Sequence[tuple[Sequence[str], Sequence[str]]],
        path: str | None,
        source: Sequence[Document],
        translated: Sequence[Document],
    ) -> Alignment:
        """The alignment of sentence pairs, from a file, by `align`, or learned."""
        if path is not None:
            return read_alignment(path, pairs)
        if self.align is None:
            return self._learned(pairs)
        both = [
            Document(ours.id, ours.source, theirs.target)
            for ours, theirs in zip(source, translated, strict=True)
        ]
        return self.align(both, pairs)

    def _learned(self, pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> Alignment:
        """The alignment of sentence pairs, learned from them and the corpus."""
        more = self._corpus_pairs
        if len(pairs) + len(more) < _FEW_PAIRS and not self._has_noted:
            self._has_noted = True
            text = (
                "words are aligned by a model that learned from only "
                f"{counted(len(pairs) + len(more), 'sentence pair')}; add `alignment_corpus`, for "
                "example the training corpus, to align rare words better"
            )
            self.note(Message(text, ["alignment_corpus"]))
        alignment = align_words(self._stems(pairs), more)
        if self.corpus is None:
            return alignment
        return replace(alignment, method=f"{alignment.method}-with-{len(more)}-pairs")

    @cached_property
    def _corpus_pairs(self) -> _Pairs:
        """The stems of the corpus.

        Raises:
            InputError: it cannot be read, or has no target side.
        """
        if self.corpus is None:
            return []
        pairs = []
        for document in read(self.corpus, boundaries=None, allow_empty=True):
            if document.target is None:
                raise InputError(
                    "has one language only",
                    path=self.corpus,
                    cure="Name a corpus with both, in .tsv, .jsonl or .parquet",
                )
            for sides in zip(document.source, document.target, strict=True):
                source, target = (
                    split_words(side, language, tokenized=self.tokenized)
                    for side, language in zip(sides, self.languages, strict=True)
                )
                pairs.append((source, target))
        return self._stems(pairs)

    def _stems(self, pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> _Pairs:
        """The stems of sentence pairs."""
        first, second = self.languages
        return [(stem(source, first), stem(target, second)) for source, target in pairs]
