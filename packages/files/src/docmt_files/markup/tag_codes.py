"""Tags in strings of programs and in plain text, as codes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence, Set

from docmt_files.core.inline import Code, CodeKind
from docmt_files.markup import html_elements as elements
from docmt_files.markup.html_tokens import HtmlToken, attributes, html_tokens

BLOCK_END = "\n\n"
"""The text of the code of a tag at which a block begins or ends."""

_NUMBERED_TAG = re.compile(r"<(/?)(\d{1,3})\s?(/?)>")
_PLAIN_TAG = re.compile(
    r"<(?P<end>/?)(?P<name>[A-Za-z](?:[\w:.-]{0,62}\w)?|\d{1,3})"
    r"(?P<attributes>(?:\s{1,9}[A-Za-z_:@][\w:.-]{0,62}(?:=(?:\"[^\"<>]{0,999}\"|'[^'<>]{0,999}'|"
    r"[^\s\"'<>=]{1,999}))?){0,30})\s{0,9}(?P<void>/?)>|<!--[^<>]{0,999}-->"
)
"""A tag of prose: `x <y and z> w` is none, since `and` is no attribute of HTML."""


def tag_codes(value: str) -> Iterator[Code]:
    """The tags of a string; elements with untranslated content are protected."""
    numbers: dict[str, int] = {}
    yield from _numbered(value, numbers)
    tokens = [
        token
        for token in html_tokens(value)
        if token.kind != "text" and value[token.end - 1] == ">"
    ]
    partners = _partners(tokens)
    for token in tokens:
        start, end, name = token.start, token.end, token.name
        if token.kind == "start" and start in partners and _is_kept(value, token):
            yield Code(start, partners[start], "protected")
        elif name in elements.BLOCK_IN_STRING:
            yield Code(start, end, "void", text=BLOCK_END)
        else:
            yield _code(value, token, numbers)


def _numbered(value: str, numbers: dict[str, int]) -> Iterator[Code]:
    """The numbered tags of react-i18next."""
    for match in _NUMBERED_TAG.finditer(value):
        number = numbers.setdefault(match[2], len(numbers))
        kind: CodeKind = "close" if match[1] else "void" if match[3] else "open"
        yield Code(match.start(), match.end(), kind, -1 if kind == "void" else number)


def _partners(tokens: list[HtmlToken]) -> dict[int, int]:
    """For each start tag with an end tag, by its offset, the end of the end tag."""
    partners: dict[int, int] = {}
    waiting: dict[str, list[int]] = {}
    for token in tokens:
        if token.kind == "start":
            waiting.setdefault(token.name, []).append(token.start)
        elif token.kind == "end" and waiting.get(token.name):
            partners[waiting[token.name].pop()] = token.end
    return partners


def _is_kept(value: str, token: HtmlToken) -> bool:
    """Return whether the content of an element is not to be translated."""
    words = {
        key: value[attribute.start : attribute.end].lower()
        for key, attribute in attributes(value, token).items()
        if key in ("translate", "class")
    }
    kept = words.get("translate") == "no" or "notranslate" in words.get("class", "").split()
    return kept or token.name in elements.KEPT_IN_STRING


def _code(value: str, token: HtmlToken, numbers: dict[str, int]) -> Code:
    """The code of a tag, as an end of a pair with the number of the name."""
    start, end, name = token.start, token.end, token.name
    if name in elements.VOID or token.kind == "other" or value[end - 2] == "/":
        return Code(start, end, "void", text="\n" if name == "br" else "")
    number = numbers.setdefault(name, len(numbers))
    return Code(start, end, "open" if token.kind == "start" else "close", number)


def plain_text_tags(lines: Sequence[str]) -> list[list[Code]]:
    """For each line of a paragraph of plain text, the tags in it: the ends of a pair, tags of HTML,
    and tags with attributes; elements with untranslated content are protected. Another tag alone,
    such as `<name>`, stands for a word, unless it is glued to one (`vector<int>`)."""
    numbers: dict[str, int] = {}
    matches = [list(_PLAIN_TAG.finditer(line)) for line in lines]
    opened = {match["name"] for each in matches for match in each if not match["end"]}
    closed = {match["name"] for each in matches for match in each if match["end"]} & opened
    return [
        list(_of_line(line, of_line, closed, numbers))
        for line, of_line in zip(lines, matches, strict=True)
    ]


def _of_line(
    line: str, matches: Sequence[re.Match[str]], closed: Set[str], numbers: dict[str, int]
) -> Iterator[Code]:
    ends: dict[str, list[int]] = {}
    for match in matches:
        if match["end"]:
            ends.setdefault(match["name"], []).append(match.end())
    position = 0
    for match in matches:
        if match.start() < position:
            continue
        name = match["name"]
        if name and not match["end"] and name in ends and _is_kept(line, _token(match)):
            after = bisect_right(ends[name], match.end())
            if after < len(ends[name]):
                position = ends[name][after]
                yield Code(match.start(), position, "protected")
                continue
        code = _plain_code(line, match, closed, numbers)
        if code is not None:
            yield code


def _token(match: re.Match[str]) -> HtmlToken:
    return HtmlToken("start", match.start(), match.end(), match["name"].lower())


def _plain_code(
    line: str, match: re.Match[str], closed: Set[str], numbers: dict[str, int]
) -> Code | None:
    """The code of a tag that has no protected element; None if it is no tag."""
    start, end = match.span()
    if match["name"] is None:
        return Code(start, end, "void")
    name, values = match["name"].lower(), match["attributes"]
    if name in elements.VOID or match["void"]:
        return Code(start, end, "void", text="\n" if name == "br" else "")
    if name not in elements.KNOWN and values and "=" not in values:
        return None  # `x <y and z> w`
    if match["name"] in closed or name in elements.KNOWN or values:
        kind: CodeKind = "close" if match["end"] else "open"
        return Code(start, end, kind, numbers.setdefault(match["name"], len(numbers)))
    is_glued = start > 0 and (line[start - 1].isalnum() or line[start - 1] in "_<")
    return None if is_glued or name.isdigit() else Code(start, end, "protected", words=match[0])
