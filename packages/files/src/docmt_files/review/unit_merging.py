"""The target sentences of a block from the segments of a unit, with the inline codes checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from docmt_files.core.inline import Code, CodedText, InlineSentence, inline_codes
from docmt_files.core.sentence_writer import TargetSentence
from docmt_files.core.skeleton import on_one_line
from docmt_files.review.problems import Problems
from docmt_files.review.review_units import Tag, TaggedText, Unit, digest
from docmt_files.review.segment_matching import targets_of_sentences
from docmt_files.review.tagged_sentences import BlockTags


@dataclass(frozen=True, slots=True)
class MergedSentence:
    """A sentence of the file with the translation of the review.

    Attributes:
        source: the sentence, with the words of protected codes.
        target: the translation; "" for none.
        codes: the offsets of the inline codes in the source and, in the same order, in the target.
        is_edited: whether a person has changed the target; None if it is not known.
        is_approved: whether a person has approved the target.
    """

    source: str
    target: str
    codes: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    is_edited: bool | None = None
    is_approved: bool = False

    @property
    def is_by_person(self) -> bool:
        """True if a person has edited or approved the target."""
        return bool(self.target) and (bool(self.is_edited) or self.is_approved)


def merge_unit(
    unit: Unit,
    sentences: Sequence[InlineSentence],
    tags: BlockTags,
    written: Sequence[str],
    problems: Problems,
) -> tuple[list[TargetSentence], list[MergedSentence]]:
    """The target sentences of a block.

    Args:
        unit: the unit of the block.
        sentences: the sentences of the block, with the words of protected codes.
        tags: the tags of the block.
        written: the digests of the targets as they were written; empty if not known.
        problems: takes what does not fit.
    """
    sources = [tags.source(sentence) for sentence in sentences]
    segments, is_same = targets_of_sentences(unit.segments, sources)
    if not is_same:
        problems.add("source", unit.id)
    if not any(segment.target for segment in segments):
        problems.add("untranslated", unit.id)
        return untranslated(sentences)
    if any(segment.target is None for segment in segments):
        problems.add("untranslated", unit.id)
    taken = _without_superfluous(
        [
            s if each.target is None else each.target
            for s, each in zip(sources, segments, strict=True)
        ],
        tags,
        problems,
        unit.id,
    )
    is_whole = _has_all(taken, tags)
    if not is_whole:
        problems.add("lost codes", unit.id)
    targets, merged = [], []
    known = len(written) == len(sentences)
    for index, (sentence, text) in enumerate(zip(sentences, taken, strict=True)):
        target, offsets = _said(tags.parts(text), sentence)
        if text == sources[index]:
            targets.append(TargetSentence(0, on_one_line(sentence.text)))
        else:
            coded = CodedText(tuple(tags.parts(text))) if is_whole else None
            targets.append(TargetSentence(0, target, coded))
        own = tuple(code.offset for code in inline_codes(sentence))
        places = tuple(offsets[code] for _, code in sentence.shown if code in offsets)
        segment = segments[index]
        changed = digest(segment.target) != written[index] if known else None
        merged.append(
            MergedSentence(
                sentence.text,
                "" if segment.target is None else target,
                (own, places) if len(own) == len(places) else ((), ()),
                changed,
                segment.approved,
            )
        )
    return targets, merged


def untranslated(
    sentences: Sequence[InlineSentence],
) -> tuple[list[TargetSentence], list[MergedSentence]]:
    """The target sentences of a block that stays as it is."""
    return [TargetSentence(0, "") for _ in sentences], [
        MergedSentence(sentence.text, "") for sentence in sentences
    ]


def _without_superfluous(
    texts: Sequence[TaggedText], tags: BlockTags, problems: Problems, name: str
) -> list[TaggedText]:
    """Texts without tags that the block does not have, or not so often."""
    seen: set[Code] = set()
    made = []
    for text in texts:
        kept: list[str | Tag] = []
        for part in text:
            code = None if isinstance(part, str) else tags.code_of(part)
            if isinstance(part, str) or (code is not None and code not in seen):
                kept.append(part)
                seen |= set() if code is None else {code}
            else:
                problems.add("superfluous codes", name)
        made.append(tuple(kept))
    return made


def _has_all(texts: Iterable[TaggedText], tags: BlockTags) -> bool:
    """Return whether texts have all tags of a block, and pairs are in each other."""
    codes = [
        code
        for text in texts
        for part in text
        if not isinstance(part, str) and (code := tags.code_of(part))
    ]
    if Counter(codes) != Counter(tags.tags.keys()):
        return False
    paired = Counter(code.pair for code in codes if code.kind in ("open", "close"))
    waiting: list[int] = []
    for code in codes:
        if paired[code.pair] < 2:
            continue
        if code.kind == "open":
            waiting.append(code.pair)
        elif code.kind == "close" and (not waiting or waiting.pop() != code.pair):
            return False
    return True


def _said(parts: Sequence[str | Code], sentence: InlineSentence) -> tuple[str, dict[Code, int]]:
    """A target as a translator writes it: with words in place of protected codes and without other
    codes; and the offsets of these."""
    words = {code: word for word, code in sentence.words}
    text, offsets = "", {}
    for part in parts:
        if isinstance(part, str):
            # Around a code that is taken out, one space is enough.
            text += part.lstrip() if text.endswith(" ") else part
        elif part in words:
            text += words[part].join(part.marks)
        else:
            offsets[part] = len(text)
    text = on_one_line(text)
    return text, {code: min(offset, len(text)) for code, offset in offsets.items()}
