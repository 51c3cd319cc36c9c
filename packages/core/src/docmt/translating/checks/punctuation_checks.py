"""Punctuation and spaces of a text beside those of its translation."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from docmt_files.base.languages import primary_language

_MIN_WORDS = 3
"""Shorter texts, such as labels, may end with the point of an abbreviation."""

_WORD = regex.compile(r"\p{L}[\p{L}\p{M}'’-]*")
_ENDINGS = (
    ("stop", regex.compile(r"[.!。！｡।۔።]")),
    ("question mark", regex.compile(r"[?？؟⸮]")),
    ("colon", regex.compile(r"[:：]")),
    ("dots", regex.compile(r"…|\.{2,}|。{2,}")),
)
"""Kinds of punctuation at the end of a text."""
_CLOSING = r"[\s\"'“”‘’»«›‹)\]}」』*_]"
_LAST = regex.compile(rf"(?:\.{{2,}}|。{{2,}}|(?!{_CLOSING}).)(?={_CLOSING}*\Z)")
_OTHER_ENDINGS = ("th", "lo", "km", "my", "el")
"""Languages that end sentences without punctuation, or questions with a semicolon."""

_CAPITALS = regex.compile(r"\p{Lu}{2}")
_MIN_SHOUTED = 4
"""The least letters of a word in capitals that is no abbreviation."""
_MAX_LABEL = 8
"""The most words of a text whose quotation marks are kept; others have their own style."""
_QUOTE = regex.compile(
    r"[\"“”„«»「」『』]|(?<![\p{L}\p{N}])['‘‚](?=\S)|(?<=\S)['’](?![\p{L}\p{N}])"
)
_INCHES = regex.compile(r"(?<=\d)[\"'”’]")
_OTHER_QUOTES = ("zh", "ja", "ko", "he", "yi")
"""Languages that write `《》`, brackets or a mark within words for quotation marks."""

_DOUBLED = regex.compile(
    r"(?<![.,;:\w])[,;]{2,}(?!\w)|(?<=\w),,|(?<=\w)\.\.(?![./\\])(?=\s|\Z)|(?<=\w)[,;][.,;]"
    r"|(?<=\w)\.[,;:](?=\s\p{Lu})|(?<=\w)[.,;]\s[.,;](?=\s|\Z)|[。，、]{2,}"
)
_BEFORE_MARK = regex.compile(
    r"(?<=[\p{Ll}\p{Lu}\p{M}\p{N})])[ \u00a0]+[.,](?=\s|\Z)|(?<=[\p{Ll}\p{Lu}])[ ]+[;:!?](?=\s|\Z)"
)
_BEFORE_POINT = regex.compile(r"(?<=[\p{Ll}\p{Lu}\p{M}\p{N})])[ \u00a0]+[.,](?=\s|\Z)")
_SPACED_MARKS = ("fr", "ja", "zh", "ko", "th", "hy", "br")
"""Languages that write spaces before `;:!?`, or none anywhere."""
_JOINED = regex.compile(
    r"(?<=[\p{Ll}]{2})[.,;!?](?=\p{Lu}\p{Ll}{2})|(?<=[\p{Ll}]{2})[,;](?=\p{Ll}{3})"
)
_INSIDE = {"?": "?？؟", "!": "!！", "…": "…"}


def ending_difference(source: str, target: str, language: str) -> str:
    """In words, how a translation ends otherwise than its source; empty if it does not.

    >>> ending_difference("Save the file?", "Datei sichern.", "de")
    'question mark became stop'
    """
    if primary_language(language) in _OTHER_ENDINGS:
        return ""
    before, after = _ending(source), _ending(target)
    is_short = len(_WORD.findall(source)) < _MIN_WORDS
    if before == after or (is_short and {before, after} <= {"stop", ""}):
        return ""
    return f"{before or 'no punctuation'} became {after or 'none'}"


def punctuation_differences(source: str, target: str, language: str) -> Iterator[str]:
    """Yield in words the quotation marks and other marks within a text that its translation lacks,
    and marks twice in succession.

    >>> list(punctuation_differences('Press "OK" now.', 'Drücken Sie „OK jetzt.', "de"))
    ['1 quotation marks instead of 2']
    """
    if doubled := _of_target_alone(_DOUBLED, source, target):
        yield f"{doubled.strip()} within the text"
    before, after = (len(_QUOTE.findall(_INCHES.sub("", text))) for text in (source, target))
    is_label = len(_WORD.findall(source)) <= _MAX_LABEL
    is_lost = before > 0 and before % 2 == 0 and (after % 2 == 1 or (not after and is_label))
    if is_lost and primary_language(language) not in _OTHER_QUOTES:
        yield f"{after} quotation marks instead of {before}"
    source, target = (text.replace("...", "…").rstrip() for text in (source, target))
    lost = [
        mark
        for mark, forms in _INSIDE.items()
        if sum(map(source[:-1].count, forms)) > sum(map(target.count, forms))
    ]
    if lost:
        yield f"{' '.join(lost)} lost"


def space_differences(source: str, target: str, language: str) -> Iterator[str]:
    """Yield in words the spaces about punctuation that a translation has, and its source and
    language have not.

    >>> list(space_differences("Open it, then save.", "Abra , depois salve.", "pt"))
    ["a space before ','"]
    """
    pattern = _BEFORE_POINT if primary_language(language) in _SPACED_MARKS else _BEFORE_MARK
    if found := _of_target_alone(pattern, source, target):
        yield f"a space before {found.strip()!r}"
    if found := _of_target_alone(_JOINED, source, target):
        yield f"no space after {found!r}"


def lost_capital(source: str, target: str) -> str:
    """The first word of a translation if it has lost the capital letter that the source begins
    with, or all its capitals; empty if all is well. Names may have none anywhere.

    >>> lost_capital("Save the file", "sichern Sie die Datei")
    'sichern'
    """
    first, other = (_WORD.search(text) for text in (source, target))
    if first is not None and _is_shouted(source, first[0]) and not _CAPITALS.search(target):
        return other[0] if other is not None and other[0].lower() != other[0].upper() else ""
    if first is None or other is None or len(_WORD.findall(source)) < 2:
        return ""
    if source[: first.start()].strip() or target[: other.start()].strip():
        return ""
    word = other[0]
    is_cased = all(letter.lower() != letter.upper() for letter in word if letter.isalpha())
    begins = first[0][0].isupper() and word.islower() and len(word) > 1
    return word if begins and is_cased and word not in source.lower() else ""


def _is_shouted(text: str, first: str) -> bool:
    """Return whether a text begins with a word in capitals, with further words after it."""
    begins = len(first) >= _MIN_SHOUTED and first.isupper() and text.startswith(first)
    return begins and len(_WORD.findall(text)) > 1


def _of_target_alone(pattern: regex.Pattern[str], source: str, target: str) -> str:
    """What a pattern finds in a target, and not in its source; else empty."""
    found = pattern.search(target)
    return found[0] if found and not pattern.search(source) else ""


def _ending(text: str) -> str:
    """The kind of punctuation at the end of a text; empty for none."""
    last = _LAST.search(text)
    if last is None:
        return ""
    return next((kind for kind, pattern in _ENDINGS if pattern.fullmatch(last[0])), "")
