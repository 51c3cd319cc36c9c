"""`CodeEdges`: ends, punctuation and spaces around the codes of a translation, as in the source.

A small system loses the full stop of `Saved to {path}.`, or a bracket beside a code, and writes a
space where the source has none. One rule puts them right in the text, so in every format alike:
what touches a code in the source touches it in the translation. Marks are put in only where the
translation has fewer of them than the source.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

import regex

from docmt_files.base.languages import primary_language
from docmt_nmt.base.translations import Translation
from docmt_nmt.text.scripts import scripts_of_language
from docmt_nmt.translators.repair import Repair, Retry
from docmt_nmt.translators.requests import Revision, SentenceIndex, TranslationRequest
from docmt_nmt.translators.translator import Translator

_STOPS = ".:;!?"
_END = regex.compile(r"(?:[.!?:]|\.{3}|…)(?=[\"'”’»)\]}]*\Z)")
"""The mark that ends a text."""
_OPENING, _CLOSING = "([{“„«", ".,;:!?…)]}”»"
_PARTNERS = {")": "(", "]": "[", "(": ")", "[": "]"}
_SCRIPTS = frozenset({"Latin", "Cyrillic"})
"""Scripts with the marks and spaces of Latin; translations into others stay as they are."""
_OTHER_SPACES = frozenset({"br", "fr", "vi"})
"""Languages that write spaces before some marks."""
_LETTERS = regex.compile(r"[\p{Latin}\p{Cyrillic}]")


@dataclass(frozen=True)
class _EdgeRetry(Retry):
    """Asks for nothing, and gives the mended translations."""

    mended: dict[SentenceIndex, str]

    def concluded(self, translations: Sequence[Translation], accepted: object) -> list[Translation]:
        del accepted
        return [
            translation.with_sentences(
                replace(sentence, target=self.mended.get((owner, index), sentence.target))
                for index, sentence in enumerate(translation.sentences)
            )
            for owner, translation in enumerate(translations)
        ]


@dataclass(frozen=True)
class CodeEdges(Repair):
    """Puts ends, punctuation and spaces around codes right."""

    def retry(
        self,
        translator: Translator,
        request: TranslationRequest,
        translations: Sequence[Translation],
    ) -> Retry | None:
        mended: dict[SentenceIndex, str] = {}
        for owner, translation in enumerate(translations):
            if translation.is_joined:
                continue
            for index, sentence in enumerate(translation.sentences):
                words = request.sentence((owner, index)).protected
                is_taken = sentence.match is not None and sentence.match.is_taken
                if not words or is_taken or sentence.codes or sentence.source == sentence.target:
                    continue
                text = with_edges(sentence.source, sentence.target, words, translator.languages[1])
                if text != sentence.target:
                    mended[owner, index] = text
        known = tuple(translation.document for translation in translations)
        again = replace(request, revision=Revision(known, frozenset()))
        return _EdgeRetry(again, mended) if mended else None


def with_edges(source: str, target: str, words: Sequence[str], language: str) -> str:
    """A translation with the end of its source, and around each code the punctuation and the spaces
    of the source.

    Args:
        source, target: the sentence and its translation.
        words: the codes, as they stand in both.
        language: the code of the target language.

    >>> with_edges("Saved to {path}.", "Salvo em {path}", ["{path}"], "pt")
    'Salvo em {path}.'
    """
    scripts = scripts_of_language(language)
    if not target.strip() or not scripts or scripts[0] not in _SCRIPTS:
        return target
    longest_first = sorted(set(words), key=len, reverse=True)
    pattern = regex.compile("|".join(map(regex.escape, longest_first)))
    texts, codes = _divided(pattern, target)
    around, known = _divided(pattern, source)
    if Counter(codes) != Counter(known):
        return target
    marks = "" if primary_language(language) in _OTHER_SPACES else _STOPS
    if "  " not in source and source == source.strip():
        texts = [regex.sub(" {2,}", " ", text) for text in texts]
        texts[0], texts[-1] = texts[0].lstrip(), texts[-1].rstrip()
    taken: Counter[str] = Counter()
    for index, code in enumerate(codes):
        number = [i for i, each in enumerate(known) if each == code][taken[code]]
        taken[code] += 1
        before, after = around[number], around[number + 1]
        texts[index] = _before_code(before, texts[index])
        texts[index + 1] = _after_code(after, texts[index + 1], "" if marks else f"{_STOPS}»")
        lost = _lost_marks("".join(around), "".join(texts), marks)
        texts[index] = _with_mark_before(before, texts[index], lost)
        last = index == len(codes) - 1
        texts[index + 1] = _with_mark_after(after, texts[index + 1], lost, is_last=last)
    made = "".join(part for pair in zip(texts, [*codes, ""], strict=True) for part in pair)
    return _with_end(source, made, marks)


def _divided(pattern: regex.Pattern[str], text: str) -> tuple[list[str], list[str]]:
    """The texts before, between and after the codes of a text, and the codes."""
    texts: list[str] = []
    codes: list[str] = []
    position = 0
    for match in pattern.finditer(text):
        texts.append(text[position : match.start()])
        codes.append(match[0])
        position = match.end()
    return [*texts, text[position:]], codes


def _before_code(source: str, target: str) -> str:
    """The text before a code with the white space of the source between both."""
    if source and source[-1].isspace() and _LETTERS.match(target[-1:]):
        return f"{target} "
    stripped = target.rstrip()
    if source[-1:] and source[-1] in _OPENING and stripped.endswith(source[-1]):
        return stripped
    return target


def _after_code(source: str, target: str, spaced: str) -> str:
    """The text after a code without white space before the marks that touch it in the source, but
    for marks that the language writes after a space."""
    made = ""
    for mark in takewhile(_CLOSING.__contains__, source):
        stripped = target.lstrip()
        if not stripped.startswith(mark) or mark in spaced:
            break
        made, target = made + mark, stripped[1:]
    return made + target


def _lost_marks(source: str, target: str, marks: str) -> set[str]:
    """The marks and brackets that a translation has too seldom; brackets only where the other one
    is there."""
    lost = {mark for mark in marks if source.count(mark) > target.count(mark)}
    for bracket, partner in _PARTNERS.items():
        is_whole = source.count(bracket) == source.count(partner) == target.count(partner)
        if is_whole and target.count(bracket) < source.count(bracket):
            lost.add(bracket)
    return lost


def _with_mark_before(source: str, target: str, lost: Collection[str]) -> str:
    """The text before a code with the lost mark of the source: `Error: {0}`, `({0}`."""
    if source[-1:] in ("(", "[") and source[-1] in lost:
        return target + source[-1]
    mark = source.rstrip()[-1:]
    if mark and mark in lost and mark in _STOPS and source[-1].isspace():
        stripped = target.rstrip()
        if stripped and stripped[-1].isalnum():
            return f"{stripped}{mark} "
    return target


def _with_mark_after(source: str, target: str, lost: Collection[str], *, is_last: bool) -> str:
    """The text after a code with the lost mark of the source: `{0})`, `{0}. Close it.`"""
    mark, rest = source[:1], target.lstrip()
    if not mark or mark not in lost:
        return target
    if mark in _PARTNERS:
        return mark + target
    begins = not rest or not rest[0].islower()
    within = source[1:2].isspace() and bool(rest) and target[:1].isspace() and begins
    return mark + target if within or (is_last and not rest and len(source) == 1) else target


def _with_end(source: str, target: str, marks: str) -> str:
    """A translation with the mark at its end, if it ends in a word or a code."""
    end = _END.search(source)
    if end is None or _END.search(target) or (end[0] not in marks and end[0] != "."):
        return target
    last = target[-1]
    if last.isalnum() or not unicodedata.category(last).startswith("P") or last in ")]}\"'`%»”’":
        return f"{target}{end[0]}"
    return target
