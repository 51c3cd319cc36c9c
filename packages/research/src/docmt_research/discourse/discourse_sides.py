"""The source, the references and the translations in files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from docmt_files.base.documents import Boundaries, Document
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_nmt.corpora import read
from docmt_nmt.evaluation import Realigner, Realignment
from docmt_nmt.evaluation.realignment_record import realign_all
from docmt_nmt.evaluation.translation_files import read_references, read_translations
from docmt_research.discourse.discourse_scores import DiscourseScore


@dataclass(frozen=True, slots=True)
class Sides:
    """The texts of an evaluation.

    Attributes:
        translated: the translations by their files, the baselines last.
        source: the documents with the source as source sides, if there is one.
        references: the documents of each reference.
        realigner: aligned the translations with the first reference; None if they are one for one.
        realignments: the alignment of each translation.
    """

    translated: Mapping[str, Sequence[Document]]
    source: Sequence[Document] | None
    references: Sequence[Sequence[Document]]
    realigner: Realigner | None = None
    realignments: Sequence[Realignment] = ()

    def signed(self, scores: list[DiscourseScore]) -> list[DiscourseScore]:
        """Scores of the translations, with the alignment in their signatures."""
        if self.realigner is None:
            return scores
        aligned = self.realigner.settings
        return [replace(one, settings=f"{one.settings}|{aligned}") for one in scores]


def read_sides(
    hypothesis: str,
    references: Sequence[str],
    *,
    source: str | None,
    baselines: Sequence[str],
    boundaries: Boundaries | None,
    docids: str | None,
    note: Callable[[str], None],
    realign: bool = False,
    encoder: str | None = None,
    language: str | None = None,
) -> Sides:
    """Read all sides.

    Args:
        hypothesis, references, baselines: the files. One of all may be `-`, standard input.
        source: the file of the source. Default: the source side of the translation's file.
        boundaries, docids: how line files show where documents begin; see `read_translations`.
        note: called with each message to the user about the files.
        realign: whether the translations are free, to be aligned with the first reference.
        encoder, language: the sentence encoder and the target language that align; see `Realigner`.

    Raises:
        InputError: there is no reference to align with, several files are standard input, a
            translation is named twice, or a file cannot be read.
    """
    if [hypothesis, source, *references, *baselines].count("-") > 1:
        raise InputError("only one file can be standard input", cure="Name the others")
    if len({hypothesis, *baselines}) <= len(baselines):
        raise InputError(
            "a translation is named twice",
            cure="Name each once, as `hypothesis` or `baselines`",
            parameters=("hypothesis", "baselines"),
        )
    translated = {
        path: read_translations(path, boundaries=boundaries, docids=docids)
        for path in (hypothesis, *baselines)
    }
    for path, documents in translated.items():
        if boundaries is None and len(documents) == 1:
            note(f"{path} is one document of {counted(len(documents[0]), 'sentence')}")
    if source is not None:
        read_source = list(read(source, boundaries=boundaries, docids=docids))
    else:
        read_source = translated[hypothesis]
        # A file of one side is read as both sides.
        if any(document.target is document.source for document in read_source):
            read_source = []
    read_all = read_references(references, boundaries=boundaries, docids=docids)
    sides = Sides(translated, read_source or None, read_all)
    if realign:
        sides = _realigned(sides, language, encoder)
        for text in (text for one in sides.realignments for text in one.notes):
            note(text)
        return sides
    if encoder is not None:
        raise InputError(
            "`encoder` has no effect without `realign`",
            cure="Leave it out",
            parameters=("encoder", "realign"),
        )
    return sides


def _realigned(sides: Sides, language: str | None, encoder: str | None) -> Sides:
    """The sides with translations aligned with the first reference.

    Raises:
        InputError: there is no reference, or as `Realigner`.
    """
    if not sides.references:
        raise InputError(
            "`realign` aligns with a reference, which is missing",
            cure="Add `reference=FILE`",
            parameters=("realign", "reference=FILE"),
        )
    realigner = Realigner(sides.references, sides.source, language=language, encoder=encoder)
    found = realign_all(realigner, sides.translated)
    translated = {one.name: one.documents for one in found}
    return replace(sides, translated=translated, realigner=realigner, realignments=found)
