"""`CalendarNames`: the names of days and months, and *am* and *pm*, in files of strings.

Under keys such as `date.abbr_day_names` of Rails or `weekdaysShort` of others a name stands alone,
and a system makes *Sol* of *Sun*. CLDR has the names of every language.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import regex

from docmt_nmt.base.translations import Translation
from docmt_nmt.translators.repair import Repair, Retry
from docmt_nmt.translators.requests import Revision, SentenceIndex, TranslationRequest
from docmt_nmt.translators.translator import Translator

_Kind = Literal["days", "months"]
_LISTS: Mapping[_Kind, regex.Pattern[str]] = {
    "days": regex.compile(r"(?i)(?:\w+_)?(?:day_?names?|week_?days?)(?:_?\w+)?"),
    "months": regex.compile(r"(?i)(?:\w+_)?(?:month_?names?|months)(?:_?(?:short|min|abbr\w*))?"),
}
"""A part of a key that says what stands under it."""
_SHORT = regex.compile(r"(?i)abbr|short|min")
_PERIOD = regex.compile(r"(?i)(?:.*\.)?(?P<period>[ap]m)")
_PERIOD_WORDS = {"am": ("am", "a.m."), "pm": ("pm", "p.m.")}
_WIDTHS = ("wide", "abbreviated", "short")


@dataclass(frozen=True)
class _NameRetry(Retry):
    """Writes names without asking.

    Attributes:
        names: the name of each sentence.
    """

    names: Mapping[SentenceIndex, str]

    def concluded(
        self, translations: Sequence[Translation], accepted: Collection[SentenceIndex]
    ) -> list[Translation]:
        del accepted
        return [
            translation.with_sentences(
                replace(sentence, target=self.names[owner, index], others=(), warnings=(), codes=())
                if (owner, index) in self.names
                else sentence
                for index, sentence in enumerate(translation.sentences)
            )
            for owner, translation in enumerate(translations)
        ]


@dataclass(frozen=True)
class CalendarNames(Repair):
    """Takes names of days and months under keys that say what they are from CLDR."""

    def retry(
        self,
        translator: Translator,
        request: TranslationRequest,
        translations: Sequence[Translation],
    ) -> Retry | None:
        if request.revision is not None:
            return None
        names = {}
        for owner, translation in enumerate(translations):
            if translation.is_joined:
                continue
            for index, sentence in enumerate(translation.sentences):
                given = request.sentence((owner, index))
                is_taken = sentence.match is not None and sentence.match.is_taken
                name = calendar_name(given.key, given.text, translator.languages)
                if name and not is_taken and name != sentence.target:
                    names[owner, index] = name
        known = tuple(translation.document for translation in translations)
        again = replace(request, revision=Revision(known, frozenset()))
        return _NameRetry(again, names) if names else None


def calendar_name(key: str, text: str, languages: tuple[str, str]) -> str:
    """The name in the target language of a day, a month, *am* or *pm*; empty if it is none, or the
    key does not say so.

    Args:
        key: the key, with points between its parts.
        text: the name in the source language.
        languages: the codes of the languages.

    >>> calendar_name("date.abbr_day_names.0", "Sun", ("en", "pt"))
    'dom.'
    """
    if not key or len(text) > _MAX_NAME:
        return ""
    if (period := _PERIOD.fullmatch(key)) is not None:
        return _period(period["period"].lower(), text, languages[1])
    for part in key.split("."):
        for kind, pattern in _LISTS.items():
            if pattern.fullmatch(part):
                return _name(kind, text, languages, bool(_SHORT.search(part)))
    return ""


_MAX_NAME = 20


def _name(kind: _Kind, text: str, languages: tuple[str, str], is_short: bool) -> str:
    """A day or a month by its name in the source language."""
    own, theirs = (_names(kind, language) for language in languages)
    widths = (_WIDTHS[1], _WIDTHS[2], _WIDTHS[0]) if is_short else _WIDTHS
    folded = text.casefold().rstrip(".")
    for width in widths:
        for form, number in own.get(width, ()):
            if form.casefold().rstrip(".") == folded:
                return next((name for name, other in theirs.get(width, ()) if other == number), "")
    return ""


@lru_cache(maxsize=64)
def _names(kind: _Kind, language: str) -> Mapping[str, tuple[tuple[str, int], ...]]:
    """The names of a language by width, each with the number of the day or month; none if the
    language is not known. The form that stands alone comes first."""
    from babel import Locale, UnknownLocaleError  # slow to import

    try:
        locale = Locale.parse(language, sep="-" if "-" in language else "_")
    except (UnknownLocaleError, ValueError):
        return {}
    table = locale.days if kind == "days" else locale.months
    return {
        width: tuple(
            (str(name), number)
            for context in ("stand-alone", "format")
            for number, name in table[context].get(width, {}).items()
        )
        for width in _WIDTHS
    }


def _period(period: str, text: str, language: str) -> str:
    """*am* or *pm* in a language, in lower case as the source; empty for another text."""
    from babel import Locale, UnknownLocaleError  # slow to import

    if text.casefold() not in _PERIOD_WORDS[period]:
        return ""
    try:
        locale = Locale.parse(language, sep="-" if "-" in language else "_")
    except (UnknownLocaleError, ValueError):
        return ""
    widths = locale.day_periods.get("format", {})
    found = (widths.get(width, {}).get(period) for width in ("abbreviated", "wide", "narrow"))
    name = str(next(filter(None, found), ""))
    return name.lower() if text.islower() else name
