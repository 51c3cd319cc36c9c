"""What preparation leaves out of the training split because the recipe says so, and how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

from docmt.data.report import Filtered
from docmt.data.settings import FilterSettings
from docmt.documents import Document
from docmt.text.pipeline import EncodedDocument


class Filter:
    """Leaves out and counts. One filter serves one pass over the corpus.

    Args:
        settings: what to leave out.
    """

    def __init__(self, settings: FilterSettings) -> None:
        self.settings = settings
        self.documents: Counter[str] = Counter()
        self.sentences: Counter[str] = Counter()
        self.seen: set[bytes] = set()

    def texts(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents without repeated ones and without pairs with an empty side, as far as
        these are to be left out."""
        for document in documents:
            assert document.target is not None
            if self.settings.duplicates and self.occurred(document):
                self.documents["duplicates"] += 1
                self.sentences["duplicates"] += len(document)
                continue
            pairs = zip(document.source, document.target, strict=True)
            empty = [not source.strip() or not target.strip() for source, target in pairs]
            kept = self.kept(["empty" if is_empty else "" for is_empty in empty])
            if kept:
                yield sentences_of(document, kept)

    def tokens(
        self, document: Document, encoded: EncodedDocument
    ) -> tuple[Document, EncodedDocument] | None:
        """The document without pairs that are to be left out for their number of tokens; None
        where nothing stays."""
        assert encoded.target is not None
        pairs = zip(encoded.source, encoded.target, strict=True)
        kept = self.kept([self.fault(len(source), len(target)) for source, target in pairs])
        if not kept:
            return None
        if len(kept) == len(document):
            return document, encoded
        source, target = encoded.source, encoded.target
        return sentences_of(document, kept), EncodedDocument(
            encoded.id, [source[i] for i in kept], [target[i] for i in kept]
        )

    def fault(self, source: int, target: int) -> str:
        """The key for which a pair of so many tokens a side is left out, or nothing."""
        shorter, longer = sorted((source, target))
        if self.settings.empty and shorter == 0:
            return "empty"
        longest, ratio = self.settings.max_sentence_tokens, self.settings.max_length_ratio
        if longest is not None and longer > longest:
            return "max_sentence_tokens"
        return "max_length_ratio" if ratio is not None and longer > ratio * shorter else ""

    def kept(self, faults: Sequence[str]) -> list[int]:
        """The places of the sentences without fault; the others are counted."""
        self.sentences.update(fault for fault in faults if fault)
        kept = [place for place, fault in enumerate(faults) if not fault]
        self.documents["nothing_left"] += not kept
        return kept

    def occurred(self, document: Document) -> bool:
        """Whether a document's text came before."""
        # Sixteen bytes stand for the text, so that memory hardly grows with the corpus.
        assert document.target is not None
        digest = blake2b(digest_size=16)
        for sentence in (*document.source, *document.target):
            digest.update(sentence.encode() + b"\n")
        before = len(self.seen)
        self.seen.add(digest.digest())
        return len(self.seen) == before

    def left_out(self) -> dict[str, Filtered]:
        """The counts of all that was asked for, also where it is nothing."""
        asked = [key for key, value in self.settings if value]
        if self.documents["nothing_left"]:
            asked.append("nothing_left")
        return {
            key: Filtered(documents=self.documents[key], sentences=self.sentences[key])
            for key in asked
        }


def sentences_of(document: Document, places: Sequence[int]) -> Document:
    """A document of some of its sentences."""
    if len(places) == len(document):
        return document
    assert document.target is not None
    source, target = document.source, document.target
    return Document(document.id, tuple(source[i] for i in places), tuple(target[i] for i in places))
