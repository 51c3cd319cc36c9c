"""Mutations of real files: bits, spans, lines, numbers and the tokens that formats give meaning."""

from __future__ import annotations

import random
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

TOKENS = [
    b"<d>\n",
    b"\n",
    b"\n\n",
    b"\r\n",
    b"\r",
    b"\0",
    b"\t",
    b"\x0b",
    b"\x0c",
    b"\x1b",
    b"\x7f",
    "\ufeff".encode(),
    "\u2028".encode(),
    "\u0085".encode(),
    "\u202e".encode(),
    "\ufffd".encode(),
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    "ßıİ".encode(),
    "中。中。".encode(),
    "👩‍👩‍👧".encode(),
    b"....",
    b"DOTDOT",
    b"@@ ",
    "▁".encode(),
    b"<s>",
    b"</s>",
    b"<unk>",
    b"<pad>",
    b"[de]",
    b"[" * 500,
    b'{"a":' * 500,
    b"}",
    b"]",
    b'"',
    b"'",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b",",
    b":",
    b"- ",
    b"? ",
    b"&a ",
    b"*a",
    b"<<: *a",
    b"!!python/object/apply:os.system [x]",
    b"!!bool q",
    b"!!timestamp x",
    b"1:59:59",
    b"null",
    b"true",
    b"NaN",
    b"Infinity",
    b"-1",
    b"0",
    b"1e308",
    b"1e-308",
    b"9" * 40,
    b"../../../etc/passwd",
    b"/dev/zero",
    b"a" * 300,
    b"__class__",
    b"%s",
    b"*?+()[",
]
NUMBERS = [b"0", b"-1", b"1", b"1e308", b"1048576", b"1000000000", b"9" * 25, b"nan", b"0.5", b""]
_ELEMENT = re.compile(rb"<([\w:]+)(?: [^<>]*)?(?:/>|>(?:(?!<\1[ >/])[\s\S]){0,400}?</\1>)")
_NUMBER = re.compile(rb"\d+(?:\.\d+)?")

Change = Callable[[bytes, random.Random], bytes]


def _span(data: bytes, draw: random.Random, longest: int = 64) -> tuple[int, int]:
    start = draw.randrange(len(data) + 1)
    return start, min(len(data), start + draw.randint(1, longest))


def flip(data: bytes, draw: random.Random) -> bytes:
    """Flip a bit."""
    if not data:
        return data
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]


def delete(data: bytes, draw: random.Random) -> bytes:
    """Delete a span."""
    start, end = _span(data, draw)
    return data[:start] + data[end:]


def repeat(data: bytes, draw: random.Random) -> bytes:
    """Repeat a span, up to some hundred times."""
    start, end = _span(data, draw)
    return data[:end] + data[start:end] * draw.choice([1, 1, 2, 200]) + data[end:]


def insert(data: bytes, draw: random.Random) -> bytes:
    """Insert a token."""
    at = draw.randrange(len(data) + 1)
    return data[:at] + draw.choice(TOKENS) + data[at:]


def overwrite(data: bytes, draw: random.Random) -> bytes:
    """Put a token over a span."""
    start, end = _span(data, draw)
    return data[:start] + draw.choice(TOKENS) + data[end:]


def truncate(data: bytes, draw: random.Random) -> bytes:
    """Cut the end off."""
    return data[: draw.randrange(len(data) + 1)]


def swap_lines(data: bytes, draw: random.Random) -> bytes:
    """Move a line elsewhere."""
    lines = data.split(b"\n")
    line = lines.pop(draw.randrange(len(lines)))
    lines.insert(draw.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


def change_number(data: bytes, draw: random.Random) -> bytes:
    """Replace a number by an extreme one."""
    found = list(_NUMBER.finditer(data[:200_000]))
    if not found:
        return insert(data, draw)
    number = draw.choice(found)
    return data[: number.start()] + draw.choice(NUMBERS) + data[number.end() :]


CHANGES: list[Change] = [
    flip,
    delete,
    repeat,
    insert,
    insert,
    overwrite,
    truncate,
    swap_lines,
    change_number,
]


def mutate(data: bytes, draw: random.Random) -> bytes:
    """Apply one to four changes."""
    for _ in range(draw.choice([1, 1, 2, 4])):
        data = draw.choice(CHANGES)(data, draw)
    return data


def mutate_file(path: Path, draw: random.Random) -> None:
    """Mutate a file; one time in thirty it is missing, a folder or empty."""
    kind = draw.randrange(90)
    data = path.read_bytes()
    path.unlink()
    if kind == 0:
        return
    if kind == 1:
        path.mkdir()
        return
    path.write_bytes(b"" if kind == 2 else mutate(data, draw))


def move_element(data: bytes, draw: random.Random) -> bytes:
    """Delete, repeat or move an element of XML, which stays well-formed."""
    found = list(_ELEMENT.finditer(data))
    if not found:
        return data
    element, other = draw.choice(found), draw.choice(found)
    kind = draw.randrange(4)
    if kind == 0:
        return data[: element.start()] + data[element.end() :]
    if kind == 1:
        return data[: element.end()] + element[0] + data[element.end() :]
    if kind == 2:
        return data[: other.start()] + element[0] + data[other.start() :]
    first, second = sorted([element, other], key=lambda match: match.start())
    if first.end() > second.start():
        return data
    return (
        data[: first.start()]
        + second[0]
        + data[first.end() : second.start()]
        + first[0]
        + data[second.end() :]
    )


def mutate_part(path: Path, draw: random.Random) -> None:
    """Mutate a part of a package."""
    with zipfile.ZipFile(path) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    name = max(draw.choices(list(parts), k=2), key=lambda name: len(parts[name]))
    change = draw.choice([mutate, move_element, move_element])
    path.unlink()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for own, content in parts.items():
            if own == name:
                content = change(content, draw)
            package.writestr(own, content)
