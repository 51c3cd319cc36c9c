"""Blocks of sites and note programs in Markdown, as rules for markdown-it-py.

A line of nothing but markup, such as `:::` or `{% endif %}`, becomes a `kept_line` token and ends
the paragraph before it. A line with a title, such as `!!! note "Title"`, becomes an `inline` token.
The `meta` of the token has the columns of the markup (`lead`) and of the title (`column`) in the
line. Content between such lines is read as Markdown.

Plugins of mdit-py-plugins do not give the column of a title. Besides, `admon` takes classes for a
title and ends at two blank lines, `colon_fence` takes content for code, `deflist` lacks several
terms of one definition, `dollarmath` takes prices for formulas, `tasklists` cuts boxes out of the
text, and `attrs` leaves no token.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock

from docmt_files.markup.markdown_inline import ATTRIBUTES, TEMPLATE

_ALERT = re.compile(r"\[![A-Za-z][\w-]*(?:\|[^\[\]]*)?\][-+]?(?:[ \t]+(?P<title>\S.*))?")
_ADMONITION = re.compile(
    r"(?:!!!|\?\?\?\+?)[ \t]*[A-Za-z][\w-]*(?:[ \t]+[\w-]+)*(?:[ \t]+\"(?P<title>.*)\")?|"
    r"===[!+]?[ \t]+\"(?P<tab>.*)\""
)
_FENCE = re.compile(r":{3,}(?:[ \t]*(?P<name>[A-Za-z{][^\s\[]*)(?P<rest>.*))?")
_FENCE_TITLE = re.compile(
    rf"\[(?P<label>.*)\](?:{ATTRIBUTES})?|[ \t]+(?P<title>[^\s\[{{].*?)(?:[ \t]*{ATTRIBUTES})?"
)
_OPTION = re.compile(r":[\w-]+:(?:[ \t].*)?")
_DEFINITION = re.compile(r":[ \t]+(?=\S)")
_KEPT = re.compile(
    rf"(?:{TEMPLATE})(?:[ \t]*(?:{TEMPLATE}))*|{ATTRIBUTES}|\*\[[^\[\]]+\]:.*|\[(?:TOC|toc)\]|"
    r"::[A-Za-z][\w-]*(?:\[.*\])?(?:\{.*\})?|--8<--.*"
)
_SUBSTITUTION = re.compile(r"\{\{(?![<%])")
_VERBATIM = re.compile(
    r":::[ \t]*\{?(?:mermaid|math|plantuml|code|code-block|code-cell|eval-rst|toctree)\b.*|"
    r"\{%-?[ \t]*(?P<tag>highlight|codeblock|comment)\b.*%\}|"
    r"\{\{[<%][ \t]*(?P<shortcode>highlight|mermaid|math|katex)\b[^/]*[>%]\}\}"
)
_MATH_LABEL = re.compile(rf"[ \t]*(?:\([\w:-]+\)|{ATTRIBUTES})?")
_MATH_END = re.compile(rf"(?:[^$]|\$(?!\$))*\$\$(?:{_MATH_LABEL.pattern})")


def add_block_rules(markdown: MarkdownIt) -> None:
    """Add the rules to a parser."""
    interrupts: RuleOptionsType = {
        "alt": ["paragraph", "reference", "blockquote", "list", "footnote_def"]
    }
    rules: list[Callable[[StateBlock, int, int, bool], bool]] = [
        _verbatim,
        _math,
        _kept_line,
        _fence,
        _admonition,
        _definition,
    ]
    ruler = markdown.block.ruler
    ruler.before("table", "toml", _toml)
    for rule in rules:
        ruler.before("fence", rule.__name__, rule, interrupts)
    ruler.before("fence", "alert", _alert)
    ruler.before("paragraph", "terms", _terms)


def _line(state: StateBlock, line: int) -> str:
    """A line without the marks of the blocks around it, and without spaces at the ends."""
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()


def _keep(state: StateBlock, start: int, end: int) -> bool:
    """Make lines a token to be left untranslated."""
    token = state.push("kept_line", "", 0)
    token.map = [start, end]
    token.meta["lead"] = _column(state, start)
    state.line = end
    return True


def _column(state: StateBlock, line: int) -> int:
    """The number of characters cut off by `_line` at the beginning."""
    position = state.bMarks[line] + state.tShift[line]
    return position - (state.src.rfind("\n", 0, position) + 1)


def _mark(state: StateBlock, line: int, title: str | None, start: int) -> bool:
    """Make a line a token. The title from a character on is translated."""
    if not title or not title.strip():
        return _keep(state, line, line + 1)
    token = state.push("inline", "", 0)
    token.map = [line, line + 1]
    token.content = title.strip()
    token.children = []
    lead = _column(state, line)
    token.meta |= {"lead": lead, "column": lead + start + len(title) - len(title.lstrip())}
    state.line = line + 1
    return True


def _toml(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Front matter between lines of `+++`."""
    if start or silent or state.level or not re.fullmatch(r"\+\+\+[ \t]*", _whole(state, 0)):
        return False
    last = next((i for i in range(1, end) if _whole(state, i).rstrip() == "+++"), None)
    if last is None:
        return False
    token = state.push("front_matter", "", 0)
    token.map = [0, last + 1]
    token.markup = "+++"
    state.line = last + 1
    return True


def _whole(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] : state.eMarks[line]]


def _kept_line(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: ARG001
    """A line of tags of a template, of attributes or of an abbreviation, or a table of contents."""
    line = _line(state, start)
    if state.is_code_block(start) or line[:1] not in ("{", "*", "[", ":", "-"):
        return False
    if not _KEPT.fullmatch(line) or _SUBSTITUTION.match(line):
        return False
    return silent or _keep(state, start, start + 1)


def _verbatim(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Code between marks, with them."""
    line = _line(state, start)
    if state.is_code_block(start) or line[:1] not in ("{", ":"):
        return False
    match = _VERBATIM.fullmatch(line)
    if match is None:
        return False
    if match["tag"]:
        closing = rf"\{{%-?[ \t]*end{match['tag']}[ \t]*-?%\}}"
    elif match["shortcode"]:
        closing = rf"\{{\{{[<%][ \t]*/[ \t]*{match['shortcode']}[ \t]*[>%]\}}\}}"
    else:
        closing = ":::+"
    last = _closing(state, start, end, re.compile(closing))
    return last is not None and (silent or _keep(state, start, last))


def _closing(state: StateBlock, start: int, end: int, pattern: re.Pattern[str]) -> int | None:
    """The line after the next match of a pattern in the same block. A search without a match is not
    repeated, so marks without an end take linear time."""
    searched: dict[tuple[object, ...], tuple[int, int]]
    searched = state.env.setdefault("docmt searched", {})
    key = pattern.pattern, end, state.level, state.blkIndent
    first, last = searched.get(key, (0, 0))
    if not first <= start < last:
        first, last = start, start + 1
    while last < min(end, state.lineMax):
        if state.sCount[last] < state.blkIndent and not state.isEmpty(last):
            break
        if pattern.fullmatch(_line(state, last)):
            return last + 1
        last += 1
    searched[key] = first, last
    return None


def _math(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A formula between `$$`."""
    line = _line(state, start)
    if not line.startswith("$$") or state.is_code_block(start):
        return False
    inner, closing, after = line[2:].partition("$$")
    if closing:
        # What follows the formula may be a label, and otherwise is text.
        is_alone = bool(inner) and _MATH_LABEL.fullmatch(after) is not None
        return is_alone and (silent or _keep(state, start, start + 1))
    last = _closing(state, start, end, _MATH_END)
    return last is not None and (silent or _keep(state, start, last))


def _fence(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The first or the last line of a container: `:::tip Title`, `:::note[Title]`, `:::`."""
    line = _line(state, start)
    if not line.startswith(":::") or state.is_code_block(start):
        return False
    match = _FENCE.fullmatch(line)
    if match is None:
        return False
    if silent:
        return True
    rest = match["rest"] or ""
    title = _FENCE_TITLE.fullmatch(rest)
    # `:::image alt-text="A" :::` and `::: note :::::` have settings and marks.
    if title is None or match["name"].startswith("{") or re.search(r'="|:::$', rest):
        last = start + 1
        while match["name"] and last < end and _OPTION.fullmatch(_line(state, last)):
            last += 1
        return _keep(state, start, last)
    kind = "label" if title["label"] is not None else "title"
    return _mark(state, start, title[kind], match.start("rest") + title.start(kind))


def _alert(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: ARG001
    """The first line of an alert of GitHub or a callout of Obsidian: `> [!NOTE] Title`."""
    if silent or not state.tokens or state.tokens[-1].type != "blockquote_open":
        return False
    match = _ALERT.fullmatch(_line(state, start))
    if match is None or state.is_code_block(start):
        return False
    return _mark(state, start, match["title"], match.start("title"))


def _admonition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`!!! note "Title"`, `??? note`, or `=== "Tab"`, with an indented block below."""
    line = _line(state, start)
    if line[:3] not in ("!!!", "???", "===") or state.is_code_block(start):
        return False
    match = _ADMONITION.fullmatch(line)
    if match is None:
        return False
    indent = state.sCount[start] + 4
    end = min(end, state.lineMax)
    body = start + 1
    while body < end and state.isEmpty(body):
        body += 1
    if body >= end or state.sCount[body] < indent:
        return False
    if silent:
        return True
    last = body
    while last < end and (state.isEmpty(last) or state.sCount[last] >= indent):
        last += 1
    kind = "title" if match["title"] is not None else "tab"
    _mark(state, start, match[kind], match.start(kind))
    _enclosed(state, start + 1, last, indent)
    state.line = last
    return True


def _enclosed(state: StateBlock, start: int, end: int, indent: int) -> None:
    """Read indented lines as separate blocks."""
    parent, line_max, block_indent = state.parentType, state.lineMax, state.blkIndent
    tight, level = state.tight, state.level
    state.parentType, state.lineMax, state.blkIndent = "admonition", end, indent
    state.level += 1
    state.md.block.tokenize(state, start, end)
    state.parentType, state.lineMax, state.blkIndent = parent, line_max, block_indent
    state.tight, state.level = tight, level


def _defines(state: StateBlock, line: int) -> re.Match[str] | None:
    """Return whether a line begins a definition: `: Text`."""
    return None if state.is_code_block(line) else _DEFINITION.match(_line(state, line))


def _definition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A definition of the terms in the lines before it."""
    match = _defines(state, start)
    if match is None or state.sCount[start] < state.blkIndent:
        return False
    if start == 0 or (state.isEmpty(start - 1) and (start == 1 or state.isEmpty(start - 2))):
        return False
    if silent:
        return True
    last = _definition_end(state, start, min(end, state.lineMax))
    indent = state.sCount[start] + 2
    old = state.tShift[start], state.sCount[start]
    state.tShift[start] += match.end()
    wide = state.sCount[start] + len(match[0].expandtabs(4))
    state.sCount[start] = wide if wide < indent + 4 else indent
    _enclosed(state, start, last, indent)
    state.tShift[start], state.sCount[start] = old
    return True


def _definition_end(state: StateBlock, start: int, end: int) -> int:
    """The line after a definition. A line without indentation continues the definition, unless it
    is a term of the next one."""
    line = start + 1
    searched = blank = 0
    while line < end:
        if state.isEmpty(line):
            blank = line
        elif state.sCount[line] < state.sCount[start] + 2:
            if blank == line - 1 or _defines(state, line):
                break
            if line >= searched:
                searched = line + 1
                while searched < end and not state.isEmpty(searched):
                    if _defines(state, searched):
                        return line
                    searched += 1
        line += 1
    return line


def _terms(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Several terms with the same definition, a line each."""
    if silent:
        return False
    interrupting = state.md.block.ruler.getRules("paragraph")
    last = start + 1
    end = min(end, state.lineMax)
    while last < end and not state.isEmpty(last) and state.sCount[last] >= state.blkIndent:
        if _defines(state, last):
            break
        if any(rule(state, last, end, True) for rule in interrupting):
            return False
        last += 1
    else:
        return False
    for line in range(start, last):
        state.push("paragraph_open", "p", 1).map = [line, line + 1]
        token = state.push("inline", "", 0)
        token.map = [line, line + 1]
        token.content = _line(state, line)
        token.children = []
        state.push("paragraph_close", "p", -1)
    state.line = last
    return True
