"""What stands in a translation and not in its source, or the other way round, whatever the words
say: a word written twice, brackets, sentences."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from docmt_files.base.languages import primary_language
from docmt_files.base.wording import counted
from docmt_nmt.text.scripts import character_density, scripts_of_language

_WORD = r"(?!\u02b9)\p{L}[\p{L}\p{M}]*+"  # not the stand-in of a code
_DOUBLED = regex.compile(
    rf"(?<![\p{{L}}\p{{M}}\p{{N}}_'’./@-])({_WORD}(?:\s+{_WORD}){{0,4}}?)\s+\1"
    r"(?![\p{L}\p{M}\p{N}_'’/@-]|\.\w)",
    regex.IGNORECASE,
)
_MAY_DOUBLE = {
    "de": "das dem den der des die ihr ist sie wir",
    "en": "had that",
    "fr": "nous vous",
    "it": "piano poco",
    "nl": "dat de die het is je zijn",
}
"""Words that a sound sentence may have twice in succession: *die Dateien, die die Seite hat*."""
_REDUPLICATING = frozenset(
    (
        *("bn", "fil", "gu", "hi", "hy", "id", "jv", "km", "lo", "mr", "ms", "my"),
        *("ne", "pa", "ta", "te", "th", "tl", "tr", "ur", "vi"),
    )
)
"""Languages that form words by doubling them."""

_LETTER = r"[\p{Latin}\p{Cyrillic}\p{Greek}]"
_IN_WORD = regex.compile(
    rf"(?<={_LETTER})(?:\(-?{_LETTER}{{1,4}}\))+|\({_LETTER}{{1,4}}\)(?={_LETTER})|\([&_]\w\)"
)
"""Brackets within words, as in *file(s)*, and around the letter of a shortcut."""
_IN_BRACKETS = regex.compile(r"[(（][^()（）]*[)）]|[\[［][^\[\]［］]*[\]］]")
_LABEL = regex.compile(r"(?:(?<=\A)|(?<=[\n;:,.]\s))[\p{L}\p{N}]{1,3}[)）](?=\s)")
"""The number of an item: `a)`."""
_AT_END = regex.compile(r"[(（\[［]([^()（）\[\]［］]*)[)）\]］][\s.!?:…。！？\"'”’»]*\Z")
_MAX_ADDED_WORDS = 3
_ABBREVIATION = regex.compile(r"\p{Lu}[\p{Lu}\p{N}]{1,5}")
_VALUE = regex.compile(r"\p{N}.*[\p{L}\p{Sc}°]|\p{Sc}.*\p{N}")
_WITHOUT_SPACES = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]")
_MAX_SHOWN = 40
_NUMBERED = regex.compile(r"\A\W*\p{N}+[.)]\s*")

_IN_A_ROW = regex.compile(r"(\w.{1,60}?)\1{3,}")
"""Equal characters four times in succession, beginning with a letter or digit."""

_BOUNDARY = regex.compile(
    r"(?<=[\p{Ll}\p{M}\p{N}]{3}[\"'”’»)\]]?)[.!?؟]+[\"'”’»)\]]*\s+[\"'“‘«„¿¡(\[]*(?=\p{Lu}\p{Ll}*)"
    r"|[。！？](?=[\p{Han}\p{Hiragana}\p{Katakana}\p{Latin}])"
    r"|(?<=[\p{Lo}\p{Ll}]{2})[.!?؟।۔]\s+(?=\p{Lo})"
)

"""The end of a sentence with another after it. Abbreviations and numbers end none."""
_JOINING = regex.compile(r"[,;:–—(]|\s-\s|[.!?]\s")
"""Where the source may be divided."""
_MAX_RATIO_OF_LOST, _MIN_RATIO_OF_ADDED, _SMOOTHING = 0.8, 1.4, 4


def doubled_words(source: str, target: str, language: str) -> str:
    """Words that a translation has twice in succession; empty if there are none, or the source has
    some, too.

    Args:
        source, target: the sentence and its translation.
        language: the code of the target language.

    >>> doubled_words("Open the file.", "Abra o o ficheiro.", "pt")
    'o o'
    """
    primary = primary_language(language)
    allowed = _MAY_DOUBLE.get(primary, "").split()
    for match in _DOUBLED.finditer(target):
        words = match[1].lower().split()
        if len(words) == 1 and (words[0] in allowed or primary in _REDUPLICATING):
            continue
        return "" if _DOUBLED.search(source) else match[0]
    return ""


def repeats_in_a_row(source: str, target: str) -> str:
    """Return a string found four times in succession in a translation and not in the source; empty
    if there is none."""
    match = _IN_A_ROW.search(f"{target} ")
    return str(match[1]).strip() if match and not _IN_A_ROW.search(f"{source} ") else ""


def bracket_differences(source: str, target: str) -> Iterator[str]:
    """Yield in words the brackets that only one of both sides has. People explain a term of a
    longer text in brackets: there, brackets are added only if they are short and stand at the end.

    >>> list(bracket_differences("Log out", "Sair (em inglês)"))
    ['(em inglês) added']
    """
    source, target = (_LABEL.sub(" ", _IN_WORD.sub("", text)) for text in (source, target))
    for kind in ("()（）", "[]［］"):
        before, after = (
            (sum(map(text.count, kind[0::2])), sum(map(text.count, kind[1::2])))
            for text in (source, target)
        )
        if sum(before) > sum(after):
            if kind[0] != "(" or not _is_told(source, target, after):
                yield f"{_shown(source, kind)} lost"
        elif before != after and (after[0] != after[1] or _is_addition(source, target)):
            yield f"{_shown(target, kind)} added"


def without_added_brackets(source: str, target: str) -> str:
    """A translation without brackets at its end that the source has nowhere; else as it is.

    >>> without_added_brackets("Log out.", "Sair (em inglês).")
    'Sair.'
    """
    last = _AT_END.search(target)
    if last is None or any(map(source.__contains__, "([（［")) or not _is_addition(source, target):
        return target
    begin, end = last.start(), last.end(1) + 1
    before, after = target[:begin].rstrip(), target[end:]
    shorter = before + ("" if after and before.endswith(after[0]) else after)
    return shorter if any(map(str.isalnum, target[:begin])) else target


def additions(source: str, target: str, languages: tuple[str, str]) -> list[str]:
    """In words, what a translation has and its source has not: brackets, a word twice, a phrase
    again and again, sentences.

    Args:
        source, target: the sentence and its translation.
        languages: the codes of their languages.
    """
    brackets = [each for each in bracket_differences(source, target) if each.endswith(" added")]
    doubled = doubled_words(source, target, languages[1]) or repeats_in_a_row(source, target)
    sentences = sentence_difference(source, target, languages)
    is_more = bool(sentences) and len(target) > len(source)
    return [*brackets, *([doubled] if doubled else []), *([sentences] if is_more else [])]


def _is_told(source: str, target: str, after: tuple[int, int]) -> bool:
    """Return whether a translation with other brackets than its source tells what stood in the lost
    ones: it has their words without brackets, or they are a quantity, of which the check of numbers
    tells."""
    if after[0] != after[1]:
        return False
    inside = [match[0][1:-1].strip() for match in _IN_BRACKETS.finditer(source)]
    lost = [words for words in inside if words and f"({words})" not in target]
    return bool(lost) and all(
        _VALUE.search(words) or (words in target and not words.isdigit()) for words in lost
    )


def _is_addition(source: str, target: str) -> bool:
    """Return whether brackets that the source lacks are no explanation of a term."""
    last = _AT_END.search(target)
    if last is None or last[1] in source:
        return False
    if _ABBREVIATION.fullmatch(last[1]) and _word_count(source) > _MAX_ADDED_WORDS:
        return False
    return min(_word_count(source), _word_count(last[1])) <= _MAX_ADDED_WORDS


def _word_count(text: str) -> int:
    """The number of words of a text; Chinese and Japanese words have two characters, roughly."""
    return len(text.split()) + len(_WITHOUT_SPACES.findall(text)) // 2


def _shown(text: str, kind: str) -> str:
    """The last brackets of a kind with their words, or a bracket alone."""
    inside = [match[0] for match in _IN_BRACKETS.finditer(text) if match[0][0] in kind]
    if inside and len(inside[-1]) <= _MAX_SHOWN:
        return str(inside[-1])
    return next((character for character in text if character in kind), kind[0])


def sentence_difference(source: str, target: str, languages: tuple[str, str]) -> str:
    """The numbers of sentences, in words, if a translation has fewer and is short, or more and is
    long; empty if all is well. People divide and join sentences, too, and then the length
    stays.

    Args:
        source, target: the text and its translation.
        languages: the codes of their languages.

    >>> sentence_difference("Read the manual.", "Leia o manual. Veja os detalhes.", ("en", "pt"))
    '2 sentences instead of 1'
    """
    before, after = (
        1 + len(_BOUNDARY.findall(_NUMBERED.sub("", text))) for text in (source, target)
    )
    if before == after or not target:
        return ""
    own, theirs = (character_density(scripts_of_language(code)) for code in languages)
    ratio = (len(target) / theirs + _SMOOTHING) / (len(source) / own + _SMOOTHING)
    is_lost = after < before and ratio < _MAX_RATIO_OF_LOST
    joined = len(_JOINING.findall(source))
    is_added = after > before + joined and ratio > _MIN_RATIO_OF_ADDED
    return f"{counted(after, 'sentence')} instead of {before:,}" if is_lost or is_added else ""
