"""The places of the objects and strings of a JSON text, and JSON written in the style of a text:
for formats that add to a file of others."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from docmt_files.core.patches import Patch
from docmt_files.strings.json_strings import JSON_TOKEN, json_escaper, json_literal

_SURROGATE = re.compile("[\ud800-\udfff]")
_INDENT = re.compile(r"(\r?\n)([ \t]+)\"")


@dataclass(slots=True)
class JsonNode:
    """An object, a list or a string.

    Attributes:
        start, end: the range; of a string, between the quotation marks.
        key_start: the offset of the key of a member, at the quotation mark.
        members: the members of an object that are objects, lists or strings, in order; those of
            objects in a list have no names, and are left out.
    """

    start: int
    end: int = 0
    key_start: int = 0
    members: dict[str, JsonNode] = field(default_factory=dict)

    def at(self, path: Sequence[str]) -> JsonNode | None:
        """Return the node at a path of keys, or None."""
        node: JsonNode | None = self
        for key in path:
            node = None if node is None else node.members.get(key)
        return node


def json_tree(text: str) -> JsonNode:
    """The nodes of a JSON text that has been checked."""
    root = JsonNode(0, len(text))
    stack = [root]
    key, key_start = "", 0
    for match in JSON_TOKEN.finditer(text):
        sign = match[0]
        if sign in ("{", "["):
            node = JsonNode(match.start(), 0, key_start)
            stack[-1].members[key] = node
            stack.append(node)
        elif sign in ("}", "]"):
            stack.pop().end = match.end()
        elif sign != "," and match[2] is not None:
            key, key_start = json_literal(text, *match.span(1)).value, match.start()
        elif sign != ",":
            stack[-1].members[key] = JsonNode(*match.span(1), key_start)
    return root.members.get("", root)


class JsonStyle:
    """Writes JSON in the style of a text: its indentation, line ends, escapes and the space around
    colons, as Xcode's ` : `."""

    def __init__(self, text: str) -> None:
        self.text = text
        indent = _INDENT.search(text)
        self.newline, self.unit = (indent[1], indent[2]) if indent else ("", "")
        self.colon = " : " if '" : ' in text else ": " if '": ' in text else ":"
        self._escape = json_escaper(text)

    def escape(self, text: str) -> str:
        """A text as it stands between quotation marks; halves of characters are escapes."""
        return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", self._escape(text))

    def line(self, depth: int) -> str:
        """The beginning of a line in so many objects."""
        return self.newline + self.unit * depth

    def member(self, key: str, value: Any, depth: int) -> str:
        """A member of an object at a depth, from 1 for the members of the outermost."""
        return f'"{self.escape(key)}"{self.colon}{self.value(value, depth)}'

    def value(self, value: Any, depth: int) -> str:
        """A value that begins at a depth."""
        if isinstance(value, Mapping):
            members = (self.member(key, each, depth + 1) for key, each in value.items())
            inner = f",{self.line(depth + 1)}".join(members)
            return f"{{{self.line(depth + 1)}{inner}{self.line(depth)}}}"
        if isinstance(value, str):
            return f'"{self.escape(value)}"'
        # Numbers have been read as floats, however long they are.
        is_whole = isinstance(value, float) and value.is_integer()
        return json.dumps(int(value) if is_whole else value)

    def inserted(self, parent: JsonNode, key: str, value: Any, depth: int) -> Patch:
        """The patch that puts a new member into an object whose members are at a depth: in the
        order of keys, if they are in order."""
        new = self.member(key, value, depth)
        keys = list(parent.members)
        in_order = all(first <= second for first, second in pairwise(keys))
        after = next((k for k in keys if k > key), None) if in_order else None
        if after is not None:
            start = parent.members[after].key_start
            return start, start, f"{new},{self.line(depth)}"
        inner = self.text[parent.start + 1 : parent.end - 1]
        if not inner.strip():
            filled = f"{self.line(depth)}{new}{self.line(depth - 1)}"
            return parent.start + 1, parent.end - 1, filled
        end = parent.start + 1 + len(inner.rstrip())
        return end, end, f",{self.line(depth)}{new}"
