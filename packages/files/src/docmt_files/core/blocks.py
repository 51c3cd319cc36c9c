"""`BlockSkeleton`: a file as blocks of text with inline codes, to be filled with translations.

Filling replaces the ranges of changed sentences and copies every other character. The result is
read again and must have the blocks of the file, each with the same codes. A block with other codes
is filled again with the codes around its sentences. If the codes still differ, the block stays
untranslated; notes count both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, islice
from typing import NamedTuple

from docmt_files.base.documents import Document, Sentence, SentenceMatch
from docmt_files.base.errors import InputError, name_of
from docmt_files.base.messages import Message
from docmt_files.base.wording import counted
from docmt_files.core.block_structure import changed_blocks
from docmt_files.core.equal_blocks import origins_of
from docmt_files.core.inline import (
    AlignSentences,
    Block,
    Code,
    InlineSentence,
    has_word,
    inline_codes,
)
from docmt_files.core.patches import Patch, apply_patches, from_innermost, outside
from docmt_files.core.placement.placed_codes import PlacedCodes
from docmt_files.core.protection.invisible_characters import read_visibly
from docmt_files.core.protection.placeholder_words import lost_words, with_words
from docmt_files.core.scopes import key_path, notes_on
from docmt_files.core.sentence_cutting import cut_blocks
from docmt_files.core.sentence_writer import (
    CodeLevel,
    SentenceWriter,
    TargetSentence,
    can_hold,
    notes_on_codes,
)
from docmt_files.core.skeleton import (
    NOT_HELD,
    CanKeep,
    FileRules,
    FileSkeleton,
    Filled,
    NoTextError,
    Written,
    check_filling,
    on_one_line,
)
from docmt_files.storage.files import PathLike, write_whole

LEFT = len(CodeLevel)
"""The treatment of a block after those of `CodeLevel`: left as it was."""

_MAX_ROUNDS = 4
"""Repair rounds per block before all following blocks are degraded too."""


class Blocks(NamedTuple):
    """Blocks of a file, and other changes to the file.

    Attributes:
        blocks: the blocks, in the order of translation. A block in a code of another block, such as
            an attribute, comes after the other.
        patches: changes besides translations, such as to the language of the file.
        kept: notes on possible text left untranslated.
        equal: whether equal blocks get equal translations. False for dialogue, where a translation
            depends on the lines before.
        is_split: whether blocks are split into sentences.
    """

    blocks: list[Block]
    patches: tuple[Patch, ...] = ()
    kept: tuple[str, ...] = ()
    equal: bool = True
    is_split: bool = True


class _Written(NamedTuple):
    """A file with translations written into it.

    Attributes:
        text: the file, before the rules of the format are applied.
        patches: the patches written, in order.
        placed: the codes of each changed sentence, by its index in the file.
    """

    text: str
    patches: Sequence[Patch]
    placed: Mapping[int, PlacedCodes]


@dataclass(frozen=True, slots=True)
class BlockSkeleton(FileSkeleton):
    """A file with the ranges of sentences.

    Attributes:
        text: the file.
        found: the blocks of the file.
        sentences: the sentences of each block.
        document_id: the id of the document.
        find: finds the blocks of a text in the format of the file, for comparison; None if the
            format has no codes, or other rules.
        encode: the bytes of the file with another text.
        rules: further demands of the format.
        own: indices of sentences with translations by a person, which their blocks keep.
        left: the indices of blocks that are left as they are, without sentences.
    """

    text: str
    found: Blocks
    sentences: tuple[tuple[InlineSentence, ...], ...]
    document_id: str
    find: Callable[[str], Blocks] | None = None
    encode: Callable[[str], bytes] = str.encode
    rules: FileRules | None = None
    own: frozenset[int] = frozenset()
    left: frozenset[int] = frozenset()

    def fill(self, documents: Sequence[Document]) -> str:
        """The file with the target sentences of a document. A sentence equal to the source stays as
        it was. Equal blocks get the translation of the first of them, unless the format says
        otherwise.

        Raises:
            InputError: documents or sentences are missing, superfluous or in another order.
        """
        return self.fill_and_report(documents).text

    def fill_and_report(
        self, documents: Sequence[Document], align: AlignSentences | None = None
    ) -> Filled:
        """Fill the file as `fill`, with notes about it; the arguments are as for `write`."""
        count = sum(map(len, self.sentences))
        targets = self._targets(list(check_filling(documents, ((self.document_id, count),))))
        if align is not None:
            targets = self._aligned(targets, documents[0], align)
        return self.fill_targets(targets)

    def fill_targets(self, targets: Sequence[Sequence[TargetSentence]]) -> Filled:
        """Fill the file with the target sentences of each block. A block of empty ones is left."""
        held = [
            all(can_hold(block, target.text) for target in group)
            for block, group in zip(self.found.blocks, targets, strict=True)
        ]
        # Some formats find no block without words, which would shift the blocks after it.
        levels = [
            LEFT
            if group and not (is_held and any(has_word(t.text) for t in group))
            else CodeLevel.WITHIN_WORDS
            for group, is_held in zip(targets, held, strict=True)
        ]
        written = self._write(targets, levels, ())
        rounds = 0
        while (bad := self._faulty(written)) and any(level != LEFT for level in levels):
            rounds += 1
            # A block may have been changed by one before it.
            first = 0 if rounds > 2 * _MAX_ROUNDS else bad[0]
            several = set(range(first, len(levels)) if rounds > _MAX_ROUNDS else bad)
            levels = [min(level + (i in several), LEFT) for i, level in enumerate(levels)]
            written = self._write(targets, levels, ())
        if self.found.patches:
            written = self._write(targets, levels, self.found.patches)
        kept = [index for index, level in enumerate(levels) if level == LEFT]
        text = written.text
        if self.rules is not None:
            text = self.rules.leave(self.rules.finish(text), {*kept, *self.left})
        placed = list(written.placed.values())
        notes = tuple(self._notes(text, placed, len(kept), held.count(False)))
        moved = sum(not codes.are_exact for codes in placed)
        coded = {index: codes.parts for index, codes in written.placed.items()}
        return Filled(text, self.encode(text), notes, len(kept), moved, tuple(levels), coded)

    def write(
        self, documents: Sequence[Document], path: PathLike, align: AlignSentences | None = None
    ) -> Written:
        filled = self.fill_and_report(documents, align)
        with write_whole(path) as out:
            out.write(filled.data)
        return Written(filled.notes, filled.kept, filled.moved)

    def with_blocks(
        self, blocks: Sequence[Block], language: str, find: Callable[[str], Blocks] | None
    ) -> BlockSkeleton:
        """The file with other blocks, cut into sentences by the rules of a language; `find` finds
        such blocks in a filled file."""
        visible, _ = read_visibly(blocks)
        sentences = cut_blocks(visible, language, is_split=self.found.is_split)
        found = self.found._replace(blocks=list(blocks))
        return replace(self, found=found, sentences=sentences, find=find)

    def leave(self, blocks: Collection[int], notes: Iterable[str]) -> BlockSkeleton:
        """The file without the sentences of some blocks, given by their indices, and without other
        changes to these; with notes on them."""
        sentences = [() if i in blocks else block for i, block in enumerate(self.sentences)]
        parts = [self.found.blocks[index].parts for index in sorted(blocks)]
        ranges = sorted((of[0].start, of[-1].end, "") for of in parts if of)
        patches = tuple(outside(sorted(self.found.patches), ranges))
        found = self.found._replace(kept=(*self.found.kept, *notes), patches=patches)
        left = self.left.union(blocks)
        return replace(self, found=found, sentences=tuple(sentences), left=left)

    @property
    def _flat(self) -> Iterator[InlineSentence]:
        """The sentences of all blocks."""
        return chain.from_iterable(self.sentences)

    @property
    def documents(self) -> list[Document]:
        """The file as one document."""
        return [Document(self.document_id, tuple(sentence.text for sentence in self._flat))]

    def sentences_of(self, document: Document) -> tuple[Sentence, ...]:
        del document  # it is the only one
        return tuple(chain.from_iterable(map(_sentences, self.found.blocks, self.sentences)))

    def keep_words(
        self, _: list[Document], can_keep: CanKeep
    ) -> tuple[list[Document], BlockSkeleton]:
        rest = iter([with_words(sentence, self.text, can_keep) for sentence in self._flat])
        blocks = tuple(tuple(islice(rest, len(block))) for block in self.sentences)
        made = replace(self, sentences=blocks)
        return made.documents, made

    def with_matches(self, matches: Mapping[int, SentenceMatch]) -> BlockSkeleton:
        indices = iter(range(sum(map(len, self.sentences))))
        of_blocks = ([matches.get(i) for i in islice(indices, len(b))] for b in self.sentences)
        by_block = {index: of_block for index, of_block in enumerate(of_blocks) if any(of_block)}
        rules = self.rules and self.rules.with_matches(by_block)
        own = frozenset(index for index, match in matches.items() if match.is_taken)
        return replace(self, rules=rules, own=own)

    @property
    def origins(self) -> list[int]:
        return origins_of(self.sentences, equal=self.found.equal, own=self.own)

    def block_sizes(self, _: int) -> Iterator[tuple[int, int]]:
        for block, sentences in zip(self.found.blocks, self.sentences, strict=True):
            yield block.heading, len(sentences)

    def _faulty(self, written: _Written) -> Sequence[int]:
        """The blocks responsible for damage to a filled file."""
        bad = self._changed(written)
        if not bad and self.rules is not None:
            return self.rules.faulty(self.rules.finish(written.text)) or ()
        return bad

    def _targets(self, sentences: list[str]) -> list[list[TargetSentence]]:
        """The target sentences of each block on one line each."""
        targets = (
            TargetSentence(origin, on_one_line(sentences[origin])) for origin in self.origins
        )
        return [list(islice(targets, len(block))) for block in self.sentences]

    def _aligned(
        self, targets: Sequence[Sequence[TargetSentence]], document: Document, align: AlignSentences
    ) -> list[list[TargetSentence]]:
        """Targets with their alignments, where codes are between words."""
        wanted = {
            target.position
            for block, group in zip(self.sentences, targets, strict=True)
            for sentence, target in zip(block, group, strict=True)
            if (sentence.has_inner_codes or lost_words(sentence, target.text))
            and target.changes(sentence)
        }
        found = align(document, sorted(wanted)) if wanted else {}
        return [[t._replace(alignment=found.get(t.position)) for t in group] for group in targets]

    def _write(
        self,
        targets: Sequence[Sequence[TargetSentence]],
        levels: Sequence[int],
        patches: Sequence[Patch],
    ) -> _Written:
        """The file with these targets and patches."""
        written = sorted(patches)
        placed: dict[int, PlacedCodes] = {}
        firsts = list(accumulate(map(len, self.sentences), initial=0))

        def code_text(code: Code) -> str:
            return apply_patches(self.text, written, code.start, code.end)

        # Codes of a block are written with the blocks in them.
        for indices in from_innermost(self.found.blocks):
            patches_of_blocks: list[Patch] = []
            for index in indices:
                if levels[index] != LEFT:
                    level, block = CodeLevel(levels[index]), self.found.blocks[index]
                    writer = SentenceWriter(self.text, block, code_text, level)
                    patches_of_block, codes_of_block = writer.write_all(
                        self.sentences[index], targets[index]
                    )
                    patches_of_blocks += patches_of_block
                    placed |= {firsts[index] + at: codes for at, codes in codes_of_block.items()}
            patches_of_blocks.sort()
            written = sorted([*outside(written, patches_of_blocks), *patches_of_blocks])
        text = apply_patches(self.text, written)
        return _Written(text, written, placed)

    def _changed(self, written: _Written) -> Sequence[int]:
        """The blocks with other codes in a filled file."""
        if self.find is None:
            return ()
        try:
            others = self.find(written.text).blocks
        except InputError:  # it is not well-formed any more
            others = []
        return changed_blocks(self.found.blocks, self.text, others, written.text, written.patches)

    def _notes(
        self, text: str, placed: Sequence[PlacedCodes], kept: int, unheld: int
    ) -> Iterator[str]:
        """The counts of a filled file, and places for the user to check."""
        if unheld:
            yield f"{counted(unheld, 'block')} {NOT_HELD}"
        if self.find is not None or self.rules is not None:
            parts = chain.from_iterable(block.parts for block in self.found.blocks)
            codes = sum(isinstance(part, Code) and part.shows for part in parts)
            yield Message(
                f"{counted(len(self.found.blocks), 'block')}, "
                f"{counted(sum(map(len, self.sentences)), 'sentence')} and "
                f"{counted(codes, 'inline code')}, all of them in the output",
                kind="counts",
            )
        yield from notes_on_codes(placed)
        if kept > unheld:
            yield (
                f"{counted(kept - unheld, 'block')} not translated, because the translation has no "
                "words or would have changed the structure of the file"
            )
        yield from self.found.kept
        if self.rules is not None:
            yield from self.rules.notes(text)


def _sentences(block: Block, sentences: Sequence[InlineSentence]) -> Iterator[Sentence]:
    """The sentences of a block, with all that the file says about them."""
    scope = block.scopes[0] if block.scopes else None
    key, note = ("", "") if scope is None else (key_path(scope), notes_on(scope))
    for sentence in sentences:
        yield Sentence(
            sentence.text,
            protected=tuple(word for word, _ in sentence.words),
            codes=tuple(inline_codes(sentence)) if sentence.has_inner_codes else (),
            heading=block.heading,
            key=key,
            note=note,
        )


def read_document(
    path: PathLike,
    text: str,
    blocks: Blocks,
    language: str,
    find: Callable[[str], Blocks] | None,
    encode: Callable[[str], bytes] | None = None,
    rules: FileRules | None = None,
) -> tuple[list[Document], BlockSkeleton]:
    """A file as one document, named after the file. Blocks without a letter, such as numbers in
    tables, are not translated, unless there are no others.

    Args:
        path: the file.
        text: the text of the file.
        found: the blocks of the file.
        language: the code of the language whose rules split sentences.
        find: finds the blocks of a filled file, for comparison.
        encode: the bytes of the file with another text. Default: the text in UTF-8.
        rules: further demands of the format on a filled file.

    Raises:
        InputError: the file has no sentence.
    """
    visible, notes = read_visibly(blocks.blocks)
    sentences = cut_blocks(visible, language, is_split=blocks.is_split)
    if not any(sentences):
        raise NoTextError.of(path)
    blocks = blocks._replace(kept=(*blocks.kept, *notes))
    encode = encode or str.encode
    skeleton = BlockSkeleton(text, blocks, sentences, name_of(path), find, encode, rules)
    return skeleton.documents, skeleton
