"""Codes in place of the words standing for them during translation (`kept_words`)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from docmt.formats.core.code_spacing import divides
from docmt.formats.core.inline import CLOSING_MARKS, Code, InlineSentence

if TYPE_CHECKING:
    # NumPy takes long to load.
    from docmt.formats.core.word_links import WordScores

PlaceCodes = Callable[[InlineSentence, str, "WordScores | None"], tuple[list["str | Code"], bool]]
"""Places the codes of a source sentence in a translation, given the alignment of the words of both.
The second value is true if codes are between words, false if around the sentence."""

_STRAIGHT = "\"'`"
_CLASS = f"[{''.join(CLOSING_MARKS)}]"
# After one or two letters, as in `d'%s`, an apostrophe is one.
_OPENING = re.compile(rf"(?<!\b\w)(?<!\b\w\w){_CLASS}\Z|[\"“„«]\Z")
_CLOSING = re.compile(rf"{_CLASS}(?!\w)")
_STRAY_MARK = re.compile(rf"[\"“”„«»]|(?<!\w){_CLASS}")
_LOOSE_START = re.compile(r"^ +(?=[,.)\]])")
_LOOSE_END = re.compile(r"(?<=[(\[]) +$")


def place_with_words(
    sentence: InlineSentence, target: str, scores: WordScores | None, place: PlaceCodes
) -> tuple[list[str | Code], bool]:
    """A translation with the codes of the source. Codes standing in the text as words go in place
    of the words, other codes by alignment.

    Args:
        sentence: the source sentence.
        target: the translation.
        scores: how much each target word looks at each source word; None without an alignment.
        place: places the codes not in the text.

    Returns:
        As `place`.
    """
    parts, between = place(sentence, target, scores)
    if sentence.without_words is None:
        return parts, between
    with_codes = _codes_for_words(sentence, parts)
    if with_codes is not None:
        return with_codes, between
    words = [word for word, _ in sentence.words]
    text = " ".join(re.sub(f" ?(?:{any_of(words).pattern})", "", target).split())
    if not _has_marks(sentence.without_words):
        text = re.sub(r" +(?=[,.)\]]|\Z)", "", _STRAY_MARK.sub("", text)).strip()
    return place(sentence.without_words, text, None)


def _codes_for_words(
    sentence: InlineSentence, parts: Sequence[str | Code]
) -> list[str | Code] | None:
    """The parts of a translation with codes in the place of their words; None unless each code is
    there once."""
    assert sentence.without_words is not None
    codes: dict[str, list[Code]] = defaultdict(list)
    for word, code in sentence.words:
        codes[word].append(code)
    around = dict(
        zip(
            (code.start for _, code in sentence.without_words.codes),
            sentence.without_words.neighbors,
            strict=True,
        )
    )
    has_marks = _has_marks(sentence.without_words)
    pattern = any_of(codes)
    made: list[str | Code] = []
    for part in parts:
        if isinstance(part, Code):
            made.append(part)
            continue
        texts = [part]
        codes_between: list[Code] = []
        while (match := pattern.search(texts[-1])) is not None:
            if not codes[match[0]]:
                return None
            codes_between.append(codes[match[0]].pop(0))
            texts[-1:] = [texts[-1][: match.start()], texts[-1][match.end() :]]
        made += _mended(texts, codes_between, around, has_marks)
    return None if any(codes.values()) else [part for part in made if part != ""]


def _mended(
    texts: Sequence[str],
    codes: Sequence[Code],
    around: Mapping[int, tuple[str, str]],
    has_marks: bool,
) -> list[str | Code]:
    """Texts with codes between them, with the quotation marks and spaces of the codes.

    Args:
        texts: the texts before, between and after the codes.
        codes: the codes.
        around: by the start of a code, the characters before and after it in the source.
        has_marks: whether the source has quotation marks besides the marks of codes.
    """
    mended = list(texts)
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


def any_of(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern for words; of several words that begin at a place, it finds the longest."""
    return re.compile("|".join(map(re.escape, sorted(set(words), key=lambda w: (-len(w), w)))))
