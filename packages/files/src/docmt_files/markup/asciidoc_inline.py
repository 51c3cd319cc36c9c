"""The inline codes of AsciiDoc, by the rules of Asciidoctor.

Formatting and links with a text are pairs; code, attributes, formulas and references without a text
are protected; anchors and images are void, with their texts as nested blocks. `++c++` around one
character, character references and attributes such as `{asterisk}` are that character, and a
translation gets them where it would be markup. Formatting next to a letter is written with double
marks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from html import unescape

from docmt_files.core.inline import Block, Code, CodeKind, Part, Piece, Text, has_word, paired
from docmt_files.core.protection.placeholders import protect
from docmt_files.markup.line_markup import Content

_MARKS = "*_#"
_ROLE = r"(?:\[[^\[\]\n]{1,80}\])?"
_INNER = r"\S(?:.{0,600}?\S)??"
_BEFORE = r"(?<![\w&;:}\\])"
_TEXT = r"(?:\\\]|[^\]]){0,1000}+"
"""A text in brackets."""
_IN_TEXT = r"\[(?:\\\]|\[[^\[\]]{0,300}+\]|[^\[\]]){0,300}+\]"
_NESTED_TEXT = rf"(?:\\\]|{_IN_TEXT}|[^\[\]]){{0,1000}}+"
"""The same with other brackets in it."""

_TOKEN = re.compile(
    "|".join(
        (
            r"(?P<pass>\+\+\+.{0,600}?\+\+\+|pass:[a-z,+]*\[(?:\\\]|[^\]]){0,600}+\]"
            r"|(?<!\+)\+\+(?!\+)(?P<own>.|.{2,600}?)\+\+(?!\+)"
            r"|(?<![\w&;:`}\\+])\+(?!\+)(?!\s)[^\n]{0,200}?(?<!\s)\+(?![\w`+]))",
            rf"(?P<math>\b(?:stem|latexmath|asciimath):[a-z,]*\[{_TEXT}\])",
            rf"(?P<quote>{_BEFORE}(?P<quotes>[\"'])`(?P<quoted>{_INNER})`(?P=quotes)(?!\w))",
            r"(?P<code>``(?P<code_2>.{1,400}?)``(?!`)"
            rf"|(?<![\w&;:\"'`}}\\])`(?P<code_1>{_INNER})`(?![\w\"'`]))",
            *(
                rf"(?P<double_{i}>(?<!\\){_ROLE}{re.escape(m)}{re.escape(m)}"
                rf"(?P<double_{i}_in>.{{1,600}}?){re.escape(m)}{re.escape(m)})"
                rf"|(?P<single_{i}>{_BEFORE}{_ROLE}{re.escape(m)}(?P<single_{i}_in>{_INNER})"
                rf"{re.escape(m)}(?!\w))"
                for i, m in enumerate(_MARKS)
            ),
            *(
                rf"(?P<{name}>(?<!\\){_ROLE}{m}(?P<{name}_in>[^\s{m}]{{1,80}}){m})"
                for name, m in (("sup", r"\^"), ("sub", "~"))
            ),
            rf"(?P<note>footnote:[\w-]*\[(?P<note_in>{_NESTED_TEXT})\])",
            r"(?P<link>(?:(?:link|xref|mailto):[^\s\[\]]{0,400}|btn:|\{\w[\w-]{0,80}\}[^\s\[\]{}]{0,200}"
            rf"|(?:(?<=[\s>()\[\];\"'<])|\A)(?:https?|ftp|irc)://[^\s\[\]<>]{{1,400}})\[(?P<link_in>{_TEXT})\])",
            rf"(?P<image>image:[^\s:\[\]][^\s\[\]]{{0,300}}\[(?P<image_in>{_TEXT})\])",
            rf"(?P<menu>menu:(?P<menu_in>[^\s:\[\]][^\n\[\]]{{0,80}})\[(?P<items>{_TEXT})\])",
            r"(?P<macro>(?:(?:kbd|icon|anchor|indexterm2?|footnoteref)"
            r"|(?<![\w:/])(?!\w*(?:footnote|link|xref|mailto|btn|image|menu|pass):)[a-z][\w-]{0,30})"
            rf":[^\s:\[\]]?[^\s\[\]:]{{0,300}}\[{_TEXT}\])",
            r"(?P<ref><<[^<>,\n]{1,200}(?:,(?P<ref_in>(?:(?!<<|>>).){1,500}+))?>>)",
            r"(?P<term>\(\(\((?P<term_in>[^()]{1,300})\)\)\)|\(\((?P<shown_in>[^()]{1,300})\)\))",
            r"(?P<anchor>\[\[\[?[\w:.-][^\[\]\n]{0,200}\]?\]\])",
            r"(?P<escaped>\\(?:\{[\w-]+\}|\+\+|[*_`#^~+<\[&(|]))",
            r"(?P<attribute>\{(?:set|counter2?):[^{}\n]{0,200}\}|\{\w[\w-]{0,80}\})",
            r"(?P<character>&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[A-Za-z]{2,31}\d{0,2});)",
            r"(?P<break>[ ]\+(?:\n|\Z))",
        )
    ),
    re.DOTALL,
)
_CHARACTERS = {
    "{asterisk}": "*",
    "{backslash}": "\\",
    "{backtick}": "`",
    "{caret}": "^",
    "{endsb}": "]",
    "{nbsp}": "\u00a0",
    "{plus}": "+",
    "{startsb}": "[",
    "{tilde}": "~",
    "{two-colons}": "::",
    "{two-semicolons}": ";;",
    "{vbar}": "|",
}
"""Attributes that are characters."""
_OWN = re.compile(r"\+\+(?:[^\s+]|[^\w\s+]{2,6})\+\+")
"""Characters that are text although they would begin markup."""
_SAME = re.compile(r"(.)\1{0,5}", re.DOTALL)
_UNIT = re.compile(
    "|".join(
        (
            rf"\n|(?<!\+){_OWN.pattern}(?!\+)",
            r"\\[*_`#^~+<\[&(|]|&#?\w{2,32};",
            *map(re.escape, _CHARACTERS),
        )
    )
)
_LABEL = re.compile(r"\"(?P<quoted>(?:\\.|[^\"\\])*)\"|(?P<plain>[^,=\"]*)(?=,|$)")
"""The text at the beginning of what is in brackets, before attributes."""
_NAMED = re.compile(
    r"(?:^|,)\s*(?:alt|caption|reftext|title)=(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)')"
)
_AT_BEGIN = re.compile(
    r"(?:[*.\-\u2022>]{1,5}|\d{1,9}\.|[A-Za-z]\.|[ivxIVX]{1,8}\)|={1,6}|#{1,6})(?=\s)"
    r"|\.(?=[^\s.])|//|:(?=!?\w[\w-]*!?:)|\[(?=.*\]$)|<(?=[\d.]{1,3}>)"
    r"|(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION):|'{3,}$|<{3,}$|(?:-{2,}|\*{4,}|_{4,}|\.{4,}|/{4,})$"
    r"|\w[\w-]*::(?=\S*\[)|[|!,:]===|`{3}|\+$"
)
_DEFINES = re.compile(r"(:{2,4}|;;)(?=\s|$)")
_PAIRED = {f"{kind}_{i}": mark for i, mark in enumerate(_MARKS) for kind in ("single", "double")}
_PAIRED |= {"sup": "^", "sub": "~"}
_ADDRESS = "address["
"""The name of the codes of a link that begins with its address."""
_MAX_DEPTH = 12


def blocks_of(
    content: Content, *, cell: bool = False, heading: int = 0, nested: bool = False
) -> list[Block]:
    """The block of a content, and the blocks nested in its codes; none without words.

    Args:
        content: the content.
        cell: whether it is in a cell of a table, where a bar is escaped.
        heading: the level of the heading, or 0.
        nested: whether the block is in a code of another one, or in an attribute.
    """
    inline = _Inline(content)
    inline.read(0, len(content.text), 0)
    blocks = []
    if any(isinstance(part, Text) and has_word(part.text) for part in inline.parts):
        parts = tuple(protect(list(paired(inline.parts))))
        escape = partial(_escape, cell=cell)
        blocks.append(Block(parts, escape, nested, heading, join=_join))
    for first, last, quote in inline.nested:
        blocks += _nested(content, first, last, quote)
    return blocks


def _nested(content: Content, start: int, end: int, quote: str) -> Iterator[Block]:
    """The blocks of a range in quotation marks, or within brackets."""
    inner = Content(content.text[start:end], content.starts[start : end + 1])
    if not has_word(inner.text):
        return
    if quote:
        parts = tuple(protect(list(inner.parts(0, len(inner.text), _UNIT, _meaning))))
        yield Block(parts, partial(_escape_in_quotes, quote), nested=True)
        return
    for block in blocks_of(inner, nested=True):
        yield replace(block, escape=partial(_escape_in_brackets, escape=block.escape))


def attribute_texts(text: str, start: int, end: int, *, label: bool) -> Iterator[Block]:
    """The texts for readers in the attributes of a block or an image: `title="…"` and the like.

    Args:
        text: the file.
        start, end: the range between the brackets.
        label: whether the first attribute without a name is a text, as in an image.
    """
    content = Content(text[start:end], list(range(start, end + 1)))
    for first, last, quote in _labels(content.text, label=label):
        yield from _nested(content, first, last, quote)


def _labels(text: str, *, label: bool) -> Iterator[tuple[int, int, str]]:
    """The ranges of texts in attributes, with their quotation marks."""
    first = _LABEL.match(text) if label else None
    if first is not None and (first["quoted"] is not None or first["plain"]):
        group = "quoted" if first["quoted"] is not None else "plain"
        yield (*first.span(group), '"' if group == "quoted" else "")
    for match in _NAMED.finditer(text):
        group = "double" if match["double"] is not None else "single"
        yield (*match.span(group), '"' if group == "double" else "'")


@dataclass(slots=True)
class _Inline:
    """Collects the parts of a content, and the ranges of texts nested in its codes with their
    quotation marks."""

    content: Content
    parts: list[Part] = field(default_factory=list)
    nested: list[tuple[int, int, str]] = field(default_factory=list)
    pairs: int = 0

    def read(self, start: int, end: int, depth: int) -> None:
        """Read a range of the content."""
        position = start
        while position < end and depth < _MAX_DEPTH:
            match = _TOKEN.search(self.content.text, position, end)
            if match is None:
                break
            if _is_unit(match):
                self._plain(position, match.end())
            else:
                self._plain(position, match.start())
                self._token(match, depth)
            position = match.end()
        self._plain(position, end)

    def _plain(self, start: int, end: int) -> None:
        self.parts += self.content.parts(start, end, _UNIT, _meaning)

    def _token(self, match: re.Match[str], depth: int) -> None:
        """Read a code, or a pair with what is in it."""
        kind = match.lastgroup or ""
        kind = next((name for name in _KINDS if match[name] is not None), kind)
        if kind in _PAIRED:
            self._pair(match, match.span(f"{kind}_in"), depth, name=_PAIRED[kind])
        elif kind == "quote":
            self._pair(match, match.span("quoted"), depth)
        elif kind == "link" and match["link_in"].strip():
            self._link(match, depth)
        elif kind == "ref" and match["ref_in"]:
            self._pair(match, match.span("ref_in"), depth)
        elif kind == "term" and match["shown_in"]:
            self._pair(match, match.span("shown_in"), depth)
        elif kind == "code":
            group = "code_2" if match["code_2"] is not None else "code_1"
            words = match[group].strip("+").strip()
            words = words if "\n" not in words and not re.search(r"[{\\`]", words) else ""
            self._code(match, "protected", words=words, name=f"`{match[group]}`")
        elif kind == "break":
            self._code(match, "void", text="\n")
        elif kind in ("anchor", "image", "menu", "note", "term"):
            self._code(match, "void")
            self.nested += self._nested(match, kind)
        else:
            words = match[0].removeprefix("\\") if kind == "escaped" else ""
            self._code(match, "protected", words=words)

    def _code(
        self,
        match: re.Match[str],
        kind: CodeKind,
        *,
        text: str = "",
        words: str = "",
        name: str = "",
    ) -> None:
        start, end = (self.content.starts[place] for place in match.span())
        self.parts.append(Code(start, end, kind, text=text, words=words, name=name))

    def _pair(
        self, match: re.Match[str], inner: tuple[int, int], depth: int, name: str = ""
    ) -> None:
        """A pair around a range of the content, which is read too."""
        places = (match.start(), *inner, match.end())
        start, first, last, end = (self.content.starts[place] for place in places)
        self.pairs += 1
        number, opening, nested = self.pairs, len(self.parts), len(self.nested)
        self.parts.append(Code(start, first, "open", number, name=name))
        self.read(*inner, depth + 1)
        within = self.parts[opening + 1 :]
        if any(isinstance(part, Text) and has_word(part.text) for part in within):
            self.parts.append(Code(last, end, "close", number, name=name))
            return
        # It is around nothing but codes, such as a link around the name of a function.
        del self.parts[opening:]
        words = "".join(part.words if isinstance(part, Code) else part.text for part in within)
        kind: CodeKind = "protected" if len(self.nested) == nested else "void"
        self.parts.append(Code(start, end, kind, words=words if kind == "protected" else ""))

    def _link(self, match: re.Match[str], depth: int) -> None:
        """A link with a text; attributes behind the text belong to the code."""
        text = match["link_in"]
        start = match.start("link_in")
        first, last = 0, len(text)
        if "=" in text or text.startswith('"'):
            first, last, _ = next(_labels(text, label=True), (0, 0, ""))
        last -= text[first:last].endswith("^")
        if first < last:
            name = _ADDRESS if match[0].startswith(("http", "ftp", "irc")) else ""
            self._pair(match, (start + first, start + last), depth, name=name)
        else:
            self._code(match, "protected")

    @staticmethod
    def _nested(match: re.Match[str], kind: str) -> Iterator[tuple[int, int, str]]:
        """The ranges of the texts in a code."""
        if kind == "note":
            yield (*match.span("note_in"), "")
        elif kind == "image":
            for first, last, quote in _labels(match["image_in"], label=True):
                yield match.start("image_in") + first, match.start("image_in") + last, quote
        elif kind in ("menu", "term"):
            groups = {"menu": ("menu_in", "items"), "term": ("term_in",)}[kind]
            for group in groups:
                for item in re.finditer(r"[^,>\s][^,>]*(?<!\s)", match[group]):
                    yield match.start(group) + item.start(), match.start(group) + item.end(), ""


_KINDS = tuple(
    name
    for name in _TOKEN.groupindex
    if not name.endswith("_in")
    and name not in ("own", "quotes", "quoted", "code_1", "code_2", "items")
)


def _is_unit(match: re.Match[str]) -> bool:
    """Return whether a token is a character, not a code."""
    if match["attribute"] is not None:
        return match[0] in _CHARACTERS
    if match["character"] is not None:
        return unescape(match[0]) != match[0]
    if match["escaped"] is not None:
        return len(match[0]) == 2
    return match["own"] is not None and _OWN.fullmatch(match[0]) is not None


def _meaning(unit: str) -> str:
    """Return the characters of a unit."""
    if unit.startswith("++"):
        return unit[2:-2]
    if unit.startswith("\\"):
        return unit[1]
    return unescape(unit) if unit.startswith("&") else _CHARACTERS[unit]


def _escape(text: str, begins: bool, *, cell: bool) -> str:
    """Text with `++c++` or an attribute for each character that would begin markup."""
    marks = [0] if begins and _AT_BEGIN.match(text) else []
    position = 0
    while match := _TOKEN.search(text, position):
        mark = match.start() + len(match[0]) - len(match[0].lstrip())
        if match[0][0].isalpha():  # A macro.
            mark = match.start() + match[0].index(":")
        marks += range(mark, mark + len(_SAME.match(text, mark)[0]))  # type: ignore[index]
        position = marks[-1] + 1
    escaped = _DEFINES.sub(
        lambda m: "{two-semicolons}" if m[0] == ";;" else _colons(m[0]), _with_literals(text, marks)
    )
    return re.sub(r"(?<!\\)\|", r"\\|", escaped) if cell else escaped


def _with_literals(text: str, marks: Sequence[int]) -> str:
    """A text with runs of these characters as literals."""
    made = []
    position = 0
    for index, mark in enumerate(marks):
        made.append(text[position:mark])
        position = mark + 1
        if text[mark] == "+":
            made.append("{plus}")
            continue
        goes_on = index > 0 and marks[index - 1] == mark - 1 and text[mark - 1] != "+"
        ends = index + 1 == len(marks) or marks[index + 1] != mark + 1 or text[mark + 1] == "+"
        made += [("" if goes_on else "++"), text[mark], ("++" if ends else "")]
    return "".join([*made, text[position:]])


def _colons(colons: str) -> str:
    return "{two-colons}" * (len(colons) // 2) + ":" * (len(colons) % 2)


def _escape_in_quotes(quote: str, text: str, _: bool) -> str:
    """The value of an attribute in quotation marks."""
    return _escape(text.replace(quote, "\u201d" if quote == '"' else "\u2019"), False, cell=False)


def _escape_in_brackets(text: str, _: bool, *, escape: Callable[[str, bool], str]) -> str:
    return escape(text, False).replace("]", "\\]")


def _join(pieces: Sequence[Piece], before: Piece, after: Piece) -> str:
    """A sentence with double marks for formatting, and `link:` before an address, next to a letter,
    where they would be none."""
    texts = [text for text, _ in (before, *pieces, after)]
    partners: dict[int, list[int]] = {}
    for index, (text, code) in enumerate(pieces, 1):
        name = "" if code is None else code.name
        if name in ("*", "_", "#") and code is not None:
            partners.setdefault(code.pair, []).append(index)
        elif name.startswith("`") and text[:2] != "``" and _touches(texts, index, index):
            texts[index] = f"`{text}`"
        elif (
            code is not None
            and (name, code.kind) == (_ADDRESS, "open")
            and re.match(r"[^\s>()\[\];\"'<]", _last(texts[:index]))
        ):
            texts[index] = f"link:{text}"
    for first, last in (pair for pair in partners.values() if len(pair) == 2):
        if _touches(texts, first, last):
            mark = texts[first][-1]
            texts[first] = texts[first].rstrip(mark) + 2 * mark
            texts[last] = 2 * mark
    return "".join(texts[1:-1])


def _touches(texts: Sequence[str], first: int, last: int) -> bool:
    """Return whether there is no formatting with single marks, as a letter or the like stands
    before or after these pieces."""
    after = next((text[0] for text in texts[last + 1 :] if text), "")
    return bool(re.match(r"[\w&;:}\"'`]", _last(texts[:first])) or re.match(r"\w", after))


def _last(texts: Sequence[str]) -> str:
    """The last character of texts."""
    return next((text[-1] for text in reversed(texts) if text), "")
