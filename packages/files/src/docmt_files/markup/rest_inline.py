"""The inline codes of reStructuredText.

Emphasis, references and roles with a text are pairs; literals, other roles, substitutions and
simple references are protected; footnote references are void. Markup must stand between spaces or
punctuation marks: a backslash and a space part it from letters. A reference by its own words keeps
its target (`text`_ becomes `translation <text_>`__).
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from docmt_files.base.packaged_tables import read_table
from docmt_files.core.inline import Block, Code, Part, Piece, Text, has_word, paired
from docmt_files.core.protection.placeholders import protect
from docmt_files.markup.line_markup import Content

TABLE = read_table(__package__, "rest_directives.toml")
_ROLES = frozenset(TABLE["roles"].split())

_WIDE = (
    r"\u2010-\u2015\u3001\u3002\u3008-\u3011\u3014-\u301b\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f"
)
"""Dashes, and the marks of Chinese and Japanese, beside which markup may begin and end."""
_BEFORE = rf"(?:(?<=[\s'\"(\[{{<\-/:\u00a1\u00ab\u00bb\u00bf\u2018-\u201f\u2039\u203a{_WIDE}])|\A)"
_AFTER = rf"(?=[\s'\")\]}}>\-/\\:.,;!?\u00ab\u00bb\u2018-\u201f\u2026\u2039\u203a{_WIDE}]|\Z)"
_NAME = r"[A-Za-z0-9]+(?:[-._+:][A-Za-z0-9]+){0,20}"
_INNER = r"(?!\s)(?:\\.|[^\\`]){1,800}?(?<!\s)"
_TOKEN = re.compile(
    r"(?:\\ )?(?:"
    + "|".join(
        (
            rf"(?P<literal>{_BEFORE}``(?!\s).{{1,800}}?(?<!\s)``{_AFTER})",
            rf"(?P<strong>{_BEFORE}\*\*(?!\s)(?P<strong_in>(?:\\.|[^\\]){{1,800}}?)(?<!\s)\*\*{_AFTER})",
            rf"(?P<emphasis>{_BEFORE}\*(?![\s*])(?P<emphasis_in>(?:\\.|[^\\*]){{1,800}}?)(?<!\s)\*{_AFTER})",
            rf"(?P<phrase>{_BEFORE}(?::(?P<role>{_NAME}):)?`(?P<phrase_in>{_INNER})`"
            rf"(?P<end>__?|:{_NAME}:)?{_AFTER})",
            rf"(?P<target>{_BEFORE}_`{_INNER}`{_AFTER})",
            rf"(?P<substitution>{_BEFORE}\|(?!\s)[^|\n]{{1,100}}(?<!\s)\|_{{0,2}}{_AFTER})",
            rf"(?P<note>{_BEFORE}\[(?:\d{{1,9}}|[#*]?(?:{_NAME})?)\]_{_AFTER})",
            rf"(?P<simple>(?<![\w\\]){_NAME}__?{_AFTER})",
        )
    )
    + r")(?:\\[ \n])?|(?P<parting>\\[ \n])",
    re.DOTALL,
)
_EXPLICIT = re.compile(r"(?P<text>.*\S)(?P<target>\s*<[^<>]+>)", re.DOTALL)
_REFERENCE = re.compile(
    rf"`(?!\s)([^`<>]{{1,200}}?)(?<!\s)`_(?!\w)|(?<![\w`:\\])({_NAME})_(?![\w`])"
)
_UNIT = re.compile(r"\n|\\[^\s]")
_SPECIAL = re.compile(r"[\\`]|(?<!\s)\*|\*(?!\s|\Z)|(?<=[^\W_])_(?!\w)|(?<=\])_|\|(?=\S)")
_AT_BEGIN = re.compile(
    r"[-*+\u2022\u2023\u2043](?=\s|$)|\(?(?:\d{1,9}|#|[A-Za-z]|[ivxlcdmIVXLCDM]{1,9})[.)](?=\s|$)"
    r"|\.\.(?=\s|$)|__(?=\s)|:(?=[^:\s][^:]*:(?:\s|$))|\|(?=\s|$)|>>>|--?\w|/[A-Z](?=\s|$)"
    r"|\+[-=]|([!-/:-@\[-`{-~])\1{2,}$|=+ +="
)


def referenced_names(text: str) -> frozenset[str]:
    """The names of the targets that a file refers to by words."""
    found = (match[1] or match[2] for match in _REFERENCE.finditer(text))
    return frozenset(" ".join(name.split()).lower() for name in found)


def block_of(
    content: Content, names: Set[str] = frozenset(), *, heading: int = 0, is_literal: bool = False
) -> Block | None:
    """The block of a content, or None without words.

    Args:
        content: the content.
        names: names of targets that must stay (`referenced_names`).
        heading: the level of the heading, or 0.
        is_literal: whether the colons at its end introduce a literal block.
    """
    text = content.text
    end = len(text.removesuffix("::").rstrip()) if is_literal else len(text)
    parts: list[Part] = []
    position = 0
    while (match := _TOKEN.search(text, position, end)) is not None:
        parts += content.parts(position, match.start(), _UNIT, _meaning)
        parts += _code(content, match, len(parts), names)
        position = match.end()
    parts += content.parts(position, end, _UNIT, _meaning)
    if not any(isinstance(part, Text) and has_word(part.text) for part in parts):
        return None
    if end < len(text):
        parts.append(Code(content.starts[end], content.starts[-1], "void"))
    return Block(tuple(protect(list(paired(parts)))), escape, heading=heading, join=_join)


def _code(content: Content, match: re.Match[str], number: int, names: Set[str]) -> list[Part]:
    """A code, or a pair with the text in it."""
    kind = next(name for name in _KINDS if match[name] is not None)
    start, end = (content.starts[place] for place in match.span())
    if kind == "parting":
        return [Code(start, end, "void")]
    first, raw = match.start(kind), match[kind]
    inner, written, name = (-1, -1), None, raw
    if kind in ("strong", "emphasis"):
        inner = match.span(f"{kind}_in")
        name = content.text[first : inner[0]]
    elif kind == "phrase":
        inner, written, name = _phrase(match, names)
    if inner[0] < inner[1]:
        middle = content.starts[inner[0]], content.starts[inner[1]]
        return [
            Code(start, middle[0], "open", number, name=name),
            *content.parts(*inner, _UNIT, _meaning),
            Code(middle[1], end, "close", number, written=written, name=name),
        ]
    words = _EXPLICIT.sub(r"\g<text>", match["phrase_in"]) if kind == "phrase" else raw.strip("`_")
    words = "" if kind in ("substitution", "note") or "\n" in words or "\\" in words else words
    return [Code(start, end, "void" if kind == "note" else "protected", words=words, name=raw)]


def _phrase(match: re.Match[str], names: Set[str]) -> tuple[tuple[int, int], str | None, str]:
    """The range of the text in backticks, empty if it is none for readers; the end for another
    text; and the name of the codes."""
    first, last = match.span("phrase_in")
    explicit = _EXPLICIT.fullmatch(match["phrase_in"])
    role = match["role"] or (match["end"] or "").strip(":_")
    is_reference = (match["end"] or "").startswith("_")
    target = explicit["target"].strip() if explicit else ""
    own = " ".join(explicit["text"].split()).lower() if explicit else ""
    if match["end"] == "_" and own in names:  # It defines its words as a name.
        return (first, first), None, ""
    if explicit and (role or is_reference):
        return (first, first + explicit.end("text")), None, f"{role}{target}"
    if is_reference and match["end"] == "_":
        words = " ".join(match["phrase_in"].split())
        return (first, last), f" <{words}_>`__", f"<{words}_>"
    if role in _ROLES:
        return (first, last), None, f":{role}:"
    return (first, first), None, ""


_KINDS = (
    "literal",
    "strong",
    "emphasis",
    "phrase",
    "target",
    "substitution",
    "note",
    "simple",
    "parting",
)


def _meaning(unit: str) -> str:
    """Return the character behind a backslash."""
    return unit[1:]


def escape(text: str, begins: bool) -> str:
    """Text with backslashes before characters that would be markup."""
    head = "\\" if begins and _AT_BEGIN.match(text) and text[0] not in "\\`*|" else ""
    text = _SPECIAL.sub(r"\\\g<0>", text)
    return head + re.sub(r":(?=:\s*\Z)", r":\\", text)


def _join(pieces: Sequence[Piece], before: Piece, after: Piece) -> str:
    """A sentence with a backslash and a space between markup and a letter."""
    made: list[str] = []
    last, ended = "", False
    for text, code in [before, *pieces, after]:
        is_markup = code is not None and bool(code.name)
        if is_markup:
            text = text.removeprefix(_PARTING).removesuffix(_PARTING)
        begins = is_markup and code is not None and code.kind != "close"
        joins = (begins and last and not _MAY_BEGIN.match(last, 1)) or (
            ended and text and not _MAY_END.match(text)
        )
        made.append(_PARTING + text if joins else text)
        if text:
            last, ended = text[-1], is_markup and code is not None and code.kind != "open"
    is_parted = made[-1].startswith(_PARTING) and not after[0].startswith(_PARTING)
    return "".join(made[1:-1]) + (_PARTING if is_parted else "")


_PARTING = "\\ "
_MAY_BEGIN, _MAY_END = re.compile(_BEFORE), re.compile(_AFTER)
