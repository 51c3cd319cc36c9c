"""Blocks of Markdown with JSX (`jsx`), as rules for markdown-it-py."""

from __future__ import annotations

from typing import Any

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock

from docmt_files.markup.jsx import Jsx

_JSX = "docmt jsx"
"""The key of the JSX of a text in the environment of the parser."""


def environment_of(jsx: Jsx, start: int) -> dict[str, Any]:
    """What the parser is told of the JSX of a text that it reads from an offset on."""
    return {_JSX: (jsx, start)} if jsx.ranges else {}


def add_jsx_rules(markdown: MarkdownIt, *, is_mdx: bool) -> None:
    """Add the rules to a parser.

    Args:
        markdown: the parser.
        is_mdx: whether lines are read as by MDX, without indented code and HTML.
    """
    interrupts: RuleOptionsType = {
        "alt": ["paragraph", "reference", "blockquote", "list", "footnote_def"]
    }
    markdown.block.ruler.before("table", "jsx_line", _jsx_line, interrupts)
    if is_mdx:
        markdown.disable(["code", "html_block", "html_inline"])
        markdown.block.ruler.at("paragraph", _paragraph)


def _jsx_line(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: ARG001
    """A line of nothing but JSX."""
    if state.is_code_block(start) or not _is_jsx_line(state, start):
        return False
    if not silent:
        token = state.push("kept_line", "", 0)
        token.map = [start, start + 1]
        position = state.bMarks[start] + state.tShift[start]
        token.meta["lead"] = position - (state.src.rfind("\n", 0, position) + 1)
        state.line = start + 1
    return True


def _range(state: StateBlock, line: int) -> tuple[int, int, Jsx] | None:
    """The range of a line in the text, without the marks of blocks around it and without spaces at
    the ends."""
    if (found := state.env.get(_JSX)) is None:
        return None
    jsx, offset = found
    start = state.bMarks[line] + state.tShift[line]
    end = start + len(state.src[start : state.eMarks[line]].rstrip())
    return offset + start, offset + end, jsx


def _is_jsx_line(state: StateBlock, line: int) -> bool:
    found = _range(state, line)
    return found is not None and found[2].is_line(found[0], found[1])


def _is_element(state: StateBlock, line: int) -> bool:
    found = _range(state, line)
    return found is not None and found[2].is_element(found[0], found[1])


def _paragraph(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A paragraph, which a line of nothing but JSX ends however far it is indented, as no line is
    code. An element on a line of its own is a paragraph."""
    del end, silent  # It is the last rule.
    rules = state.md.block.ruler.getRules("paragraph")
    line = start + 1
    outer, state.parentType = state.parentType, "paragraph"
    is_alone = _is_element(state, start)
    while line < state.lineMax and not state.isEmpty(line) and not is_alone:
        is_lazy = state.sCount[line] - state.blkIndent > 3 or state.sCount[line] < 0
        if _is_jsx_line(state, line) or _is_element(state, line):
            break
        if not is_lazy and any(rule(state, line, state.lineMax, True) for rule in rules):
            break
        line += 1
    content = state.getLines(start, line, state.blkIndent, False).strip()
    state.line = line
    state.push("paragraph_open", "p", 1).map = [start, line]
    token = state.push("inline", "", 0)
    token.content, token.map, token.children = content, [start, line], []
    state.push("paragraph_close", "p", -1)
    state.parentType = outer
    return True
