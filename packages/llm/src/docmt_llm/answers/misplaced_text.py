"""Signs of text in the wrong sentence: a model answering several sentences at once may join two and
shift all following ones, under valid ids, and a model answering one may translate another that is
in the context.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median

import regex

from docmt_llm.answers.answer_faults import Fault
from docmt_nmt.translators.checks.translation_checks import length_ratio

_MIN_SAME = 8
"""Minimum number of characters of a translation to compare it with the translation of another
sentence."""

_MIN_CONTAINED = 16
"""Minimum number of characters of a translation to look for it within the translation of another
sentence."""

_MIN_PROPORTION = 24
"""Minimum number of characters of a sentence to check the length of the translation."""

_MAX_PROPORTION = 2.5
"""Maximum factor between the length ratio of a translation and the median ratio."""

_MIN_GROUP = 4
"""Minimum number of sentences for a median ratio."""

_ENDING = regex.compile(r"[\p{Sentence_Terminal}…:;][\p{Pe}\p{Pf}\p{Pi}\"'\s]*\Z")
"""The end of a sentence."""

REACH = 8
"""Number of previous translations to compare a translation with: more sentences than a model reads
around a sentence by default."""

_STEM = regex.compile(
    r"(?<content>\p{Han}|(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}\p{N}]{4}+)"
    r"|(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}\p{N}]++"
)
"""The first four characters of a content word, which inflected forms share; a Han character; or a
short word."""

_ANCHOR = regex.compile(r"[\p{L}\p{M}]*\p{N}[\p{L}\p{M}\p{N}]+|[\p{L}\p{M}]{4,}")
"""Text a translation may copy from the source: a number, or a name."""


def find_misplaced_text(
    sources: Mapping[int, str], targets: Mapping[int, str]
) -> Iterator[tuple[int, Fault]]:
    """Yield the signs, each with the index of the sentence.

    Args:
        sources: sentences by index.
        targets: the translations of one answer, by index; some may be missing.
    """
    yield from find_shared_text(sources, targets)
    yield from _moved_anchors(sources, targets)
    yield from _out_of_proportion(sources, targets)
    yield from _other_endings(sources, targets)


def is_repeated(source: str, target: str, other_source: str, other_target: str) -> bool:
    """Return whether two sentences have the same translation, although either has words that the
    other lacks."""
    text = _folded(target)
    if len(text) < _MIN_SAME or text != _folded(other_target):
        return False
    stems, other_stems = _stems(source), _stems(other_source)
    return not (stems <= other_stems or other_stems <= stems)


def contains_other(source: str, target: str, other_source: str, other_target: str) -> bool:
    """Return whether the translation of a sentence contains the translation of another and more,
    although the sentence lacks most words of the other sentence."""
    inner, outer = _folded(other_target), _folded(target)
    if len(inner) < _MIN_CONTAINED or inner == outer or inner not in outer:
        return False
    other_stems = _stems(other_source)
    return 2 * len(other_stems & _stems(source)) < len(other_stems)


def find_shared_text(
    sources: Mapping[int, str], targets: Mapping[int, str]
) -> Iterator[tuple[int, Fault]]:
    """Yield signs of a text given for two sentences near each other, each with the index of the
    sentence. With the same translation, either sentence may be the wrong one, and both are given.

    Args:
        sources: sentences by index.
        targets: translations by index, in ascending order; some may be missing.
    """
    indices = list(targets)
    for position, index in enumerate(indices):
        for other in indices[max(position - REACH, 0) : position]:
            pair, other_pair = ((sources[index], targets[index]), (sources[other], targets[other]))
            if is_repeated(*pair, *other_pair):
                yield other, Fault("repeated", f"the same as for sentence {index + 1:,}")
                yield index, Fault("repeated", f"the same as for sentence {other + 1:,}")
            elif contains_other(*pair, *other_pair):
                yield index, Fault("other-sentence", f"has that of sentence {other + 1:,}")
            elif contains_other(*other_pair, *pair):
                yield other, Fault("other-sentence", f"has that of sentence {index + 1:,}")


def _moved_anchors(
    sources: Mapping[int, str], targets: Mapping[int, str]
) -> Iterator[tuple[int, Fault]]:
    """Numbers and names found in only one source sentence, but in the translation of another and
    not in the sentence's own."""
    of_source = {index: set(_ANCHOR.findall(text)) for index, text in sources.items()}
    owner: dict[str, int | None] = {}
    for index, anchors in of_source.items():
        for anchor in anchors:
            owner[anchor] = None if anchor in owner else index
    of_target = {index: set(_ANCHOR.findall(text)) for index, text in targets.items()}
    for index, anchors in of_target.items():
        for anchor in sorted(anchors - of_source[index]):
            other = owner.get(anchor)
            if other is not None and anchor not in of_target.get(other, ()):
                detail = f"has {anchor!r} of sentence {other + 1:,}"
                yield index, Fault("other-sentence", detail)
                break


def _out_of_proportion(
    sources: Mapping[int, str], targets: Mapping[int, str]
) -> Iterator[tuple[int, Fault]]:
    """Translations much longer or shorter, relative to their sentences, than the others."""
    ratios = {index: length_ratio(sources[index], target) for index, target in targets.items()}
    if len(ratios) < _MIN_GROUP:
        return
    usual = median(ratios.values())
    for index, ratio in ratios.items():
        times = max(ratio / usual, usual / ratio)
        if len(sources[index]) >= _MIN_PROPORTION and times > _MAX_PROPORTION:
            length = f"{len(targets[index]):,} characters for {len(sources[index]):,}"
            yield index, Fault("out-of-proportion", length)


def _other_endings(
    sources: Mapping[int, str], targets: Mapping[int, str]
) -> Iterator[tuple[int, Fault]]:
    """Translations with sentence-final punctuation where the source has none, or without it where
    the source has some, if most other translations agree with their source."""
    differ = [
        index
        for index, target in targets.items()
        if (_ENDING.search(sources[index]) is None) != (_ENDING.search(target) is None)
    ]
    if 2 * len(differ) <= len(targets):
        for index in differ:
            yield index, Fault("other-ending", repr(targets[index][-20:]))


def _stems(text: str) -> set[str]:
    """The stems of the content words of a text or, without any, the short words."""
    found = list(_STEM.finditer(text.casefold()))
    return {match["content"] for match in found} - {None} or {match[0] for match in found}


def _folded(text: str) -> str:
    """A text without case, and with single spaces."""
    return " ".join(text.casefold().split())
