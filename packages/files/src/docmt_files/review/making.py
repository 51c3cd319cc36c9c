"""`review_of`: a translated file as a review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from docmt_files.base.documents import (
    MATCH_WORDS,
    WARNING_WORDS,
    Document,
    SentenceMatch,
    SentenceWarning,
)
from docmt_files.base.errors import InputError
from docmt_files.core.blocks import LEFT, BlockSkeleton
from docmt_files.core.inline import AlignSentences, Block
from docmt_files.core.skeleton import FileSkeleton, Written
from docmt_files.exclusion.exclusion_rules import ExclusionRules
from docmt_files.reading.input import Input
from docmt_files.review.review_units import Review, Segment, Unit, digests
from docmt_files.review.tagged_sentences import BlockTags
from docmt_files.storage.files import PathLike, is_stream, read_blocks

_READING = ("segmented", "boundaries", "file_format", "columns")
"""The settings of `Input` that a review keeps."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The translated file, and how it was read.

    Attributes:
        path: the file.
        reading: the settings.
        language: the code of the language whose rules split sentences.
    """

    path: PathLike
    reading: Input
    language: str

    def check(self) -> None:
        """Check that the review can be merged.

        Raises:
            InputError: the file cannot be read again.
        """
        if is_stream(self.path) or self.reading.docids is not None:
            raise InputError(
                "a review is of a file that can be read again, without `docids`",
                path=self.path,
                cure="Write the input to a file",
                parameters=("docids",),
            )

    def settings(self) -> dict[str, Any]:
        """The settings that are not the defaults."""
        values = {name: getattr(self.reading, name) for name in _READING}
        if self.reading.columns is not None:
            values["columns"] = asdict(self.reading.columns)
        values["rules"] = rules_digest(self.reading.rules)
        return {name: value for name, value in values.items() if value} | {
            "language": self.language
        }


class Remarks(NamedTuple):
    """What is known about the translation of a sentence.

    Attributes:
        warnings: possible faults.
        match: the match in a translation memory.
        notes: anything else, in words.
    """

    warnings: tuple[SentenceWarning, ...] = ()
    match: SentenceMatch | None = None
    notes: tuple[str, ...] = ()

    def in_words(self) -> Iterator[str]:
        """The match, the notes and the warnings, for a reader."""
        if self.match is not None:
            yield f"{MATCH_WORDS[self.match.kind]} ({self.match.percent} %)"
        yield from self.notes
        for warning in self.warnings:
            yield f"{WARNING_WORDS[warning.kind]}: {warning.detail}"


def review_of(
    documents: Sequence[Document],
    remarks: Sequence[Sequence[Remarks]],
    skeleton: FileSkeleton,
    align: AlignSentences | None,
    languages: tuple[str, str],
    origin: Origin,
) -> tuple[Review, Written]:
    """The review of a translated file, and what `FileSkeleton.write` says about the translation.

    Args:
        documents: the documents of the file with their translations.
        remarks: what is known about each sentence of each document.
        skeleton: the file without sentences.
        align: aligns the words of sentences with codes.
        languages: the codes of the source and the target language.
        origin: the file.
    """
    if isinstance(skeleton, BlockSkeleton):
        units, written = _units_of_blocks(documents[0], remarks[0], skeleton, align)
    else:
        units, written = list(_units_of_sentences(documents, remarks)), Written()
    return Review(
        Path(origin.path).name,
        languages,
        tuple(units),
        file_digest(origin.path),
        origin.settings(),
        frozenset(unit.id for unit in units if _is_final(unit)),
        digests(units),
    ), written


def _is_final(unit: Unit) -> bool:
    """Return whether all targets of a unit are a person's, as a memory has them."""
    return all(each.match is not None and each.match.is_final for each in unit.segments)


def rules_digest(rules: ExclusionRules | None) -> str:
    """A digest of the rules by which parts of a file are left; "" for none."""
    if rules is None:
        return ""
    texts = (f"{rule.file}\0{rule.title}" for rule in rules.rules)
    return sha256("\1".join(texts).encode()).hexdigest()[:12]


def file_digest(path: PathLike) -> str:
    """The SHA-256 digest of a file."""
    digest = sha256()
    for block in read_blocks(path):
        digest.update(block)
    return digest.hexdigest()


def block_id(index: int) -> str:
    """The id of the unit of a block, by the index of the block."""
    return f"u{index + 1}"


def _units_of_blocks(
    document: Document,
    remarks: Sequence[Remarks],
    skeleton: BlockSkeleton,
    align: AlignSentences | None,
) -> tuple[list[Unit], Written]:
    """A unit for each block with sentences. A block that cannot be translated without a change of
    the structure has no targets."""
    filled = skeleton.fill_and_report([document], align)
    units, number = [], 0
    for index, (block, sentences) in enumerate(
        zip(skeleton.found.blocks, skeleton.sentences, strict=True)
    ):
        tags = BlockTags.of(sentences, skeleton.text)
        left = filled.levels[index] == LEFT
        segments = []
        for position, sentence in enumerate(sentences):
            source = tags.source(sentence)
            coded = filled.coded.get(number)
            target = None if left else source if coded is None else tags.tagged(coded)
            own = (*remarks[number].in_words(), *([_LEFT] if left else ()))
            own = own if position else (*_notes_of_authors(block), *own)
            segments.append(Segment(f"s{position + 1}", source, target, own, remarks[number].match))
            number += 1
        if segments:
            units.append(Unit(block_id(index), tuple(segments), block.heading))
    return units, Written(filled.notes, filled.kept, filled.moved)


_LEFT = "not translated, as the translation has no words or would change the structure of the file"


def _notes_of_authors(block: Block) -> Iterator[str]:
    """What the file says to translators of a block, from the outside inward."""
    scopes = (each for scope in block.scopes for each in scope.nearest() if each.kind == "note")
    return reversed(dict.fromkeys(scope.value for scope in scopes))


def _units_of_sentences(
    documents: Sequence[Document], remarks: Sequence[Sequence[Remarks]]
) -> Iterator[Unit]:
    """A unit for each sentence of documents without blocks."""
    number = 0
    for document, of_document in zip(documents, remarks, strict=True):
        texts = zip(document.source, document.target or (), of_document, strict=True)
        for source, target, own in texts:
            if source:
                segment = Segment(
                    "s1", (source,), (target,) if target else (), tuple(own.in_words()), own.match
                )
                yield Unit(block_id(number), (segment,))
            number += 1
