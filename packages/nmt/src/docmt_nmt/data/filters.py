"""`CorpusFilter`: removes documents and sentence pairs from the training split, as the recipe's
`data.filter` says, and counts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

from docmt_files.base.documents import Document
from docmt_nmt.data.corpus_report import FilterCount
from docmt_nmt.data.data_settings import FilterSettings
from docmt_nmt.data.overlap import Overlap
from docmt_nmt.text import EncodedDocument


class CorpusFilter:
    """Filters one pass over a corpus and counts the removals.

    Args:
        settings: the filters.
        overlap: the validation and test splits, for filters of overlap.
    """

    def __init__(self, settings: FilterSettings, overlap: Overlap | None = None) -> None:
        self.settings = settings
        self._overlap = overlap or Overlap()
        self._documents: Counter[str] = Counter()
        self._sentences: Counter[str] = Counter()
        self._seen: set[bytes] = set()

    def filter_texts(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents without duplicates, without pairs with an empty side, and without text of
        the validation and test splits, if the settings remove them."""
        for document in documents:
            if key := self._document_fault(document):
                self._documents[key] += 1
                self._sentences[key] += len(document)
                continue
            kept = self._keep(self._text_faults(document))
            if kept:
                yield _select_sentences(document, kept)

    def filter_tokens(
        self, document: Document, encoded: EncodedDocument
    ) -> tuple[Document, EncodedDocument] | None:
        """The document without the pairs removed for the number of tokens; None if no pair is left,
        or too few tokens."""
        assert encoded.target is not None
        pairs = zip(encoded.source, encoded.target, strict=True)
        kept = self._keep([self._fault(len(source), len(target)) for source, target in pairs])
        if not kept or self._is_short(encoded, kept):
            return None
        if len(kept) == len(document):
            return document, encoded
        source, target = encoded.source, encoded.target
        return _select_sentences(document, kept), EncodedDocument(
            encoded.id, [source[i] for i in kept], [target[i] for i in kept]
        )

    def counts(self) -> dict[str, FilterCount]:
        """The amount removed by each setting, zeros included."""
        keys = [key for key, value in self.settings if value]
        if self._documents["nothing_left"]:
            keys.append("nothing_left")
        return {
            key: FilterCount(documents=self._documents[key], sentences=self._sentences[key])
            for key in keys
        }

    def _document_fault(self, document: Document) -> str:
        """The setting that removes a whole document by the text; empty if none does."""
        if self.settings.duplicates and self._is_duplicate(document):
            return "duplicates"
        kind = self.settings.overlapping_documents
        is_overlapping = kind is not None and any(self._overlap.find(document, kind))
        return "overlapping_documents" if is_overlapping else ""

    def _text_faults(self, document: Document) -> list[str]:
        """For each pair the setting that removes it by the text; empty if none does."""
        assert document.target is not None
        pairs = zip(document.source, document.target, strict=True)
        faults = ["" if source.strip() and target.strip() else "empty" for source, target in pairs]
        if (kind := self.settings.overlapping_sentences) is not None:
            found = self._overlap.find(document, kind)
            overlaps = ("overlapping_sentences" if is_found else "" for is_found in found)
            faults = [one or other for one, other in zip(faults, overlaps, strict=True)]
        return faults

    def _fault(self, source: int, target: int) -> str:
        """The setting that removes a pair with these numbers of tokens; empty if none does."""
        shorter, longer = sorted((source, target))
        if self.settings.empty and shorter == 0:
            return "empty"
        longest, ratio = self.settings.max_sentence_tokens, self.settings.max_length_ratio
        if longest is not None and longer > longest:
            return "max_sentence_tokens"
        return "max_length_ratio" if ratio is not None and longer > ratio * shorter else ""

    def _keep(self, faults: Sequence[str]) -> list[int]:
        """The indices of the sentences without a fault; the others are counted."""
        self._sentences.update(fault for fault in faults if fault)
        kept = [index for index, fault in enumerate(faults) if not fault]
        self._documents["nothing_left"] += not kept
        return kept

    def _is_short(self, document: EncodedDocument, kept: Sequence[int]) -> bool:
        """Return whether the settings remove a document for the number of tokens in the kept
        sentences."""
        if self.settings.min_document_tokens is None:
            return False
        sides = (document.source, document.target or ())
        tokens = max(sum(len(side[index]) for index in kept) for side in sides)
        if tokens >= self.settings.min_document_tokens:
            return False
        self._documents["min_document_tokens"] += 1
        self._sentences["min_document_tokens"] += len(kept)
        return True

    def _is_duplicate(self, document: Document) -> bool:
        """Return whether an earlier document has the same text."""
        # A digest of 16 bytes replaces the text: memory hardly grows with the corpus.
        assert document.target is not None
        digest = blake2b(digest_size=16)
        for sentence in (*document.source, *document.target):
            digest.update(sentence.encode() + b"\n")
        before = len(self._seen)
        self._seen.add(digest.digest())
        return len(self._seen) == before


def _select_sentences(document: Document, indices: Sequence[int]) -> Document:
    """A document with only the sentences of these indices."""
    if len(indices) == len(document):
        return document
    assert document.target is not None
    source, target = document.source, document.target
    return Document(
        document.id, tuple(source[i] for i in indices), tuple(target[i] for i in indices)
    )
