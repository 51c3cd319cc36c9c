"""Signs of text in the wrong sentence of an answer: a model answering several sentences at once may
join two and shift all following ones, under valid ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median

import regex

from docmt.data.translation_checks import length_ratio
from docmt.language_models.answer_faults import Fault

_MIN_SAME = 16
"""Minimum number of characters of a translation to look for it in the translation of another
sentence."""

_MIN_PROPORTION = 24
"""Minimum number of characters of a sentence to check the length of the translation."""

_MAX_PROPORTION = 2.5
"""Maximum factor between the length ratio of a translation and the median ratio."""

_MIN_GROUP = 4
"""Minimum number of sentences for a median ratio."""

_ENDING = regex.compile(r"[\p{Sentence_Terminal}…:;][\p{Pe}\p{Pf}\p{Pi}\"'\s]*\Z")
"""The end of a sentence."""

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
    yield from _repeated(sources, targets)
    yield from _contained(sources, targets)
    yield from _moved_anchors(sources, targets)
    yield from _out_of_proportion(sources, targets)
    yield from _other_endings(sources, targets)


def contains_other(source: str, target: str, other_source: str, other_target: str) -> bool:
    """Return whether the translation of a sentence contains the translation of another, although
    the sentence does not contain the other sentence."""
    inner = _folded(other_target)
    if len(inner) < _MIN_SAME or inner not in _folded(target):
        return False
    return _folded(other_source) not in _folded(source)


def _repeated(
    sources: Mapping[int, str], targets: Mapping[int, str]
) -> Iterator[tuple[int, Fault]]:
    """Equal translations of different sentences."""
    first: dict[str, int] = {}
    for index, target in targets.items():
        text = _folded(target)
        other = first.setdefault(text, index)
        if len(text) >= _MIN_SAME and _folded(sources[index]) != _folded(sources[other]):
            yield index, Fault("repeated", f"the same as for sentence {other + 1:,}")


def _contained(
    sources: Mapping[int, str], targets: Mapping[int, str]
) -> Iterator[tuple[int, Fault]]:
    """Translations contained in the translations of neighbors."""
    indices = list(targets)
    for position, index in enumerate(indices):
        for other in indices[max(position - 2, 0) : position + 3]:
            if other == index or _folded(targets[other]) == _folded(targets[index]):
                continue
            if contains_other(sources[index], targets[index], sources[other], targets[other]):
                yield index, Fault("other-sentence", f"has that of sentence {other + 1:,}")


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


def _folded(text: str) -> str:
    """A text without case, and with single spaces."""
    return " ".join(text.casefold().split())
