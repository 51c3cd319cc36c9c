"""Passages, the units read at once by a judge: some sentences of a document with the sentences
before them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from docmt_files.base.documents import Document


@dataclass(frozen=True, slots=True)
class Passage:
    """Sentences of a document judged together.

    Attributes:
        document: the index of the document.
        source: the document's source sentences.
        reference: the reference of the document, if there is one.
        indices: of the judged sentences, all with text.
        before: of the sentences read before them.
    """

    document: int
    source: Sequence[str]
    reference: Sequence[str] | None
    indices: tuple[int, ...]
    before: tuple[int, ...]

    @property
    def ids(self) -> list[str]:
        """The ids of the sentences: their numbers in the document."""
        return [f"s{index + 1}" for index in self.indices]

    def data(self, target: Sequence[str]) -> dict[str, Any]:
        """The judge's input for a translation of the document, as plain values."""
        return self._data({"translation": target}, {"translation": target})

    def comparison_data(self, first: Sequence[str], second: Sequence[str]) -> dict[str, Any]:
        """The judge's input for two translations of the document, as plain values."""
        return self._data({"A": first, "B": second}, {})

    def _data(
        self, judged: dict[str, Sequence[str]], read: dict[str, Sequence[str]]
    ) -> dict[str, Any]:
        if self.reference is not None:
            judged = {"reference": self.reference, **judged}
        before = [
            {"source": self.source[i], **{name: texts[i] for name, texts in read.items()}}
            for i in self.before
        ]
        sentences = {
            name: {"source": self.source[i], **{key: texts[i] for key, texts in judged.items()}}
            for name, i in zip(self.ids, self.indices, strict=True)
        }
        return {**({"before": before} if before else {}), "sentences": sentences}


def cut_passages(
    documents: Sequence[Document],
    reference: Sequence[Document] | None,
    *,
    sentences: int,
    context: int,
) -> Iterator[Passage]:
    """Cut documents into passages.

    Args:
        documents: the documents, by their source.
        reference: the same with references.
        sentences: the most sentences of a passage.
        context: number of preceding sentences read with them.
    """
    for owner, document in enumerate(documents):
        with_text = [index for index, text in enumerate(document.source) if text.strip()]
        for start in range(0, len(with_text), sentences):
            yield Passage(
                owner,
                document.source,
                None if reference is None else reference[owner].target,
                tuple(with_text[start : start + sentences]),
                tuple(with_text[max(start - context, 0) : start]),
            )
