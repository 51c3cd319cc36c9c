"""Identifiers by shape: options, functions, variables, files, paths. They are the same in every
language, so one that a translation lacks is lost or was translated."""

from __future__ import annotations

from collections import Counter

import regex

_SHAPES = (
    r"(?<![\w/-])--[a-zA-Z][\w-]+|(?<![\w/-])-[a-zA-Z](?![\w-])",  # an option
    r"\b[A-Za-z_][\w.]*\w?\(\)",  # a function
    r"\b[A-Za-z]\w*_\w+",  # a constant or a variable
    r"\b[a-z]+(?:[A-Z][a-z0-9]+)+\b",
    r"(?<![\w$])\$[A-Za-z_]\w*",
    r"(?<![\w/.])(?:~|\.{1,2})?/\w[\w.-]+(?:/\w[\w.-]*)+",  # a path
    r"\b[A-Z]:\\[\w\\.-]+",
    r"(?<![\w.@/-])[\w-]+(?:\.[\w-]+)*\.(?:[ch]|cc|cpp|cfg|conf|css|csv|docx?|exe|gz|html?|ini|java"
    r"|jpe?g|json|js|jsx|log|md|pdf|php|png|po|pptx?|py|rb|rs|rst|sh|sql|svg|tar|toml|ts|tsx|txt"
    r"|xlsx?|xml|ya?ml|yml|zip)(?![\w.]\w|\w)",  # the name of a file
    r"\bv?\d+(?:\.\d+){2,}\b",  # a version
)
_IDENTIFIER = regex.compile("|".join(_SHAPES))


def identifiers(text: str) -> Counter[str]:
    """The identifiers of a text.

    >>> sorted(identifiers("Run sort() with --all on /etc/hosts or a_b.txt."))
    ['--all', '/etc/hosts', 'a_b.txt', 'sort()']
    """
    return Counter(match[0].rstrip(".") for match in _IDENTIFIER.finditer(text))


def lost_identifiers(source: str, target: str) -> list[str]:
    """The identifiers of a source sentence that its translation does not have anywhere.

    >>> lost_identifiers("Use --force.", "Use --forçar.")
    ['--force']
    """
    return [each for each in identifiers(source) if each.removesuffix("s") not in target]
