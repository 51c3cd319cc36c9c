"""HTML and XHTML.

Blocks are the texts of block elements, such as paragraphs, headings and table cells, and the
attributes visible to a reader, such as `alt` and `title`. Inline elements, comments and line breaks
are codes. Code, formulas and everything marked `translate="no"`, `class="notranslate"` or as
another language are protected. Scripts, styles and preformatted text stay unchanged. In the output,
`lang` names the target language and `dir` the direction; the declared encoding stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from html import escape as escape_html
from html import unescape
from html.entities import html5
from typing import NamedTuple

from docmt_files.base.documents import Document
from docmt_files.base.languages import is_right_to_left, language_tag, primary_language
from docmt_files.core.blocks import Blocks, BlockSkeleton, read_document
from docmt_files.core.encodings import Encode, text_codec
from docmt_files.core.inline import Block, Code, CodeKind, Part, Text, has_word, paired, texts_of
from docmt_files.core.patches import Patch
from docmt_files.core.protection.placeholders import protect, with_codes
from docmt_files.core.scopes import Scope
from docmt_files.core.sentence_cutting import Splitting, with_line_ends
from docmt_files.markup import html_elements as elements
from docmt_files.markup.html_codes import joined_codes, joined_keys
from docmt_files.markup.html_encodings import declared_charset, read_html_file
from docmt_files.markup.html_tokens import Attribute, HtmlToken, attributes, html_tokens
from docmt_files.storage.files import PathLike

_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_SPECIAL = re.compile(
    r"([ \t\n\r\f]{2,}|[\t\n\r\f])|&(?:#\d{1,8}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{0,31});?"
)
_ENTITY = re.compile(r"&([A-Za-z_:][\w.:-]{0,63};)")
_UNQUOTED = {ord(c): f"&#{ord(c)};" for c in " \t\n\r\f\"'`=<>"}


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    file = read_html_file(path)
    return _read_document(
        file.text, language, target_language, path, file.encode, keeps_charset=file.keeps_charset
    )


def read_html(
    text: str,
    language: str,
    target_language: str | None = None,
    *,
    path: PathLike = "text",
    ignored: Collection[str] = (),
    splitting: Splitting = "punctuation",
) -> tuple[list[Document], BlockSkeleton]:
    """Read a text in HTML, or a part of one.

    Args:
        text: the text.
        language: the code of the language of the text, whose rules split sentences.
        target_language: the code of the language of the output, for `lang`; None for no change.
        path: the file of the text; it names the document.
        ignored: names of further elements to be left untranslated, in lower case.
        splitting: the ends of sentences.

    Raises:
        InputError: the text has no sentence.

    >>> documents, skeleton = read_html("<p>One. <b>Two.</b></p>", "en")
    >>> documents[0].source
    ('One.', 'Two.')
    """
    return _read_document(
        text, language, target_language, path, ignored=ignored, splitting=splitting
    )


def _read_document(
    text: str,
    language: str,
    target_language: str | None,
    path: PathLike,
    encode: Encode | None = None,
    *,
    ignored: Collection[str] = (),
    splitting: Splitting = "punctuation",
    keeps_charset: bool = False,
) -> tuple[list[Document], BlockSkeleton]:
    find = partial(find_blocks, language=language, ignored=ignored, keeps_charset=keeps_charset)
    blocks = find(text, target_language=target_language)._replace(is_split=splitting != "none")
    if splitting == "lines":
        blocks = blocks._replace(blocks=[with_line_ends(each, text) for each in blocks.blocks])
    return read_document(path, text, blocks, language, find, encode)


def find_blocks(
    text: str,
    *,
    language: str,
    target_language: str | None = None,
    ignored: Collection[str] = (),
    keeps_charset: bool = False,
) -> Blocks:
    """The blocks of an HTML text.

    Args:
        text: the text.
        language: the code of the language of the text. Elements in other languages are kept.
        target_language: the code of the language of a translation, for `lang`.
        ignored: names of further elements to be left untranslated, in lower case.
        keeps_charset: whether to keep the declared encoding; otherwise it becomes UTF-8.
    """
    finder = _Finder(text, language, target_language, ignored)
    finder.keeps_charset = keeps_charset
    for token in html_tokens(text):
        finder.read(token)
    finder.flush()
    return Blocks(finder.blocks, tuple(finder.patches))


def is_kept(tag: str, language: str) -> bool:
    """Return whether the content of an element stays untranslated.

    Args:
        tag: the start tag.
        language: the code of the source language.
    """
    token = next(html_tokens(tag))
    return _Finder(tag, language).keeps(token.name, attributes(tag, token))


class _Element(NamedTuple):
    """An open element: name, whether the content is kept, whether it is a block, and the elements
    around what is in it."""

    name: str
    kept: bool
    is_block: bool
    scope: Scope


class _Finder:
    """Goes through the tokens of a file. Every step takes amortized constant time: open elements
    are counted by name, since the last block and in all."""

    def __init__(
        self,
        text: str,
        language: str,
        target_language: str | None = None,
        ignored: Collection[str] = (),
    ) -> None:
        self.text = text
        self.ignored = elements.KEPT.union(ignored)
        self.target = target_language and language_tag(target_language)
        self.source = primary_language(language)
        self.blocks: list[Block] = []
        self.patches: list[Patch] = []
        self.parts: list[Part] = []
        self.nested: list[Block] = []
        self.open: list[_Element] = []
        self.open_blocks: list[str] = []
        self.block_scopes: list[Scope] = []
        self.scope: Scope | None = None
        """The elements around the text of the present block."""
        self.counts: list[Counter[str]] = [Counter()]
        self.block_counts: Counter[str] = Counter()
        self.protected: tuple[int, int, str] | None = None
        """The start of a protected element, the number of open elements around it, and the name."""
        self.numbers: dict[str, int] = {}
        self.after_break = False
        self.keeps_charset = False

    @property
    def kept(self) -> bool:
        """True if the present content is not translated."""
        return bool(self.open) and self.open[-1].kept

    def read(self, token: HtmlToken) -> None:
        """Read the next token."""
        if token.kind == "start":
            self._start(token)
        elif token.kind == "end":
            self._end(token)
        elif self.kept:
            return
        elif token.kind == "other":
            self.parts.append(Code(token.start, token.end, "void"))
        else:
            if self.scope is None and self.block_scopes:
                self.scope = self.block_scopes[-1]
            self.parts += _parts(self.text, token.start, token.end)
            if self.after_break:
                self.after_break = not self.text[token.start : token.end].strip()

    def flush(self) -> None:
        """End a block."""
        self.after_break = False
        if self.protected is not None:
            # A block in an inline element: the content is kept, but not in a block.
            self.protected = None
        if any(isinstance(part, Text) and has_word(part.text) for part in self.parts):
            parts = protect(joined_codes(self.text, paired(self.parts)))
            joined = tuple(joined_keys(self.text, parts))
            scopes = () if self.scope is None else (self.scope,)
            self.blocks.append(Block(joined, _escape, heading=self._heading(), scopes=scopes))
        self.blocks += self.nested
        self.parts, self.nested, self.scope = [], [], None

    def _heading(self) -> int:
        """The level of the open heading, or 0."""
        return next((int(name[1]) for name in self.open_blocks[-1:] if name in _HEADINGS), 0)

    def _start(self, token: HtmlToken) -> None:
        name = token.name
        attributes_of_tag = attributes(self.text, token)
        is_block = name in elements.BLOCK
        if is_block:
            while self.open_blocks and self.open_blocks[-1] in elements.ended_by(name):
                self._pop_to(self.open_blocks[-1])
            self.flush()
        kept = self.keeps(name, attributes_of_tag)
        scope = self._scope(token, attributes_of_tag)
        if not (self.protected or kept):
            self.nested += self._attribute_blocks(name, attributes_of_tag, scope)
        self._language(token, attributes_of_tag)
        if name in elements.VOID or self.text.endswith("/>", token.start, token.end):
            if not (is_block or self.kept):
                self._void(token)
            return
        if not is_block and not self.kept:
            if kept:
                self.protected = token.start, len(self.open), name
            else:
                number = self.numbers.setdefault(name, len(self.numbers))
                self.parts.append(Code(token.start, token.end, "open", number, scope=scope))
        self.open.append(_Element(name, kept, is_block, scope))
        if is_block:
            self.open_blocks.append(name)
            self.block_scopes.append(scope)
            self.block_counts[name] += 1
            self.counts.append(Counter())
        else:
            self.counts[-1][name] += 1

    def _void(self, token: HtmlToken) -> None:
        """An element without content in a block. Two line breaks end the block."""
        if token.name != "br":
            self.parts.append(Code(token.start, token.end, "void"))
        elif self.after_break:
            self.flush()
        else:
            self.parts.append(Code(token.start, token.end, "void", text="\n"))
            self.after_break = True

    def _end(self, token: HtmlToken) -> None:
        name = token.name
        if name in elements.BLOCK:
            self.flush()
            if self.block_counts[name]:
                self._pop_to(name)
            return
        was_kept = self.kept
        if self.counts[-1][name]:
            self._pop_to(name)
            if self.protected is not None and len(self.open) <= self.protected[1]:
                start, around, protected = self.protected
                is_own = len(self.open) == around
                kind: CodeKind = "void" if protected in elements.ANNOTATIONS else "protected"
                self.parts.append(Code(start, token.end if is_own else token.start, kind))
                self.protected = None
                was_kept = is_own
        if was_kept:
            return
        number = self.numbers.setdefault(name, len(self.numbers))
        self.parts.append(Code(token.start, token.end, "close", number))

    def _pop_to(self, name: str) -> None:
        """End elements up to the last one of a name."""
        while True:
            last = self.open.pop()
            if last.is_block:
                self.open_blocks.pop()
                self.block_scopes.pop()
                self.block_counts[last.name] -= 1
                self.counts.pop()
            else:
                self.counts[-1][last.name] -= 1
            if last.name == name:
                return

    def keeps(self, name: str, attributes: Mapping[str, Attribute]) -> bool:
        """Return whether the content of an element is not translated."""
        if name in self.ignored:
            return True
        names = ("translate", "its:translate")
        mark = next(filter(None, (self._value(attributes, name) for name in names)), "").lower()
        if mark == "no" or "notranslate" in self._value(attributes, "class").lower().split():
            return True
        language = self._value(attributes, "lang") or self._value(attributes, "xml:lang")
        if language and name != "html":
            return self.kept or primary_language(language) != self.source
        return self.kept and mark != "yes"

    def _scope(self, token: HtmlToken, attributes_of_tag: Mapping[str, Attribute]) -> Scope:
        """An element with the elements around it, and with a note for translators (ITS 2.0)."""
        around = self.open[-1].scope if self.open else None
        if note := self._value(attributes_of_tag, "its-loc-note"):
            around = Scope("note", note, around)
        return Scope("element", self.text[token.start : token.end], around)

    def _attribute_blocks(
        self, name: str, attributes_of_tag: Mapping[str, Attribute], scope: Scope
    ) -> Iterator[Block]:
        """The attributes of a tag visible to a reader."""
        names = list(elements.READ_ATTRIBUTES)
        if name in ("option", "optgroup", "track", "menu"):
            names.append("label")
        kind = self._value(attributes_of_tag, "type").lower()
        if name == "input" and kind in ("submit", "button", "reset"):
            names.append("value")
        if name == "meta":
            key = self._value(attributes_of_tag, "name") or self._value(
                attributes_of_tag, "property"
            )
            names = ["content"] if key.lower() in elements.READ_META else []
        for key in names:
            if (attribute := attributes_of_tag.get(key)) is not None:
                parts = list(_parts(self.text, attribute.start, attribute.end))
                if any(has_word(part.text) for part in parts):
                    escape = _ESCAPES[attribute.quote]
                    yield Block(tuple(protect(parts)), escape, nested=True, scopes=(scope,))

    def _language(self, token: HtmlToken, attributes_of_tag: Mapping[str, Attribute]) -> None:
        """Put the target language and direction in place of the source's."""
        if self.target is None or (self.kept and token.name != "html"):
            return
        charset = declared_charset(self.text, token, attributes_of_tag)
        if charset is not None and not self.keeps_charset and text_codec(charset.label) != "utf-8":
            self.patches.append((charset.start, charset.end, "utf-8"))
        keys = ["lang", "xml:lang"]
        if self._value(attributes_of_tag, "http-equiv").lower() == "content-language":
            keys = ["content"]
        for key in keys:
            language = self._value(attributes_of_tag, key)
            if language and (token.name == "html" or primary_language(language) == self.source):
                self.patches.append(
                    (attributes_of_tag[key].start, attributes_of_tag[key].end, self.target)
                )
        if token.name not in ("html", "body"):
            return
        from_right = [is_right_to_left(code) for code in (self.source, self.target)]
        if from_right[0] == from_right[1]:
            return
        direction = "rtl" if from_right[1] else "ltr"
        if "dir" in attributes_of_tag:
            self.patches.append(
                (attributes_of_tag["dir"].start, attributes_of_tag["dir"].end, direction)
            )
        elif token.name == "html":
            after = token.start + 1 + len(token.name)
            self.patches.append((after, after, f' dir="{direction}"'))

    def _value(self, attributes_of_tag: Mapping[str, Attribute], name: str) -> str:
        """The value of an attribute, empty if there is none."""
        attribute = attributes_of_tag.get(name)
        return unescape(self.text[attribute.start : attribute.end]).strip() if attribute else ""


def _parts(text: str, start: int, end: int) -> Iterator[Part]:
    """A range without tags as texts, with character references as their characters and white space
    as a space; and protected codes for other entities, which XHTML declares."""
    for part in texts_of(text, start, end, _SPECIAL, _meaning):
        if len(part.text) == part.end - part.start:
            yield from with_codes(part, map(re.Match.span, _entities(part.text)))
        else:
            yield part


def _meaning(match: re.Match[str]) -> str:
    if match[1]:
        return " "
    return match[0] if any(_entities(match[0])) else unescape(match[0])


def _entities(text: str) -> Iterator[re.Match[str]]:
    """The references to entities of other names than those of HTML."""
    return (match for match in _ENTITY.finditer(text) if match[1] not in html5)


def _escape(text: str, _: bool) -> str:
    """Text between tags."""
    return escape_html(text, quote=False)


def _escape_in_double_quotes(text: str, _: bool) -> str:
    return escape_html(text, quote=False).replace('"', "&quot;")


def _escape_in_single_quotes(text: str, _: bool) -> str:
    return escape_html(text, quote=False).replace("'", "&#39;")


def _escape_unquoted(text: str, _: bool) -> str:
    return text.replace("&", "&amp;").translate(_UNQUOTED)


_ESCAPES: dict[str, Callable[[str, bool], str]] = {
    '"': _escape_in_double_quotes,
    "'": _escape_in_single_quotes,
    "": _escape_unquoted,
}
"""The writer of the text of an attribute, by quotation mark."""
