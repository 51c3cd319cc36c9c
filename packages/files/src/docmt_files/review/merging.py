"""`Merger`: the targets of a review in the file from which the review was made.

Units find their blocks by their ids. A target that was not touched is written as `docmt translate`
wrote it. What does not fit is named with the ids of the units.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from docmt_files.base.documents import Document, SentenceMatch
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted, first_few
from docmt_files.core.blocks import LEFT, BlockSkeleton
from docmt_files.core.sentence_writer import CodeLevel
from docmt_files.core.skeleton import FileSkeleton
from docmt_files.review.making import block_id
from docmt_files.review.problems import Problems
from docmt_files.review.review_units import Review, TaggedText, Unit, digest, plain
from docmt_files.review.segment_matching import targets_of_sentences
from docmt_files.review.tagged_sentences import BlockTags
from docmt_files.review.unit_merging import MergedSentence, merge_unit, untranslated
from docmt_files.storage.files import PathLike, write_whole


@dataclass
class Merger:
    """Puts the targets of a review into a file.

    Attributes:
        review: the review.
        path: the file of the review, for errors.
        is_same: whether the file is known to be the one that was reviewed.
        problems: what does not fit.
        sentences: the sentences with their targets, in the order of the file.
    """

    review: Review
    path: PathLike
    is_same: bool
    problems: Problems = field(default_factory=Problems)
    sentences: list[MergedSentence] = field(default_factory=list)

    def merge(
        self, documents: Sequence[Document], skeleton: FileSkeleton, output: PathLike
    ) -> list[str]:
        """Write the file with the targets, whole or not at all.

        Args:
            documents: the documents of the file.
            skeleton: the file without sentences.
            output: the path to write to.

        Returns:
            Notes for the user.

        Raises:
            InputError: the file is another one than the one that was reviewed, a unit has several
                translations, or the output cannot be written.
        """
        if isinstance(skeleton, BlockSkeleton):
            notes = self._merge_blocks(skeleton, output)
        else:
            notes = self._merge_sentences(documents, skeleton, output)
        return [self._summary(), *notes, *self.problems.notes()]

    def _summary(self) -> str:
        """The numbers of merged sentences."""
        merged = [each for each in self.sentences if each.target]
        approved = sum(each.is_approved for each in merged)
        text = f"{counted(len(merged), 'sentence')} merged, {approved:,} of them approved"
        if not self.review.written:
            return f"{text}; the review has lost its <skeleton>, so the edited ones are not known"
        return f"{text} and {sum(bool(each.is_edited) for each in merged):,} edited"

    def _merge_blocks(self, plain_skeleton: BlockSkeleton, output: PathLike) -> list[str]:
        """Write a file of blocks."""
        _, skeleton = plain_skeleton.keep_words([], lambda _text, _words: True)
        blocks = skeleton.sentences
        ids = [block_id(index) if sentences else "" for index, sentences in enumerate(blocks)]
        tags = [BlockTags.of(sentences, skeleton.text) for sentences in blocks]
        units = self._units([name for name in ids if name])
        self._check_sources(
            units,
            {
                name: [of_block.source(sentence) for sentence in sentences]
                for name, of_block, sentences in zip(ids, tags, blocks, strict=True)
                if name
            },
        )
        targets = []
        for name, of_block, sentences in zip(ids, tags, blocks, strict=True):
            if name in units:
                written = self.review.written.get(name, ())
                made = merge_unit(units[name], sentences, of_block, written, self.problems)
            else:
                made = untranslated(sentences)
            targets.append(made[0])
            self.sentences += made[1]
        skeleton = self._with_final(skeleton, ids, units)
        filled = skeleton.fill_targets(targets)
        for name, level, own, of_block in zip(ids, filled.levels, targets, tags, strict=True):
            if level == LEFT and any(target.text for target in own):
                self.problems.add("left", name)
            elif level == CodeLevel.AROUND and of_block.tags:
                self.problems.add("around", name)
        with write_whole(output) as out:
            out.write(filled.data)
        return [*filled.notes, *self._notes_on_equal_units(units.values())]

    def _with_final(
        self, skeleton: BlockSkeleton, ids: Sequence[str], units: Mapping[str, Unit]
    ) -> BlockSkeleton:
        """The file with the translations that a person has approved or edited, or that come from a
        memory, marked so where the format has a mark for it."""
        final = SentenceMatch("exact", 1.0, "", "")
        matches: dict[int, SentenceMatch] = {}
        number = 0
        for name, sentences in zip(ids, skeleton.sentences, strict=True):
            own = self.sentences[number : number + len(sentences)]
            if name in units and (
                name in self.review.final or all(each.is_by_person for each in own)
            ):
                matches |= {number + index: final for index in range(len(own))}
            number += len(own)
        return skeleton.with_matches(matches) if matches else skeleton

    def _merge_sentences(
        self, documents: Sequence[Document], skeleton: FileSkeleton, output: PathLike
    ) -> list[str]:
        """Write a file without blocks: each sentence is a unit."""
        sources = [text for document in documents for text in document.source]
        ids = [block_id(index) if text else "" for index, text in enumerate(sources)]
        units = self._units([name for name in ids if name])
        self._check_sources(units, {n: [(s,)] for n, s in zip(ids, sources, strict=True) if n})
        targets = []
        for name, source in zip(ids, sources, strict=True):
            target = ""
            if unit := units.get(name):
                (segment, *_), is_same = targets_of_sentences(unit.segments, [(source,)])
                target = plain(segment.target or ())
                if not is_same:
                    self.problems.add("source", name)
                if not target:
                    self.problems.add("untranslated", name)
                if any(not isinstance(part, str) for part in segment.target or ()):
                    self.problems.add("superfluous codes", name)
                written = self.review.written.get(name)
                changed = None if written is None else (digest(segment.target),) != written
                self.sentences.append(
                    MergedSentence(source, target, is_edited=changed, is_approved=segment.approved)
                )
            targets.append(target or source)
        rest = iter(targets)
        made = [
            document.translated([next(rest) for _ in document.source]) for document in documents
        ]
        return list(skeleton.write(made, output).notes)

    def _units(self, ids: Sequence[str]) -> dict[str, Unit]:
        """The units of the review by their ids, as far as the file has them.

        Raises:
            InputError: a unit is there several times, with different translations.
        """
        found: dict[str, Unit] = {}
        for unit in self.review.units:
            if unit.id not in found:
                found[unit.id] = unit
                continue
            first, second = found[unit.id], unit
            if [each.target for each in first.segments] != [each.target for each in unit.segments]:
                lines = [each.segments[0].line for each in (first, second) if each.segments]
                raise InputError(
                    f"has several translations for unit {unit.id}, in the lines "
                    f"{' and '.join(map(str, lines))}",
                    path=self.path,
                    cure="Remove all but one",
                )
            self.problems.add("doubled", unit.id)
        known = {name: position for position, name in enumerate(ids)}
        for name in found.keys() - known.keys():
            self.problems.add("unknown", name)
        last = -1
        for name in found:
            if name in known:
                if known[name] < last:
                    self.problems.add("reordered", name)
                last = max(last, known[name])
        wanted = self.review.written or ids
        for name in wanted:
            if name in known and name not in found:
                self.problems.add("missing", name)
        return {name: unit for name, unit in found.items() if name in known}

    def _check_sources(
        self, units: Mapping[str, Unit], sources: Mapping[str, Sequence[TaggedText]]
    ) -> None:
        """Check that a file that may have changed has the sentences of the review.

        Raises:
            InputError: it has others.
        """
        if self.is_same:
            return
        differ = [
            *(n for n, u in units.items() if not targets_of_sentences(u.segments, sources[n])[1]),
            *self.problems.ids("unknown"),
            *(name for name in sources if self.review.written and name not in self.review.written),
        ]
        if differ:
            raise InputError(
                f"was made from another version of {self.review.original}: "
                f"{counted(len(differ), 'unit')} of the file and the review differ: "
                f"{first_few(differ, 20)}",
                path=self.path,
                cure="Merge it into the version from which it was made, named by `source`; or keep "
                "its sentences with `docmt memory add`, and translate the new version with "
                "`docmt translate --memory`",
                parameters=("source",),
            )

    def _notes_on_equal_units(self, units: Iterable[Unit]) -> Iterator[str]:
        """The units that have the source of an edited unit, but another translation."""
        by_source: dict[tuple[str, ...], list[Unit]] = defaultdict(list)
        for unit in units:
            by_source[tuple(plain(each.source) for each in unit.segments)].append(unit)
        differ = [
            name
            for equal in by_source.values()
            if len({tuple(each.target for each in unit.segments) for unit in equal}) > 1
            for name in [" and ".join(unit.id for unit in equal)]
        ]
        if differ:
            yield (
                f"{counted(len(differ), 'text')} with several translations in the review: "
                f"{first_few(differ, 20)}"
            )
