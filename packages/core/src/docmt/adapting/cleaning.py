"""What a model should not learn from: pairs that are left out of a person's material, by reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from docmt.adapting.material import FileMaterial
from docmt_files import has_letter
from docmt_files.base.documents import Document
from docmt_nmt.text.language_detection import (
    language_name,
    other_language,
    other_language_of_sentence,
    parts_in_other_languages,
)
from docmt_nmt.translators.checks.translation_checks import (
    CheckThresholds,
    class_of,
    length_ratio,
    normalized,
)

MAX_CHARACTERS = 1_000
"""Longer sentences are left out: they are tables or lists, and cost much."""

_MAX_SAME = 5
"""Pairs that may differ in numbers alone; further ones are left out."""

_BROKEN = re.compile("\ufffd|Ã[\x80-¿]|â€|Â[\xa0-¿]|[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""Characters of text that was decoded wrongly."""

_CODE = re.compile(r"\{[\w.]*\}|%(?:\d+\$)?[sdif]\b|\$\{\w+\}|</?\w+[^<>]{0,80}>")
"""Placeholders and tags."""

_DIGITS, _OTHERS = re.compile(r"\d+"), re.compile(r"[\W_]+")


class Cleaned(NamedTuple):
    """Material without what a model should not learn from.

    Attributes:
        documents: the pairs that are left.
        left_out: the numbers of pairs that are left out, by reason.
        notes: what was found about whole files.
    """

    documents: list[Document]
    left_out: Counter[str]
    notes: list[str]


class Cleaner:
    """Leaves out pairs; duplicates are looked for over all files.

    Args:
        languages: source and target language.
    """

    def __init__(self, languages: tuple[str, str]) -> None:
        self.languages = languages
        self.thresholds = CheckThresholds.default(languages)
        self._seen: set[tuple[str, str]] = set()
        self._alike: Counter[tuple[str, str]] = Counter()

    def clean(self, material: FileMaterial) -> Cleaned:
        """A file's pairs without what a model should not learn from."""
        left_out: Counter[str] = Counter()
        if material.doubtful:
            left_out["with no clear translation in the other file"] += material.doubtful
        documents, notes = list(material.documents), []
        if self._are_exchanged(documents):
            documents = [Document(d.id, d.target or (), d.source) for d in documents]
            notes.append(f"{material.name}: source and target are exchanged, and were turned round")
        if found := self._of_other_language(documents):
            side, code = found
            notes.append(f"{material.name}: its {side} is {language_name(code)}: left out")
            left_out[f"in a file whose {side} is {language_name(code)}"] += len(material)
            return Cleaned([], left_out, notes)
        kept = [self._cleaned(document, left_out) for document in documents]
        return Cleaned([document for document in kept if len(document)], left_out, notes)

    def _are_exchanged(self, documents: Sequence[Document]) -> bool:
        """Return whether each side is in the language of the other."""
        source, target = self.languages
        found = [other_language(_side(documents, i), c) for i, c in enumerate((source, target))]
        return found == [_short(target), _short(source)]

    def _of_other_language(self, documents: Sequence[Document]) -> tuple[str, str] | None:
        """The side of a file that is in another language, and the language."""
        for index, side in enumerate(("source", "target")):
            code = self.languages[index]
            if other := other_language(_side(documents, index), code):
                return side, other
        return None

    def _cleaned(self, document: Document, left_out: Counter[str]) -> Document:
        """A document without the pairs with a fault."""
        foreign = parts_in_other_languages(document.source, self.languages[0])
        pairs = []
        for index, pair in enumerate(zip(document.source, document.target or (), strict=True)):
            pair = " ".join(pair[0].split()), " ".join(pair[1].split())
            fault = self._fault(*pair, is_foreign=index in foreign)
            if fault:
                left_out[fault] += 1
            else:
                pairs.append(pair)
        source, target = zip(*pairs, strict=True) if pairs else ((), ())
        return Document(document.id, source, target)

    def _fault(self, source: str, target: str, *, is_foreign: bool) -> str:
        """The reason why a pair is left out; "" for none."""
        return next(self._faults(source, target, is_foreign=is_foreign), "")

    def _faults(self, source: str, target: str, *, is_foreign: bool) -> Iterator[str]:
        if not source or not target:
            yield "without a translation"
        if not (has_letter(source) and has_letter(target)):
            yield "without words"
        if normalized(source) == normalized(target):
            yield "not translated"
        if _BROKEN.search(source) or _BROKEN.search(target):
            yield "with broken characters"
        if max(len(source), len(target)) > MAX_CHARACTERS:
            yield f"of more than {MAX_CHARACTERS:,} characters"
        if Counter(_CODE.findall(source)) != Counter(_CODE.findall(target)):
            yield "with other codes in the translation"
        limits, ratio = self.thresholds, length_ratio(source, target)
        size = class_of(source, limits.lengths)
        if not limits.min_length_ratio[size] <= ratio <= limits.max_length_ratio[size]:
            yield "of very unequal lengths"
        if is_foreign or other_language_of_sentence(source, target, self.languages[1]):
            yield "in another language"
        yield from self._repeated(source, target)

    def _repeated(self, source: str, target: str) -> Iterator[str]:
        key = key_of(source), key_of(target)
        pair = normalized(source), normalized(target)
        if pair in self._seen:
            yield "there already"
        self._seen.add(pair)
        self._alike[key] += 1
        if self._alike[key] > _MAX_SAME:
            yield "there already with other numbers"


def key_of(sentence: str) -> str:
    """A sentence without case, punctuation and the values of numbers, by which sentences are the
    same."""
    return _OTHERS.sub(" ", _DIGITS.sub("0", sentence.casefold())).strip()


def _side(documents: Sequence[Document], index: int) -> list[str]:
    return [text for each in documents for text in ((each.source, each.target or ())[index])]


def _short(code: str) -> str:
    return code.split("-")[0].split("_")[0].lower()


def clean_all(
    materials: Sequence[FileMaterial],
    languages: tuple[str, str],
    belongs: Callable[[Sequence[Document]], float | None],
    least: float,
) -> Cleaned:
    """The pairs of all files without what a model should not learn from.

    Args:
        materials: the files.
        languages: source and target language.
        belongs: the share of a file's pairs whose sides belong together; None if it is not known.
        least: the least share with which a file is used.
    """
    cleaner = Cleaner(languages)
    documents: list[Document] = []
    left_out: Counter[str] = Counter()
    notes: list[str] = []
    for material in materials:
        cleaned = cleaner.clean(material)
        left_out += cleaned.left_out
        notes += cleaned.notes
        share = belongs(cleaned.documents) if cleaned.documents else None
        if share is not None and share < least:
            pairs = sum(map(len, cleaned.documents))
            left_out["in a file whose sides do not belong together"] += pairs
            notes.append(
                f"{material.name}: its sides do not belong together ({share:.0%} of a sample do): "
                "left out"
            )
            continue
        documents += cleaned.documents
    return Cleaned(documents, left_out, notes)
