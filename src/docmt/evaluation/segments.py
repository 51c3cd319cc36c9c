"""Translations and references side by side, checked against each other and divided into the
segments that a metric compares: sentences, documents or instances.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docmt.documents import Document
from docmt.errors import InputError
from docmt.evaluation.scores import Unit
from docmt.wording import counted

References = Sequence[Document] | Sequence[Sequence[Document]]
"""One set of reference documents, or several."""


@dataclass(frozen=True, slots=True)
class Parallel:
    """A translation and its references with equal numbers of documents and of sentences in each.

    Attributes:
        hypothesis: the translation's documents.
        references: one list of documents for each set of references.
        instances: the number of sentences in each instance, in the order of the documents.
    """

    hypothesis: Sequence[Document]
    references: Sequence[Sequence[Document]]
    instances: Sequence[int] | None = None

    @classmethod
    def of(
        cls,
        hypothesis: Sequence[Document],
        references: References,
        instances: Sequence[int] | None = None,
        *,
        name: str = "the translation",
    ) -> Parallel:
        """Put them side by side; errors call the hypothesis by its `name`.

        Raises:
            InputError: there is nothing to compare; the numbers of documents or sentences, or the
                order of the documents, differ; a document has no translation; a reference
                sentence is empty; or an instance does not end where its document ends.
        """
        sets = reference_sets(references)
        if not hypothesis or not sets:
            missing = name if sets else "the reference"
            raise InputError(f"{missing} has no documents", cure="Give at least one document")
        for number, reference in enumerate(sets, 1):
            names = (name, "the reference" if len(sets) == 1 else f"reference {number}")
            check_counts(hypothesis, reference, names)
            check_order(hypothesis, reference, names)
            check_text(reference, names[1])
        if instances is not None:
            check_instances(hypothesis, instances)
        return cls(hypothesis, sets, instances)

    @property
    def sentences(self) -> int:
        """The number of sentences."""
        return sum(len(document) for document in self.hypothesis)

    @property
    def empty(self) -> int:
        """The number of sentences whose translation is empty."""
        return sum(not s.strip() for document in self.hypothesis for s in target(document))

    def segments(self, unit: Unit) -> tuple[list[str], list[list[str]]]:
        """The translation's segments, and those of each set of references.

        Raises:
            InputError: instances are asked for and where they end is not known.
        """
        sizes = self.sizes(unit)
        return (
            list(join(self.hypothesis, sizes)),
            [list(join(reference, sizes)) for reference in self.references],
        )

    def sizes(self, unit: Unit) -> Sequence[int]:
        """The number of sentences in each segment."""
        if unit == "sentence":
            return [1] * self.sentences
        if unit == "document":
            return [len(document) for document in self.hypothesis]
        if self.instances is None:
            raise InputError(
                "instance-BLEU needs the number of sentences in each instance",
                cure="Give `instances`, or on the command line --run and --source",
            )
        return self.instances


def reference_sets(references: References) -> list[list[Document]]:
    """The references as a list of sets, also where there is only one."""
    single = [item for item in references if isinstance(item, Document)]
    sets = [list(item) for item in references if not isinstance(item, Document)]
    assert not (single and sets), "documents stand beside sets of documents"
    return [single] if single else sets


def target(document: Document) -> tuple[str, ...]:
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


def join(documents: Sequence[Document], sizes: Sequence[int]) -> Iterator[str]:
    """Segments of so many sentences each, joined by a space."""
    sentences = iter([s.strip() for document in documents for s in target(document)])
    for size in sizes:
        yield " ".join(s for s in (next(sentences) for _ in range(size)) if s)


def size(documents: Sequence[Document]) -> str:
    """The documents and sentences of one side in words."""
    sentences = sum(map(len, documents))
    return f"{counted(len(documents), 'document')} and {counted(sentences, 'sentence')}"


def check_counts(
    hypothesis: Sequence[Document], reference: Sequence[Document], names: tuple[str, str]
) -> None:
    """Check that no document and no sentence is missing or too many."""
    first = next(
        (
            f"document {number} ({ours.id!r}) has {counted(len(target(ours)), 'sentence')} in "
            f"{names[0]} but {len(target(theirs))} in {names[1]}"
            for number, (ours, theirs) in enumerate(zip(hypothesis, reference, strict=False), 1)
            if len(target(ours)) != len(target(theirs))
        ),
        None,
    )
    if len(hypothesis) != len(reference):
        raise InputError(
            f"{names[0]} has {size(hypothesis)}, {names[1]} {size(reference)}"
            + (f"; the first to differ: {first}" if first else ""),
            cure="Give both the same documents, with the same boundaries",
        )
    if first is not None:
        raise InputError(first, cure="Give one translation, which may be empty, for each sentence")


def check_order(
    hypothesis: Sequence[Document], reference: Sequence[Document], names: tuple[str, str]
) -> None:
    """Check that documents that bear the same ids also stand in the same order."""
    ours, theirs = [d.id for d in hypothesis], [d.id for d in reference]
    if ours != theirs and sorted(ours) == sorted(theirs):
        place = next(i for i in range(len(ours)) if ours[i] != theirs[i])
        raise InputError(
            f"document {place + 1} is {ours[place]!r} in {names[0]} but {theirs[place]!r} in "
            f"{names[1]}",
            cure="Bring the documents into the same order",
        )


def check_text(reference: Sequence[Document], name: str) -> None:
    """Check that there is something to compare with."""
    for document in reference:
        if not document:
            raise InputError(
                f"document {document.id!r} of {name} is empty", cure="Leave it out of both sides"
            )
        for number, sentence in enumerate(target(document), 1):
            if not sentence.strip():
                raise InputError(
                    f"sentence {number} of document {document.id!r} of {name} is empty",
                    cure="Translate it, or leave the sentence out of both sides",
                )


def check_instances(documents: Sequence[Document], instances: Sequence[int]) -> None:
    """Check that every document is a whole number of instances."""
    used = 0
    for document in documents:
        left = len(document)
        while left > 0:
            size = instances[used] if used < len(instances) else 0
            if not 0 < size <= left:
                raise instance_error(
                    f"instance {used + 1} has {counted(size, 'sentence')} where {left} are left of "
                    f"document {document.id!r}"
                    if used < len(instances)
                    else f"there are no more after instance {used}, within document {document.id!r}"
                )
            left -= size
            used += 1
    if used != len(instances):
        raise instance_error(f"the documents end with instance {used} of {len(instances)}")


def instance_error(problem: str) -> InputError:
    """An error about the numbers of sentences in instances."""
    return InputError(
        f"the instances do not fit the documents: {problem}",
        cure="Cut the source of exactly these documents",
    )
