"""markdown-it-py, with the positions of inline tokens in the text of their block."""

from __future__ import annotations

from functools import cache

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from docmt_files.markup.markdown_blocks import add_block_rules
from docmt_files.markup.markdown_inline import SPAN, add_inline_rules
from docmt_files.markup.markdown_jsx import add_jsx_rules


class PositionedInline(ParserInline):
    """Parses like `ParserInline`, and notes the start and end of each token other than plain
    text."""

    def __init__(self) -> None:
        super().__init__()
        self._label_end = 0

    def tokenize(self, state: StateInline) -> None:
        """Generate tokens for a range of the text, as `ParserInline.tokenize`."""
        rules = self.ruler.getRules("")
        end = state.posMax
        deepest = state.md.options["maxNesting"]
        while state.pos < end:
            start, count, pending = state.pos, len(state.tokens), bool(state.pending)
            if state.level < deepest and any(rule(state, False) for rule in rules):
                self._note(state, start, count, pending)
            else:
                state.append_pending(state.src[state.pos])
                state.pos += 1
        if state.pending:
            state.pushPending()
        self._label_end = end

    def _note(self, state: StateInline, start: int, count: int, pending: bool) -> None:
        """Note the positions of the tokens made by a rule out of the text from `start` on."""
        made = state.tokens[count:]
        if pending and made and made[0].type == "text":
            made = made[1:]  # The text before them.
        if not made or SPAN in made[0].meta:
            return
        if all(token.type == "text" for token in made):
            # Delimiters may become emphasis.
            for token in made:
                token.meta[SPAN] = start, start + len(token.content)
                start += len(token.content)
        elif made[0].type == "link_open" and made[0].info != "auto":
            made[0].meta[SPAN] = start, start + 1
            made[-1].meta[SPAN] = self._label_end, state.pos
        else:
            made[0].meta[SPAN] = start, state.pos


def span_of(token: Token) -> tuple[int, int] | None:
    """Return the range of an inline token in the content of its block; None for plain text."""
    span: tuple[int, int] | None = token.meta.get(SPAN)
    return span


@cache
def parser(*, is_mdx: bool = False) -> MarkdownIt:
    """The parser. Tokens of text are not joined, so each stays in place, and footnotes stay in
    their places.

    Args:
        is_mdx: whether lines are read as by MDX, without indented code and HTML.
    """
    markdown = MarkdownIt("commonmark", {"html": True, "maxNesting": 20})
    markdown.inline = PositionedInline()
    markdown.configure("commonmark")
    markdown.enable(["table", "strikethrough"])
    markdown.use(front_matter_plugin).use(footnote_plugin, inline=False, move_to_end=False)
    add_block_rules(markdown)
    add_inline_rules(markdown)
    add_jsx_rules(markdown, is_mdx=is_mdx)
    return markdown.disable(["fragments_join", "text_join"])
