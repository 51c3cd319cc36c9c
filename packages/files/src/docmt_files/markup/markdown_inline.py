"""Inline codes of sites and note programs in Markdown, as rules for markdown-it-py.

Tags of templates, formulas, emoji and links between pages become tokens of the type `kept`, in
place of words; attributes and the boxes of task lists become `mark`. A link between pages with
separate text is a pair around the text.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

SPAN = "docmt span"
"""The key, in the `meta` of a token, of the range of its text in the block."""

TEMPLATE = r"\{%(?:[^{}]|\{[^{}]{0,99}\}){0,500}?%\}|\{\{(?:[^{}]|\{[^{}]{0,99}\}){0,500}\}\}"
"""Tags of Liquid, Jinja and Hugo."""
_ATTRIBUTE = r"(?:[#.][A-Za-z][\w:-]*|[A-Za-z][\w:-]*=(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s\"'{}]+))"
ATTRIBUTES = (
    rf"(?:\{{:[^{{}}\n]*\}}|\{{[ \t]*{_ATTRIBUTE}(?:[ \t]+{_ATTRIBUTE})*[ \t]*\}}|"
    r"\{/\*[^{}\n]*\*/\})"
)
"""Attributes of an element, such as `{#id .class}` and `{: .class}`; a comment of MDX with them."""
MATH = re.compile(
    r"(?<![\w$\\])(?:\$\$[^$]{1,2000}\$\$|\$`[^`\n]{1,500}`\$|"
    # Without spaces inside, and not from one price to another.
    r"\$(?![\s$]|\d[\d.,]*[ /-][A-Za-z]{2})(?=[^\s$]+\$|[^$]*[\\^_{}=<>+*/|-])"
    r"(?:\\.|[^\\$`]){1,500}(?<!\s)\$)(?![\w${])",
    re.DOTALL,
)
_EMOJI = re.compile(r"(?<![\w:]):(?:[a-z][a-z0-9_+-]{1,60}|[+-]1|100):(?![\w:])")
_WIKI = re.compile(r"!?\[\[(?![\s^])([^\[\]|\n]+)(\|[^\[\]\n]+)?(?<!\s)\]\](?![(\[:])")
_BOX = re.compile(r"\[[ xX/<>!?-]\](?=\s|$)")
_TEMPLATE = re.compile(TEMPLATE, re.DOTALL)
_ATTRIBUTES = re.compile(ATTRIBUTES)


def add_inline_rules(markdown: MarkdownIt) -> None:
    """Add the rules to a parser."""
    markdown.inline.ruler.before("link", "wiki_link", _wiki_link)
    markdown.inline.ruler.before("link", "kept", _kept)
    markdown.core.ruler.after("inline", "box", _boxes)


def attributes_end(text: str, position: int) -> int:
    """The end of the attributes directly behind an element of a text, or else the end of the
    element."""
    match = _ATTRIBUTES.match(text, position)
    return match.end() if match else position


def _kept(state: StateInline, silent: bool) -> bool:
    """A tag of a template, a formula, an emoji, or attributes at the end of a block."""
    kind, match = "kept", None
    character = state.src[state.pos]
    if character == "{":
        match = _TEMPLATE.match(state.src, state.pos, state.posMax)
        if match is None and (attributes := _ATTRIBUTES.match(state.src, state.pos, state.posMax)):
            is_last = attributes.end() == len(state.src)
            kind, match = "mark", attributes if is_last else None
    elif character == "$":
        match = MATH.match(state.src, state.pos)
    elif character == ":":
        match = _EMOJI.match(state.src, state.pos)
    if match is None or match.end() > state.posMax:
        return False
    if not silent:
        state.push(kind, "", 0)
    state.pos = match.end()
    return True


def _wiki_link(state: StateInline, silent: bool) -> bool:
    """Read `[[Page]]`, left unchanged, or `[[Page|text]]`, with the text to translate."""
    if not state.src.startswith(("[[", "![["), state.pos):
        return False
    match = _WIKI.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    # Brackets around a reference to a definition.
    if normalizeReference(match[1]) in state.env.get("references", {}):
        return False
    if not silent and (match[2] is None or match[0].startswith("!")):
        state.push("kept", "", 0)
    elif not silent:
        start, end = match.start(2) + 1, match.end(2)
        state.push("wiki_open", "", 1).meta[SPAN] = state.pos, start
        stop, state.pos, state.posMax = state.posMax, start, end
        state.md.inline.tokenize(state)
        state.posMax = stop
        state.push("wiki_close", "", -1).meta[SPAN] = end, match.end()
    state.pos = match.end()
    return True


def _boxes(state: StateCore) -> None:
    """The boxes of task lists: `- [ ] Text`."""
    tokens = state.tokens
    for index in range(2, len(tokens)):
        token = tokens[index]
        if token.type != "inline" or tokens[index - 2].type != "list_item_open":
            continue
        match = _BOX.match(token.content)
        spans = (child.meta.get(SPAN) for child in token.children or ())
        if match and all(span is None or span[0] >= match.end() for span in spans):
            box = Token("mark", "", 0, meta={SPAN: match.span()})
            token.children = [box, *(token.children or ())]
