"""Text in place of words, to be left unchanged: placeholders of programs (`{0}`, `%s`, `${name}`,
ICU messages such as `{n, plural, …}`), also with a unit (`{0}MB`), URLs, addresses of electronic
mail and paths. Strings of programs have more kinds of placeholders (`$NAME$`, `:name`, `%1`, and
those of `placeholder_shapes`), too frequent in prose by chance."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import unescape

from docmt_files.core.inline import Code, LineEnd, Part, Text
from docmt_files.core.protection.placeholder_shapes import SHAPES

_URL = r"(?:\b(?:https?|ftp)://|\bwww\.)[^\s<>\"'{}]*[^\s<>\"'{}.,;:!?)\]*_]"
_MAIL = r"\b[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b"
_CONVERSION = r"[-+#0]?\d{0,3}(?:\.\d{1,3})?(?:hh?|ll?|[qjzt])?[diouxXeEfgGcrsSva@]"
_PRINTF = rf"%\d{{1,2}}\${_CONVERSION}|(?<![\w%])%{_CONVERSION}(?!\w)"
"""A placeholder with a position may stand in a word: `%1$.2fx`."""
_DIRECTIVES = re.compile(rf"%%|(%(?:\d{{1,2}}\$|\(\w{{1,64}}\))?{_CONVERSION})")
_NAMED = r"(?<!\w)%(?:\(\w{1,64}\)[a-zA-Z]|\{\w{1,64}\})"
_NAME_IN_PATH = r"(?:[\w.-]|\$?\{\w{1,30}\})"
_PATH = (
    rf"(?<![\w./~:\\-])(?:\.{{1,2}}/{_NAME_IN_PATH}*(?:/{_NAME_IN_PATH}+)*"
    rf"|~?/(?:{_NAME_IN_PATH}+/)+{_NAME_IN_PATH}*"
    rf"|[A-Za-z]:\\(?:{_NAME_IN_PATH}+\\)*{_NAME_IN_PATH}*)(?<![.,-])/?"
)
"""A relative path, an absolute path of several folders, or one with the letter of a drive; names
may be placeholders, as in `/users/{id}`."""
_OPTION = re.compile(
    r"(?<![\w<])(?:-{0,2}[\w=:]{1,30})?<(?P<name>[A-Za-z]\w{0,30}(?:[-_]\w{1,30}){1,5})>\w{0,30}"
    r"(?![^\n]{0,300}</(?P=name)>)"
)
"""A name to be replaced, as in `-Xmx<size-in-MB>M`; an element would end somewhere."""
_SIMPLE = re.compile("|".join((_URL, _MAIL, _PRINTF, _NAMED, _PATH)))
_UNIT = re.compile(
    r"(?:[kKMGT]?i?[Bb]|[kMG]Hz|[kcm\u00b5]?m|m?s|k?g|px|pt|dpi|fps|%|\u00b0[CF]?|h|min)(?!\w)"
)
"""A unit, written together with a number and with a placeholder for one."""
_MESSAGE = re.compile(
    "|".join(
        (
            _URL,
            _MAIL,
            r"\$[1-9](?![\d.,]*\d)(?!\w)",  # Chrome
            r"\$t\([^()\n]{1,200}\)",  # i18next
            r"(?<!\w)@(?:\.\w{1,20})?:(?:\([\w.]{1,99}\)|[\w.]{0,99}\w)",  # Vue
            r"\[%[^\[\]%\s]{1,200}%\]",  # Home Assistant
            _NAMED,
            *SHAPES,
            _PRINTF,
            _PATH,
            _OPTION.pattern,
            r"%%",
            r"(?<![\w%])%(?:L?\d{1,2}|n)(?!\w)",  # Qt
            r"<%[^<>]{0,200}%>",  # ERB
            r"(?<![^\s(\"'\[]):[A-Za-z][A-Za-z_]{2,40}(?!\w):?",  # Laravel, names of emoji
            r"(?<!\w)__[A-Za-z]\w{0,60}?__(?!\w)",
        )
    )
)
"""`_SIMPLE`, and further placeholders in strings of programs."""
_BRACES = re.compile(r"[{}]")
_NAME = re.compile(
    r"\{\s{0,3}[#/@$^&!]?[\w.$-]{0,64}(?:[:!][^{}\s]{0,64})?\s{0,3}\}|\{'[^'{}]{0,64}'\}", re.DOTALL
)
_ICU = re.compile(
    r"\{\s*\w{1,64}\s*,\s*(?:plural|select|selectordinal|choice|number|date|time|spellout|"
    r"ordinal|duration)\s*[,}]"
)
_BRANCHES = re.compile(r"\{\s*\w{1,64}\s*,\s*(?:plural|select|selectordinal|choice)\s*,")


_PAGE = re.compile(r"\[\[([^\[\]|\n]+)\]\]")
_QUOTED_NAME = re.compile(r"'(?:\{'([\w.$-]{1,64})'\}|\{([\w.$-]{1,64})\})'")
_ENTITY = re.compile(r"&[A-Za-z_:][\w.:-]{0,63};")
_CODE_SPAN = re.compile(r"(`+)(?!`) ?([^`\n]+?) ?(?<!`)\1")


def placeholder_words(code: str) -> str | None:
    """Return the words of a protected code in a sentence, or None if it has no words: placeholders
    and addresses unchanged, code spans and links between pages of Markdown without their marks, and
    names in the quoted braces of a message (`'{'name'}'`) without quotes. ICU messages and elements
    have no words, nor has `%%`, which is a percent sign.

    >>> codes = ("{0}", "%1", "$NAME$", "`a b`", "{n, plural, other {}}")
    >>> [placeholder_words(code) for code in codes]
    ['{0}', '%1', '$NAME$', 'a b', None]

    Args:
        code: the characters of the code in the file.
    """
    span = _CODE_SPAN.fullmatch(code)
    if span is not None:
        return span[2]
    page = _PAGE.fullmatch(code)
    if page is not None:
        return page[1]
    quoted = _QUOTED_NAME.fullmatch(code)
    if quoted is not None:
        return f"{{{quoted[1] or quoted[2]}}}"
    closing = code.rfind("}") + 1
    name = code[:closing] if _UNIT.fullmatch(code, closing) else code
    is_word = any(
        (
            code != "%%" and _MESSAGE.fullmatch(code),
            _ENTITY.fullmatch(code),
            _NAME.fullmatch(name.removeprefix("$")),
            (name[:2], name[-2:]) == ("{{", "}}"),
        )
    )
    return code if is_word else None


def protect(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts of a block with protected codes for placeholders and addresses in the texts."""
    for part in parts:
        if isinstance(part, (Code, LineEnd)) or len(part.text) != part.end - part.start:
            yield part
            continue
        yield from with_codes(part, _ranges(part.text, _SIMPLE))


def with_codes(text: Text, ranges: Iterable[tuple[int, int]]) -> Iterator[Part]:
    """A text with protected codes for some ranges of its characters."""
    position = 0
    for start, end in ranges:
        if position < start:
            yield Text(text.start + position, text.start + start, text.text[position:start])
        yield Code(text.start + start, text.start + end, "protected")
        position = end
    if position < len(text.text):
        yield Text(text.start + position, text.end, text.text[position:])


def message_placeholders(text: str) -> list[tuple[int, int]]:
    """The ranges of placeholders and addresses in a string of a program, in order."""
    entities = (match.span() for match in _ENTITY.finditer(text) if unescape(match[0]) == match[0])
    return list(_ranges(text, _MESSAGE, entities))


def format_directives(text: str) -> list[tuple[int, int]]:
    """The ranges of the directives of a format string of C or Python, also in words (`v%s`)."""
    return [match.span(1) for match in _DIRECTIVES.finditer(text) if match[1]]


def has_branches(text: str) -> bool:
    """Return whether a placeholder is an ICU message with a choice among texts, as for a plural."""
    return _BRANCHES.match(text) is not None


def _ranges(
    text: str, simple: re.Pattern[str], further: Iterable[tuple[int, int]] = ()
) -> Iterator[tuple[int, int]]:
    """The ranges of placeholders and addresses, and of further ones, in order."""
    if not any(character in text for character in "{%@:w$_/\\<#^~|=+&![("):
        return
    found = (match.span() for match in simple.finditer(text))
    ranges = sorted([*_placeholders(text), *found, *further])
    end = 0
    for start, stop in ranges:
        if start >= end:
            yield start, stop
            end = stop


def _placeholders(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of placeholders in braces; ICU messages may have braces in braces."""
    depth = start = 0
    for match in _BRACES.finditer(text):
        if match[0] == "{":
            if depth == 0:
                start = match.start()
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0 and _is_placeholder(text, start, match.end()):
                # `${name}`, `#{name}`
                start -= start > 0 and text.startswith(("$", "#"), start - 1)
                unit = _UNIT.match(text, match.end())
                yield start, (unit or match).end()


def _is_placeholder(text: str, start: int, end: int) -> bool:
    """Return whether a text in braces is a placeholder, not words."""
    double = (text[start : start + 2], text[end - 2 : end]) in (("{{", "}}"), ("{%", "%}"))
    return (
        double
        or _NAME.fullmatch(text, start, end) is not None
        or _ICU.match(text, start, end) is not None
    )
