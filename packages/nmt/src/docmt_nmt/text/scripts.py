"""Scripts, such as Latin or Cyrillic: the scripts of a text, by the Script property of the
characters (Unicode Standard Annex 24), and the scripts of a language, by the likely subtags of
CLDR.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import groupby

import regex

from docmt_files.base.languages import language_tag, primary_language
from docmt_files.base.packaged_tables import read_table

_TABLES = read_table("docmt_nmt.text", "scripts.toml")

_SCRIPTS: dict[str, str] = _TABLES["scripts"]
"""Unicode names of the known scripts, by ISO 15924 code."""

_OTHER = "Other"
"""All other scripts together."""

_SEVERAL: dict[str, list[str]] = _TABLES["several"]
"""Names of the scripts of codes for several scripts, or for a variant."""

_USUAL: dict[str, str] = {
    language: script for script, names in _TABLES["usual"].items() for language in names.split()
}
"""The usual script of languages with codes of two letters, by ISO 15924 code. Languages with two
scripts have `none`: a code without a script is ambiguous."""

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
    """Return the scripts of a language, the most frequent first; none if they are not known.

    Args:
        language: a language code. If it names a script, as `sr_Latn` and `zho_Hant`, this script is
            used.

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
    """Return the code of the most frequent script of a language; empty if it is not known. `ns` is
    a name for Northern Sotho in models."""
    if language in _USUAL:
        return _USUAL[language]
    from babel.core import get_global  # slow to import

    current = get_global("language_aliases").get(language, language).partition("_")[0]
    if current in _USUAL:
        return _USUAL[current]
    tags = get_global("likely_subtags").get("nso" if current == "ns" else current, "")
    return tags.split("_")[1] if tags else ""


def character_density(scripts: Sequence[str]) -> float:
    """The characters needed for one character of an alphabet, roughly, in the first of scripts."""
    return {"Han": 0.33, "Hiragana": 0.5, "Hangul": 0.5}.get(scripts[0] if scripts else "", 1.0)
