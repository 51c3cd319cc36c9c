"""Strings of programs beside their translations: tags, line breaks and spaces, which are kept as
they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import regex

from docmt_files.base.languages import primary_language

_TAG = regex.compile(r"</?([A-Za-z][\w-]*)(?:\s[^<>]*)?/?>")
_BREAK = regex.compile(r"\r\n|\n|\\n")
_TAB = regex.compile(r"\t|(?<!\\)\\t(?![a-z])")
_ADDRESS = regex.compile(r"\s(href|src)=[\\\"']+([^\"'\\<>\s]*)")
_DOUBLE = regex.compile(r"(?<=\S)[ ]{2,}(?=\S)")
_EDGES = regex.compile(r"\A(?P<before>[ \t]*).*?(?P<after>[ \t]*)\Z", regex.DOTALL)
_WITHOUT_SPACES = ("zh", "ja", "th", "lo", "km", "my")
_NAMES = {True: "no", False: "a"}


def tag_differences(source: str, target: str) -> Iterator[str]:
    """Yield in words the tags that only one of both strings has.

    >>> list(tag_differences("one<br>two", "eins zwei"))
    ['<br> lost']
    """
    before, after = (_tags(text) for text in (source, target))
    for found, done in ((before - after, "lost"), (after - before, "added")):
        if found:
            yield f"{', '.join(found.elements())} {done}"


def _tags(string: str) -> Counter[str]:
    """The tags of a string, and the addresses in them."""
    tags = [match[0] for match in _TAG.finditer(string)]
    addresses = (f'{name}="{each}"' for tag in tags for name, each in _ADDRESS.findall(tag))
    return Counter((*map(_name, _TAG.finditer(string)), *addresses))


def without_tags(string: str) -> str:
    """A string without tags and line breaks at the ends."""
    return str(_TAG.sub("", _BREAK.sub("\n", string))).strip()


def _name(tag: regex.Match[str]) -> str:
    return f"<{'/' if tag[0][1] == '/' else ''}{tag[1].lower()}>"


def space_differences_of_strings(source: str, target: str, language: str) -> Iterator[str]:
    """Yield in words how the spaces and line breaks of a string differ from those of its source.

    >>> list(space_differences_of_strings("Name: ", "Nome:", "pt"))
    ['no space at the end']
    """
    before, after = (len(_BREAK.findall(text)) for text in (source, target))
    if before != after:
        yield f"{after} line breaks instead of {before}"
    before, after = (len(_TAB.findall(text.strip())) for text in (source, target))
    if before != after:
        yield f"{after} tabs instead of {before}"
    if _DOUBLE.search(target) and not _DOUBLE.search(source):
        yield "a double space"
    if primary_language(language) in _WITHOUT_SPACES:
        return
    edges = [_EDGES.match(text) for text in (source, target)]
    for side, where in (("before", "at the beginning"), ("after", "at the end")):
        own, theirs = (bool(edge[side]) for edge in edges if edge is not None)
        if own != theirs:
            yield f"{_NAMES[own]} space {where}"
