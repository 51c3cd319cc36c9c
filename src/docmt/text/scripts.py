"""Scripts, such as Latin or Cyrillic: those that a text is written in, by the Script property of
its characters (Unicode Standard Annex 24), and those that a language is written in, by the likely
subtags of CLDR.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import groupby

import regex

from docmt.text.languages import language_tag, primary_language
from docmt.text.tables import read_tables

_TABLES = read_tables("scripts")

_SCRIPTS: dict[str, str] = _TABLES["scripts"]
"""Names in Unicode of the scripts that are told apart, by their codes of ISO 15924."""

_OTHER = "Other"
"""All other scripts together."""

_SEVERAL: dict[str, list[str]] = _TABLES["several"]
"""Names of the scripts of codes that stand for several, or for a variant."""

_IN_TWO_SCRIPTS = ("ku", "sh", "sr")
"""Languages whose script their code alone does not say."""

_OF_SCRIPT = regex.compile(
    "|".join(rf"(?P<{script}>\p{{Script={script}}})" for script in _SCRIPTS.values())
    + rf"|(?P<{_OTHER}>(?!\p{{Script=Common}}|\p{{Script=Inherited}})\p{{L}})"
)
"""A character of a script. Digits, punctuation and symbols are of none."""


@cache
def _script_of(character: str) -> str:
    """Return the script of a character; empty if it has none."""
    match = _OF_SCRIPT.match(character)
    return match.lastgroup or "" if match else ""


def count_scripts(text: str) -> Counter[str]:
    """Count the characters of a text by script, such as `Latin`. Digits, punctuation, symbols and
    white space are not counted; rare scripts are counted together as `Other`."""
    counts: Counter[str] = Counter()
    for character, count in Counter(text).items():
        if script := _script_of(character):
            counts[script] += count
    return counts


def find_script(text: str, script: str) -> str:
    """Find the first characters of a script in a text, up to the next of another; empty if there
    are none."""
    runs = groupby(text, _script_of)
    return next(("".join(characters) for name, characters in runs if name == script), "")


def scripts_of_language(language: str) -> tuple[str, ...]:
    """Return the scripts that a language is written in, the most frequent first; none if they are
    not known.

    Args:
        language: a language code. If it names a script, as `sr_Latn` and `zho_Hant`, that is used.

    Raises:
        InputError: it is not written as a code.
    """
    primary = primary_language(language)
    for part in language_tag(language).split("-")[1:]:
        if scripts := _names_of(part.title()):
            return scripts
    return _names_of(_likely_script(primary))


def _names_of(code: str) -> tuple[str, ...]:
    if code in _SCRIPTS:
        return (_SCRIPTS[code],)
    return tuple(_SEVERAL.get(code, ()))


def _likely_script(language: str) -> str:
    """Return the code of the script that a language is mostly written in; empty if that is not
    known. `ns` is a name that models have for Northern Sotho."""
    # Slow to import, and only checks of translations need it.
    from babel.core import get_global

    current = get_global("language_aliases").get(language, language).partition("_")[0]
    if current in _IN_TWO_SCRIPTS:
        return ""
    tags = get_global("likely_subtags").get("nso" if current == "ns" else current, "")
    return tags.split("_")[1] if tags else ""
