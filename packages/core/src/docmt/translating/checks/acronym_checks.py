"""Acronyms that a translation lacks, such as *CSV*. Languages translate a few of them (*VAT*), in
all texts of a file, and write others in capitals in their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import regex

from docmt_files.base.languages import primary_language
from docmt_nmt.text.word_lists import FUNCTION_WORDS

_ACRONYM = regex.compile(r"(?<![\p{L}\p{N}_./@$%&{<-])\p{Lu}{3,5}(?![\p{L}\p{N}_/@}-]|\.\p{L})")
_WORD = regex.compile(r"\p{L}{2,}")
_CAPITALS = regex.compile(r"\p{Lu}{2,}")


def lost_acronyms(
    pairs: Sequence[tuple[str, str]], languages: tuple[str, str]
) -> Iterator[tuple[int, str]]:
    """Yield the index of each text whose translation lacks acronyms, with the acronyms.

    Args:
        pairs: the texts and their translations.
        languages: the codes of the languages.
    """
    function_words = FUNCTION_WORDS.get(primary_language(languages[0]), frozenset())
    seen: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    lost: dict[int, list[str]] = {}
    for index, (source, target) in enumerate(pairs):
        words = _WORD.findall(source)
        if 2 * sum(map(str.isupper, words)) > len(words):
            continue
        acronyms = {each for each in _ACRONYM.findall(source) if each.lower() not in function_words}
        missing = [each for each in sorted(acronyms) if each.lower() not in target.lower()]
        seen.update(acronyms)
        kept.update(acronyms.difference(missing))
        if missing and not set(_CAPITALS.findall(target)) - set(_CAPITALS.findall(source)):
            lost[index] = missing
    for index, missing in lost.items():
        if sure := [each for each in missing if 2 * kept[each] >= seen[each] or seen[each] == 1]:
            yield index, f"{', '.join(sure)} lost"
