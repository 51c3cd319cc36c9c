"""Translations aligned with references, checked against each other and joined into the segments
compared by a metric: sentences, documents or instances.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_nmt.evaluation.scores import Unit

References = Sequence[Document] | Sequence[Sequence[Document]]
"""One list of reference documents, or several."""


@dataclass(frozen=True, slots=True)
class ParallelDocuments:
    """A translation and references with the same numbers of documents and sentences.

    Attributes:
        hypothesis: the documents of the translation.
        references: for each reference, the reference documents; where the sentences of the
            translation are joined (`Document.joined`), the sentences of the references are joined
            in the same way.
        instances: the number of sentences in each instance, in the order of the documents; of
            joined sentences, each is an instance.
        is_joined: whether sentences are joined and cannot be compared.
    """

    hypothesis: Sequence[Document]
    references: Sequence[Sequence[Document]]
    instances: Sequence[int] | None = None
    is_joined: bool = False

    @classmethod
    def of(
        cls,
        hypothesis: Sequence[Document],
        references: References,
        instances: Sequence[int] | None = None,
        *,
        name: str = "the translation",
    ) -> ParallelDocuments:
        """Align a translation with references.

        Args:
            hypothesis: the documents of the translation.
            references: one reference or several.
            instances: the number of sentences in each instance, if instances are to be compared; a
                translation with joined sentences has its own instances.
            name: name of the translation in error messages.

        Raises:
            InputError: there are no documents; the numbers of documents or sentences differ, or
                the order of the documents; a document has no translation; a reference sentence is
                empty; or an instance extends over the end of a document.
        """
        lists = _reference_lists(references)
        if not hypothesis or not lists:
            missing = name if lists else "the reference"
            raise InputError(f"{missing} has no documents", cure="Give at least one document")
        for number, reference in enumerate(lists, 1):
            names = (name, "the reference" if len(lists) == 1 else f"reference {number}")
            _check_counts(hypothesis, reference, names)
            _check_order(hypothesis, reference, names)
            _check_text(reference, names[1])
        if any(document.joined is not None for document in hypothesis):
            alike = [
                [theirs.join(ours.sizes) for ours, theirs in zip(hypothesis, one, strict=True)]
                for one in lists
            ]
            return cls(hypothesis, alike, [1] * sum(map(len, hypothesis)), is_joined=True)
        if instances is not None:
            _check_instances(hypothesis, instances)
        return cls(hypothesis, lists, instances)

    @property
    def sentences(self) -> int:
        """The number of sentences."""
        return sum(_count(document) for document in self.hypothesis)

    @property
    def empty(self) -> int:
        """Number of sentences, or of joined sentences, with an empty translation."""
        return sum(
            not s.strip() for document in self.hypothesis for s in target_sentences(document)
        )

    def segments(self, unit: Unit) -> tuple[list[str], list[list[str]]]:
        """Segments of the translation, and segments of each reference.

        Raises:
            InputError: `unit` is `instance`, but `instances` was not given, or `sentence`, but
                sentences are joined.
        """
        sizes = self._sizes(unit)
        return (
            list(_join(self.hypothesis, sizes)),
            [list(_join(reference, sizes)) for reference in self.references],
        )

    def segments_by_document(self, unit: Unit) -> list[int]:
        """Number of segments of each document.

        Raises:
            InputError: as `segments`.
        """
        sizes = iter(self._sizes(unit))
        counts = []
        for document in self.hypothesis:
            left, count = len(document), 0
            while left > 0:
                left -= next(sizes)
                count += 1
            counts.append(count)
        return counts

    def _sizes(self, unit: Unit) -> Sequence[int]:
        """The number of sentences in each segment."""
        if unit == "sentence" and self.is_joined:
            raise InputError(
                "the translation has one text for each instance (instances.join_sentences), whose "
                "sentences are not aligned with those of the reference",
                cure="Score it by d-bleu, d-chrf or instance-bleu",
            )
        if unit == "sentence":
            return [1] * self.sentences
        if unit == "document":
            return [len(document) for document in self.hypothesis]
        if self.instances is None:
            raise InputError(
                "instance-BLEU needs the number of sentences in each instance",
                cure="Give `instances`, or `run` and `source`",
                parameters=("run", "source"),
            )
        return self.instances


def _reference_lists(references: References) -> list[list[Document]]:
    """The references as a list of lists of documents, even if there is only one reference."""
    single = [item for item in references if isinstance(item, Document)]
    lists = [list(item) for item in references if not isinstance(item, Document)]
    assert not (single and lists), "documents are mixed with lists of documents"
    return [single] if single else lists


def target_sentences(document: Document) -> tuple[str, ...]:
    """The sentences to score.

    Raises:
        InputError: the document has none.
    """
    if document.target is None:
        raise InputError(
            f"document {document.id!r} has no target sentences",
            cure="Translate it first, for example with `docmt translate`",
        )
    return document.target


def _count(document: Document) -> int:
    """Number of sentences of a document, counting every sentence of joined ones."""
    return sum(document.sizes)


def _join(documents: Sequence[Document], sizes: Sequence[int]) -> Iterator[str]:
    """Segments of the given numbers of sentences, which are joined by a space."""
    sentences = iter([s.strip() for document in documents for s in target_sentences(document)])
    for size in sizes:
        yield " ".join(s for s in (next(sentences) for _ in range(size)) if s)


def _size_in_words(documents: Sequence[Document]) -> str:
    """The numbers of documents and sentences, in words."""
    sentences = sum(map(_count, documents))
    return f"{counted(len(documents), 'document')} and {counted(sentences, 'sentence')}"


def _check_counts(
    hypothesis: Sequence[Document], reference: Sequence[Document], names: tuple[str, str]
) -> None:
    """Require the same documents and the same number of sentences in each."""
    first = next(
        (
            f"document {number} ({ours.id!r}) has {counted(_count(ours), 'sentence')} in "
            f"{names[0]} but {_count(theirs)} in {names[1]}"
            for number, (ours, theirs) in enumerate(zip(hypothesis, reference, strict=False), 1)
            if _count(ours) != _count(theirs)
        ),
        None,
    )
    if len(hypothesis) != len(reference):
        raise InputError(
            f"{names[0]} has {_size_in_words(hypothesis)}, {names[1]} {_size_in_words(reference)}"
            + (f"; the first to differ: {first}" if first else ""),
            cure="Use the same documents with the same boundaries for both; where blank lines are "
            "the boundaries, an empty translation reads as one",
        )
    if first is not None:
        raise InputError(
            first,
            cure="Give one translation, which may be empty, for each sentence; a free translation "
            "is aligned by `docmt evaluate --realign`",
        )


def _check_order(
    hypothesis: Sequence[Document], reference: Sequence[Document], names: tuple[str, str]
) -> None:
    """Require the same order of documents with the same ids."""
    ours, theirs = [d.id for d in hypothesis], [d.id for d in reference]
    if ours != theirs and sorted(ours) == sorted(theirs):
        index = next(i for i in range(len(ours)) if ours[i] != theirs[i])
        raise InputError(
            f"document {index + 1} is {ours[index]!r} in {names[0]} but {theirs[index]!r} in "
            f"{names[1]}",
            cure="Put the documents in the same order",
        )


def check_document_order(
    hypothesis: Sequence[Document], reference: Sequence[Document], names: tuple[str, str]
) -> None:
    """Require the same documents in the same order, with any numbers of sentences.

    Args:
        hypothesis, reference: the documents.
        names: names of the two in error messages.

    Raises:
        InputError: the numbers of documents or the order differ, or there are none.
    """
    if not reference or len(hypothesis) != len(reference):
        raise InputError(
            f"{names[0]} has {_size_in_words(hypothesis)}, {names[1]} {_size_in_words(reference)}",
            cure="Use the same documents for both: a line <d> before each document of a line file",
        )
    _check_order(hypothesis, reference, names)
    _check_text(reference, names[1])


def check_same_documents(
    documents: Sequence[Document], others: Sequence[Document], names: tuple[str, str]
) -> None:
    """Require the same documents with the same sentences in two lists of documents.

    Args:
        documents, others: the lists.
        names: names of the lists in error messages.

    Raises:
        InputError: a document or a sentence is missing or superfluous, or their order differs.
    """
    _check_counts(documents, others, names)
    _check_order(documents, others, names)


def _check_text(reference: Sequence[Document], name: str) -> None:
    """Reject empty reference documents and sentences."""
    for document in reference:
        if not document:
            raise InputError(
                f"document {document.id!r} of {name} is empty", cure="Leave it out of both sides"
            )
        for number, sentence in enumerate(target_sentences(document), 1):
            if not sentence.strip():
                raise InputError(
                    f"sentence {number} of document {document.id!r} of {name} is empty",
                    cure="Translate it, or leave the sentence out of both sides",
                )


def _check_instances(documents: Sequence[Document], instances: Sequence[int]) -> None:
    """Require the end of an instance at the end of every document."""
    used = 0
    for document in documents:
        left = len(document)
        while left > 0:
            size = instances[used] if used < len(instances) else 0
            if not 0 < size <= left:
                raise _instance_error(
                    f"instance {used + 1} has {counted(size, 'sentence')}, but document "
                    f"{document.id!r} has {left} left"
                    if used < len(instances)
                    else f"the last one, instance {used}, ends before document {document.id!r} does"
                )
            left -= size
            used += 1
    if used != len(instances):
        raise _instance_error(f"the documents end after instance {used} of {len(instances)}")


def _instance_error(problem: str) -> InputError:
    """The error about wrong numbers of sentences in instances."""
    return InputError(
        f"the instances do not fit the documents: {problem}",
        cure="Cut the source of exactly these documents",
    )
