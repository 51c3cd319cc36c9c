"""Mutations of real files: bits, spans, lines, numbers and the tokens that formats give meaning."""

from __future__ import annotations

import json
import os
import random
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
    b"&a;",
    b'<!DOCTYPE a [<!ENTITY a "b">]>',
    b'<!ENTITY % a SYSTEM "/dev/zero"> %a;',
    b'<?xml version="1.0" encoding="windows-1252"?>',
    b"<meta charset=koi8-r>",
    b"charset=CP1251",
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


def recode(data: bytes, draw: random.Random) -> bytes:
    """A text in another encoding, whatever it declares."""
    codec = draw.choice(["utf-16-le", "utf-16-be", "utf-16", "utf-32", "cp1252", "koi8-r", "gbk"])
    return data.decode("utf-8", "replace").encode(codec, "replace")


def mutate(data: bytes, draw: random.Random) -> bytes:
    """Apply one to four changes; one time in twenty in another encoding."""
    if draw.randrange(20) == 0:
        data = recode(data, draw)
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


VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1, 3, 10**6, 10**12, 10**30, 0.5, 1e308, -1e308),
    *(float("nan"), float("inf"), float("-inf")),
    *("", "x", "a\nb\x1b[31m\u202e", "../../etc/passwd", "/dev/zero", "\ud800", "9" * 5000),
    *([], {}, [[]], {"": None}, [None], ["x"] * 40, {"x": {"y": [1]}}, [0] * 1000),
]
"""Values of JSON that a program may not expect."""


def change_json(value: Any, draw: random.Random) -> Any:
    """A value of JSON in which a part is replaced, left out, repeated or renamed."""
    if not isinstance(value, dict | list) or not value or draw.random() < 0.1:
        return draw.choice(VALUES)
    keys = list(value) if isinstance(value, dict) else range(len(value))
    key = draw.choice(keys)
    kind = draw.random()
    if kind < 0.6:
        value[key] = change_json(value[key], draw)
    elif kind < 0.8:
        del value[key]
    elif isinstance(value, dict):
        value[draw.choice(["x", "", "\ud800", draw.choice(keys)])] = value.pop(key)
    else:
        value.insert(draw.randrange(len(value) + 1), value[key])
    return value


def mutate_json(data: bytes, draw: random.Random) -> bytes:
    """Change a value of a JSON text, or of one of its lines; other bytes by `mutate`."""
    lines = data.splitlines()
    try:
        if len(lines) > 1 and lines[1][:1] == b"{":
            number = draw.randrange(len(lines))
            lines[number] = mutate_json(lines[number], draw)
            return b"\n".join(lines) + b"\n"
        value = json.loads(data)
    except ValueError:
        return mutate(data, draw)
    for _ in range(draw.choice([1, 1, 2])):
        value = change_json(value, draw)
    return json.dumps(value).encode()


def mutate_tensors(data: bytes, draw: random.Random) -> bytes:
    """Change the header of a file of safetensors, which is JSON after its length."""
    length = int.from_bytes(data[:8], "little")
    header = mutate_json(data[8 : 8 + length], draw)
    length = draw.choice([len(header)] * 9 + [1 << 60])
    return length.to_bytes(8, "little") + header + data[8 + length :]


STRUCTURED: dict[str, Change] = {
    **dict.fromkeys((".json", ".jsonl"), mutate_json),
    ".safetensors": mutate_tensors,
}
"""Changes of values by the ending of a file's name."""


def _write_sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 36)


PLANTED: list[Callable[[Path], None]] = [
    lambda path: path.symlink_to("/dev/zero"),
    lambda path: path.symlink_to("/dev/full"),
    lambda path: path.symlink_to("nothing"),
    lambda path: path.symlink_to(path.name),
    lambda path: path.symlink_to("/proc/self/mem"),
    lambda path: os.mkfifo(path),
    lambda path: path.mkdir(),
    _write_sparse,
]
"""What may stand in the place of a file: devices, links, pipes, folders, 64 GiB without content."""


def mutate_stored(path: Path, draw: random.Random) -> None:
    """Damage a file of a folder that comes from elsewhere: its bytes, its values, or all of it."""
    if draw.random() < 0.15:
        path.unlink()
        draw.choice(PLANTED)(path)
    else:
        mutate_values(path, draw)


def mutate_values(path: Path, draw: random.Random) -> None:
    """Damage a file that a user names: its bytes, or its values."""
    if draw.random() < 0.5 and path.suffix in STRUCTURED:
        data = path.read_bytes()
        path.unlink()
        path.write_bytes(STRUCTURED[path.suffix](data, draw))
    else:
        mutate_file(path, draw)


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
        methods = {entry.filename: entry.compress_type for entry in package.infolist()}
    name = max(draw.choices(list(parts), k=2), key=lambda name: len(parts[name]))
    change = draw.choice([mutate, move_element, move_element])
    path.unlink()
    with zipfile.ZipFile(path, "w") as package:
        for own, content in parts.items():
            if own == name:
                content = change(content, draw)
            package.writestr(own, content, methods[own])
