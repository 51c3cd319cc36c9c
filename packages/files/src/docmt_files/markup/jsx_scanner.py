"""The places of JSX in Markdown: `JsxScanner`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from docmt_files.markup import html_elements as elements
from docmt_files.markup.markdown_inline import ATTRIBUTES, MATH

_FRONT_MATTER = re.compile(r"\ufeff?(?P<mark>---|\+\+\+)[ \t]*\n(?s:.*?)^(?P=mark)[ \t]*$", re.M)
_LEAD = r"^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*"
_MARKDOWN = re.compile(
    rf"(?P<fence>{_LEAD}(?P<marks>`{{3,}}(?=[^`\n]*$)|~{{3,}}).*)"
    r"|(?P<directive>^[ \t>]*:{2,}.*)"
    r"|(?P<module>^(?:import|export)\b)"
    r"|(?P<escape>\\[^\n])|(?P<span>`+)|(?P<math>\$)|(?P<comment><!--)|(?P<jsx>[<{])",
    re.MULTILINE,
)
_NAMES = r"(?:\{[^{}]{0,2000}\}|\*\s*as\s+[\w$]+)"
_MODULE = re.compile(
    rf"import\s*(?:['\"]|(?:type\s+)?(?:[\w$]+|{_NAMES})(?:\s*,\s*{_NAMES})?\s*from\s*['\"])"
    r"|export\s+(?:default\s|const\s|let\s|var\s|async\s|function\b|class\s|type\s|[{*])"
)
_ATTRIBUTES = re.compile(ATTRIBUTES)
_AT_END = re.compile(r"\{[#.:][^\n{}]*\}[ \t]*$", re.MULTILINE)
_TAG = re.compile(r"<(?P<end>/)?(?P<name>[A-Za-z_$][\w$-]*(?:[.:][A-Za-z_$][\w$-]*)*)?(?=[\s/>{])")
_ATTRIBUTE = re.compile(r"(?P<name>[A-Za-z_$@:#][\w$:.@-]*)(?P<equals>\s*=\s*)?")
_STRING = re.compile(r"\"[^\"]*+\"|'[^']*+'|[^\s\"'<>{}=`]+")
_CODE = re.compile(
    r"'(?:[^'\\\n]++|\\.)*+'|\"(?:[^\"\\\n]++|\\.)*+\"|(?<![:\\])//[^\n]*+|/\*|[`{}()\[\]\n]"
)
_TEMPLATE = re.compile(r"\\.|`|\$\{", re.DOTALL)
_SIMPLE = re.compile(r"(?:[^\\]|\\['\"\\])*+")
_CLOSING = {"{": "}", "(": ")", "[": "]"}
_LONGEST = 50_000
"""The maximum number of characters of a module, an element or an expression."""
_DEEPEST = 200
"""The maximum number of open brackets."""
_GOES_ON = re.compile(r"[ \t]*(?:import|export)\b|[ \t]*(?://|/\*|\*)|[ \t]+\S|[.?:&|+*/=)\]}]")
_UNFINISHED = re.compile(r"(?:[=,(\[{&|?:+*-]|=>|\bfrom)[ \t]*$")
_READ = (*elements.READ_ATTRIBUTES, "label", "description", "caption", "subtitle")
_KEY = re.compile(
    rf"(?:[{{,(]|^)\s*(['\"]?)(?:{'|'.join(map(re.escape, _READ))})\1\s*:\s*$", re.IGNORECASE
)
_NOT_READ = frozenset(("Meta", "Head", "Script", "Link", "meta", "link", "script"))
"""Elements with titles that no page shows, such as those of Storybook, which name a page."""

JsxKind = Literal["open", "close", "void", "expression", "module", "comment"]


class JsxValue(NamedTuple):
    """A text in an element.

    Attributes:
        start: the offset at which it starts, after the quotation mark.
        end: the offset at which it ends.
        quote: the quotation mark.
        is_code: whether it is a string of JavaScript, not the value of an attribute.
    """

    start: int
    end: int
    quote: str
    is_code: bool


class JsxRange(NamedTuple):
    """A module, a tag, an expression or a comment.

    Attributes:
        start: the offset at which it starts.
        end: the offset at which it ends.
        kind: what it is; an element with untranslated content is an expression.
        text: the characters.
        name: of a tag.
        values: the texts in a tag.
    """

    start: int
    end: int
    kind: JsxKind
    text: str
    name: str = ""
    values: tuple[JsxValue, ...] = ()

    @property
    def is_component(self) -> bool:
        """True for a tag of a component, not of HTML."""
        is_html = self.name.isupper() and self.name.lower() in elements.KNOWN
        return self.name[:1].isupper() and not is_html

    @property
    def is_block(self) -> bool:
        """True for a tag of a component, or of an element of HTML that is a block."""
        return self.is_component or self.name in elements.BLOCK


class JsxScanner:
    """Finds the JSX of a text. What has no end is no JSX; searching in vain is limited, so hostile
    texts take linear time."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.replace("\r\n", " \n").replace("\r", "\n")
        self.budget = 20 * len(text) + 4 * _LONGEST
        """The number of characters that may be searched in vain."""

    def ranges(self) -> Iterator[JsxRange]:
        """The ranges in order; none is in another."""
        front = _FRONT_MATTER.match(self.lines)
        position = front.end() if front else 0
        while match := _MARKDOWN.search(self.lines, position):
            start, position = match.span()
            if match["fence"]:
                position = self._fence_end(match)
            elif match["span"]:
                position = self._span_end(match)
            elif match["math"]:
                formula = MATH.match(self.lines, start)
                position = formula.end() if formula else position
            elif match["module"] or match["comment"] or match["jsx"]:
                found = self._found(match)
                if found is not None:
                    yield found
                    position = found.end

    def _found(self, match: re.Match[str]) -> JsxRange | None:
        """The JSX that may begin at a match."""
        start = match.start()
        if self.budget <= 0:
            return None
        if match["comment"]:
            end = self.lines.find("-->", match.end(), start + _LONGEST)
            return self._range(start, end + 3, "comment") if end >= 0 else self._failed(start)
        if match["module"]:
            return self._module(start)
        if match["jsx"] == "<":
            return self._element(start) or self._failed(start)
        is_behind = start > 0 and self.lines[start - 1] in "*_~)]`"
        if _ATTRIBUTES.match(self.lines, start) and (is_behind or _AT_END.match(self.lines, start)):
            return None  # Attributes of an element or a heading, which Markdown reads.
        closed = self._code_end(start + 1, [])
        return self._failed(start) if closed is None else self._range(start, closed, "expression")

    def _failed(self, start: int) -> JsxRange | None:
        """No JSX; the search has been in vain."""
        self.budget -= min(len(self.text) - start, _LONGEST)
        return None

    def _range(
        self, start: int, end: int, kind: JsxKind, name: str = "", values: tuple[JsxValue, ...] = ()
    ) -> JsxRange:
        return JsxRange(start, end, kind, self.text[start:end], name, values)

    def _fence_end(self, match: re.Match[str]) -> int:
        marks = match["marks"]
        closing = re.compile(rf"^[ \t>]*{marks[0]}{{{len(marks)},}}[ \t]*$", re.MULTILINE)
        end = closing.search(self.lines, match.end())
        return end.end() if end else len(self.lines)

    def _span_end(self, match: re.Match[str]) -> int:
        """The end of a code span in the same paragraph, or of its marks."""
        closing = re.compile(rf"(?<!`){match['span']}(?!`)|\n[ \t]*\n")
        end = closing.search(self.lines, match.end()) if self.budget > 0 else None
        if end is None or "\n" in end[0]:
            self.budget -= (end.end() if end else len(self.lines)) - match.end()
            return match.end()
        return end.end()

    def _module(self, start: int) -> JsxRange | None:
        """Imports and exports up to a blank line, if they begin a block."""
        last_end = self.lines.rfind("\n", 0, start)
        before = self.lines[self.lines.rfind("\n", 0, max(last_end, 0)) + 1 : max(last_end, 0)]
        if before.strip() not in ("", "---", "+++") or not _MODULE.match(self.lines, start):
            return None
        end = self._statement_end(start)
        while end < len(self.lines) and self.budget > 0:
            line_end = (self.lines.find("\n", end + 1) + 1 or len(self.lines) + 1) - 1
            line = self.lines[end + 1 : line_end]
            last = self.lines[self.lines.rfind("\n", 0, end) + 1 : end]
            if not line.strip() or not (_GOES_ON.match(line) or _UNFINISHED.search(last)):
                break
            end = self._statement_end(end + 1)
        return self._range(start, len(self.text[:end].rstrip()), "module")

    def _statement_end(self, start: int) -> int:
        """The end of the line at which all brackets are closed."""
        stack: list[str] = []
        position, limit = start, start + _LONGEST
        while match := (_TEMPLATE if stack[-1:] == ["`"] else _CODE).search(
            self.lines, position, limit
        ):
            if match[0] == "\n" and not stack:
                return match.start()
            if len(stack) > _DEEPEST:
                break
            position = self._after(match, stack)
        self._failed(start)
        blank = self.lines.find("\n\n", start)
        return blank if blank >= 0 else len(self.lines)

    def _after(self, match: re.Match[str], stack: list[str]) -> int:
        """The offset after a token of JavaScript; the stack has the marks to come."""
        token = match[0]
        if stack[-1:] == ["`"]:
            if token == "`":
                stack.pop()
            elif token == "${":
                stack.append("}")
        elif token == "/*":
            end = self.lines.find("*/", match.end(), match.end() + _LONGEST)
            return end + 2 if end >= 0 else match.end()
        elif token in _CLOSING:
            stack.append(_CLOSING[token])
        elif token == "`":
            stack.append(token)
        elif token in stack:
            while stack.pop() != token:
                pass
        return match.end()

    def _code_end(self, start: int, values: list[JsxValue]) -> int | None:
        """The end of an expression whose brace is open; the texts under keys go into `values`."""
        stack = ["}"]
        position, limit = start, start + _LONGEST
        while stack:
            if len(stack) > _DEEPEST:
                return None
            pattern = _TEMPLATE if stack[-1] == "`" else _CODE
            match = pattern.search(self.lines, position, limit)
            if match is None:
                return None
            if match[0][0] in "'\"" and stack[-1] != "`":
                before = self.lines[max(start - 1, match.start() - 80) : match.start()]
                if _KEY.search(before):
                    values.append(
                        JsxValue(match.start() + 1, match.end() - 1, match[0][0], is_code=True)
                    )
            position = self._after(match, stack)
        return position

    def _element(self, start: int) -> JsxRange | None:
        """A tag, or an element with untranslated content."""
        match = _TAG.match(self.lines, start)
        if match is None:
            return None
        name = match["name"] or ""
        values: list[JsxValue] = []
        position = self._attributes_end(match.end(), name, values)
        if position is None:
            return None
        if name in _NOT_READ:
            values.clear()
        is_void = self.lines.startswith("/>", position)
        if not is_void and not self.lines.startswith(">", position):
            return None
        end = position + (2 if is_void else 1)
        if match["end"]:
            return None if is_void else self._range(start, end, "close", name)
        if is_void or name in elements.VOID:
            return self._range(start, end, "void", name, tuple(values))
        is_kept = re.search(r"\stranslate=(?:\"no\"|'no')", self.lines[start:end])
        if name in elements.KEPT or is_kept:
            last = self.lines.find(f"</{name}>", end, end + _LONGEST)
            if last >= 0:
                return self._range(start, last + len(name) + 3, "expression")
        return self._range(start, end, "open", name, tuple(values))

    def _attributes_end(self, position: int, name: str, values: list[JsxValue]) -> int | None:
        """The end of the attributes of a tag; None if it is no tag."""
        limit = position + _LONGEST
        while position < limit:
            while self.lines[position : position + 1].isspace():
                position += 1
            if self.lines[position : position + 1] == "{":
                closed = self._code_end(position + 1, [])
                if closed is None:
                    return None
                position = closed
                continue
            attribute = _ATTRIBUTE.match(self.lines, position) if name else None
            if attribute is None:
                return position
            position = attribute.end()
            if attribute["equals"]:
                is_read = attribute["name"].lower() in _READ
                after = self._value_end(position, is_read, values)
                if after is None:
                    return None
                position = after
        return None

    def _value_end(self, position: int, is_read: bool, values: list[JsxValue]) -> int | None:
        """The end of the value of an attribute; the texts in it go into `values`."""
        if self.lines[position : position + 1] == "{":
            inner: list[JsxValue] = []
            end = self._code_end(position + 1, inner)
            only = _CODE.match(self.lines, position + 1)
            if end is not None and is_read and only and only.end() == end - 1:
                quote = only[0][0]
                inner = [JsxValue(only.start() + 1, only.end() - 1, quote, is_code=True)]
            values += (each for each in inner if self._is_simple(each))
            return end
        match = _STRING.match(self.lines, position, position + _LONGEST)
        if match is None:
            return None
        if is_read and match[0][0] in "\"'" and "\n" not in match[0]:
            values.append(JsxValue(match.start() + 1, match.end() - 1, match[0][0], is_code=False))
        return match.end()

    def _is_simple(self, value: JsxValue) -> bool:
        """Return whether a string of JavaScript has no escapes but those of marks."""
        characters = self.text[value.start : value.end]
        return value.quote in "\"'" and _SIMPLE.fullmatch(characters) is not None
