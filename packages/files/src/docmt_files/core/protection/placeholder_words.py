"""Protected codes kept in the text of a sentence, where they stand for words.

`{0}` or the name of a function is a word of the sentence: without it a system translates another
sentence. Where a run can write such words, they stay in the source, and the place in the
translation is the choice of the run. The words are then found in the translation again, and the
codes take their places. Codes of missing words are placed by alignment, like codes a run cannot
write; if a word is there too often, all codes are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from docmt_files.core.inline import CLOSING_MARKS, Alignment, Code, InlineSentence
from docmt_files.core.placement.code_spacing import divides
from docmt_files.core.placement.placed_codes import PlacedCodes
from docmt_files.core.placement.words import words_pattern
from docmt_files.core.protection.masking import unmask
from docmt_files.core.protection.placeholders import placeholder_words
from docmt_files.core.skeleton import CanKeep

PlaceCodes = Callable[[InlineSentence, str, "Alignment | None"], PlacedCodes]
"""Places the codes of a source sentence in a translation, given the alignment of the words of both.
"""

_STRAIGHT = "\"'`"
_CLASS = f"[{''.join(CLOSING_MARKS)}]"
# After one or two letters, as in `d'%s`, an apostrophe is one.
_OPENING = re.compile(rf"(?<!\b\w)(?<!\b\w\w){_CLASS}\Z|[\"“„«]\Z")
_CLOSING = re.compile(rf"{_CLASS}(?!\w)")
_STRAY_MARK = re.compile(rf"[\"“”„«»]|(?<!\w){_CLASS}")
_LOOSE_START = re.compile(r"^ +(?=[,.)\]])")
_LOOSE_END = re.compile(r"(?<=[(\[]) +$")


def with_words(sentence: InlineSentence, file: str, can_keep: CanKeep) -> InlineSentence:
    """A sentence with the words of protected codes in the text, if they can be kept.

    Args:
        sentence: the sentence, with all codes taken out of the text.
        file: the text of the file.
        can_keep: whether a translation can have words.
    """
    ranges: dict[int, str] = {}
    written: set[str] = set()
    for _, code in sentence.codes:
        inner = code.inner or code
        raw = file[inner.start : inner.end]
        if inner.kind == "protected" and (words := inner.words or placeholder_words(raw)):
            ranges[code.start] = words
            written.add(raw)
    if not ranges:
        return sentence
    text, codes, neighbors = _insert(sentence, ranges)
    made = replace(
        sentence,
        text=text,
        codes=codes,
        neighbors=neighbors,
        without_words=sentence,
        words=tuple((ranges[c.start], c) for _, c in sentence.codes if c.start in ranges),
    )
    # Words found elsewhere in the text, or standing for another code, could not be told apart.
    counts = Counter(ranges.values())
    counts_fit = Counter(words_pattern(counts).findall(text)) == counts
    counts_fit = counts_fit and len(written) == len(counts)
    return made if counts_fit and can_keep(text, list(ranges.values())) else sentence


def _insert(
    sentence: InlineSentence, words: dict[int, str]
) -> tuple[str, tuple[tuple[int, Code], ...], tuple[tuple[str, str], ...]]:
    """The text of a sentence with words in place of codes, and the other codes with their
    neighbors. The codes are given by their offsets in the file, and the words have the spaces
    around the codes."""
    text = ""
    codes: list[tuple[int, Code]] = []
    neighbors: list[tuple[str, str]] = []
    position = 0
    for (offset, code), around in zip(sentence.codes, sentence.neighbors, strict=True):
        text += sentence.text[position:offset]
        position = offset
        if code.start not in words:
            codes.append((len(text), code))
            neighbors.append(around)
            continue
        before, after = around
        if before.isspace() and text and not text[-1].isspace():
            text += " "
        text += words[code.start].join(code.marks)
        if after.isspace() and not sentence.text[position : position + 1].isspace():
            text += " "
    text += sentence.text[position:]
    clean = text.rstrip()
    return clean, tuple((min(offset, len(clean)), code) for offset, code in codes), tuple(neighbors)


def place_with_words(
    sentence: InlineSentence, target: str, alignment: Alignment | None, place: PlaceCodes
) -> PlacedCodes:
    """A translation with the codes of the source. Codes standing in the text as words go in place
    of the words, other codes by alignment.

    Args:
        sentence: the source sentence.
        target: the translation.
        alignment: the alignment of the words or codes, if there is one.
        place: places the codes not in the text.
    """
    placed = place(sentence, target, alignment)
    without_words = sentence.without_words
    if without_words is None:
        return placed
    with_codes = _codes_for_words(sentence, without_words, placed.parts)
    if with_codes is not None:
        return placed._replace(parts=with_codes)
    if lost := lost_words(sentence, target):
        marks = _has_marks(without_words) or not any(sentence.words[i][1].inner for i in lost)
        target = target if marks else _STRAY_MARK.sub("", target)
        return place_with_words(_with_codes_of(sentence, lost), target, alignment, place)
    words = [word for word, _ in sentence.words]
    text = " ".join(re.sub(f" ?(?:{words_pattern(words).pattern})", "", target).split())
    if not _has_marks(without_words):
        text = re.sub(r" +(?=[,.)\]]|\Z)", "", _STRAY_MARK.sub("", text)).strip()
    return place(without_words, text, None)


def lost_words(sentence: InlineSentence, target: str) -> list[int]:
    """The indices of the words of codes that a translation lacks, of equal ones the last; none if
    it has one of them too often."""
    if not sentence.words:
        return []
    left = Counter(words_pattern(word for word, _ in sentence.words).findall(target))
    lost: list[int] = []
    for index, (word, _) in enumerate(sentence.words):
        if left[word]:
            left[word] -= 1
        else:
            lost.append(index)
    return [] if left.total() else lost


def _with_codes_of(sentence: InlineSentence, lost: Sequence[int]) -> InlineSentence:
    """A sentence with some of its words, given by their indices, as codes before the words."""
    assert sentence.without_words is not None
    found = words_pattern(word for word, _ in sentence.words).finditer(sentence.text)
    offsets = [match.start() for match in found]
    codes = [(offsets[index], sentence.words[index][1]) for index in lost]
    merged = sorted([*sentence.codes, *codes], key=lambda each: (each[0], each[1].start))
    starts = (code.start for _, code in sentence.without_words.codes)
    around = dict(zip(starts, sentence.without_words.neighbors, strict=True))
    return replace(
        sentence,
        codes=tuple(merged),
        neighbors=tuple(around[code.start] for _, code in merged),
        words=tuple(each for index, each in enumerate(sentence.words) if index not in lost),
    )


def _codes_for_words(
    sentence: InlineSentence, without_words: InlineSentence, parts: Sequence[str | Code]
) -> list[str | Code] | None:
    """The parts of a translation with codes in the place of their words; None unless each code is
    there once."""
    texts = [part for part in parts if isinstance(part, str)]
    divided = unmask(texts, words_pattern(word for word, _ in sentence.words), sentence.words)
    if divided is None:
        return None
    starts = (code.start for _, code in without_words.codes)
    around = dict(zip(starts, without_words.neighbors, strict=True))
    has_marks = _has_marks(without_words)
    rest = iter(divided)
    made: list[str | Code] = []
    for part in parts:
        made += [part] if isinstance(part, Code) else _mended(next(rest), around, has_marks)
    return [part for part in made if part != ""]


def _mended(
    divided: Sequence[str | Code], around: Mapping[int, tuple[str, str]], has_marks: bool
) -> list[str | Code]:
    """Texts and codes in turn, with the quotation marks and spaces of the codes.

    Args:
        divided: the texts before, between and after the codes, with the codes.
        around: by the start of a code, the characters before and after it in the source.
        has_marks: whether the source has quotation marks besides the marks of codes.
    """
    mended = [part for part in divided if isinstance(part, str)]
    codes = [part for part in divided if isinstance(part, Code)]
    shown: list[list[str | Code]] = []
    for index, code in enumerate(codes):
        shown.append([code])
        if code.inner is None:
            continue
        opening, closing = _OPENING.search(mended[index]), _CLOSING.match(mended[index + 1])
        marks = opening[0] if opening else "", closing[0] if closing else ""
        mended[index] = mended[index].removesuffix(marks[0])
        mended[index + 1] = mended[index + 1].removeprefix(marks[1])
        # Straight marks stay; others may be marks of the target language.
        is_pair = marks[1] != "" and marks[1] in CLOSING_MARKS.get(marks[0], "")
        if is_pair and code.marks[0] not in _STRAIGHT:
            shown[-1] = [marks[0], code.inner, marks[1]]
    if not has_marks and any(code.inner for code in codes):
        mended = [_STRAY_MARK.sub("", text) for text in mended]
    made: list[str | Code] = []
    for index, code in enumerate(codes):
        before, after = around[code.start]
        text = mended[index]
        if index and codes[index - 1].end == code.start:
            text = text.strip()
        mended[index] = _LOOSE_END.sub("", text) if before and not before.isspace() else text
        if divides(mended[index][-1:]) and not divides(before):
            mended[index] += " "
        rest = mended[index + 1]
        mended[index + 1] = _LOOSE_START.sub("", rest) if after and not after.isspace() else rest
        if divides(mended[index + 1][:1]) and not divides(after):
            mended[index + 1] = f" {mended[index + 1]}"
        made += [mended[index], *shown[index]]
    return [*made, mended[-1]]


def _has_marks(sentence: InlineSentence) -> bool:
    """Return whether a sentence has quotation marks or apostrophes besides the marks of codes."""
    return any(mark in sentence.text for mark in CLOSING_MARKS)
