"""General sentences that come with docmt, to see what else a model changes when it is adapted.

`general.en.txt` has 1,600 English sentences of Common Voice (Mozilla and contributors, CC0 1.0,
github.com/common-voice/common-voice): everyday, literary and technical ones.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from docmt_files.base.languages import primary_language

_MEASURED = 400
"""Number of sentences, the first ones, on which changes are measured."""


def for_measuring(language: str) -> tuple[str, ...]:
    """Sentences to measure changes on; none where docmt has no sentences of a language.

    >>> len(for_measuring("en")), for_measuring("pt")
    (400, ())
    """
    return _sentences(primary_language(language))[:_MEASURED]


def for_mixing(language: str) -> tuple[str, ...]:
    """Other sentences, to be translated by the start and mixed into a training."""
    return _sentences(primary_language(language))[_MEASURED:]


@cache
def _sentences(language: str) -> tuple[str, ...]:
    path = files("docmt.adapting") / f"general.{language}.txt"
    if not path.is_file():
        return ()
    return tuple(path.read_text("utf-8").splitlines())
