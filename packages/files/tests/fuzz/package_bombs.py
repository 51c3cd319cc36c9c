"""Packages made on purpose whose parts become huge, or take more than linear time."""

from __future__ import annotations

import io
import random
import struct
import zipfile
import zlib
from pathlib import Path

from docmt_files import FORMATS, Input
from formats.every_format import samples_of, write_sample

# Archives

PACKAGES = ("docx", "pptx", "xlsx", "odf", "epub")
_LEVEL = 9


def deflated(unit: bytes, times: int) -> bytes:
    """A raw deflate stream of a unit many times, made without the whole of it."""
    one = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15)
    block = one.compress(unit) + one.flush(zlib.Z_FULL_FLUSH)
    return block * times + zlib.compressobj(_LEVEL, zlib.DEFLATED, -15).flush()


def write_packages(folder: Path) -> None:
    """A sound package of each format."""
    for file_format in FORMATS:
        if file_format.name in PACKAGES:
            name, content = next(iter(samples_of(file_format).SAMPLES.items()))
            write_sample(folder, name, content)


def _entries(path: Path) -> list[tuple[zipfile.ZipInfo, bytes]]:
    with zipfile.ZipFile(path) as package:
        return [(entry, package.read(entry)) for entry in package.infolist()]


def _local(name: bytes, method: int, crc: int, packed: int, size: int) -> bytes:
    values = (0x04034B50, 20, 0, method, 0, 33, crc, packed, size, len(name), 0)
    return struct.pack("<IHHHHHIIIHH", *values) + name


def _central(name: bytes, method: int, crc: int, packed: int, size: int, at: int) -> bytes:
    values = (0x02014B50, 20, 20, 0, method, 0, 33, crc, packed, size)
    return struct.pack("<IHHHHHHIIIHHHHHII", *values, len(name), 0, 0, 0, 0, 0, at) + name


def _end(entries: int, size: int, at: int) -> bytes:
    count = min(entries, 0xFFFF)
    return struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count, count, size, at, 0)


def _archive(parts: list[tuple[bytes, int, int, bytes, int]], *, shared: int = 0) -> bytes:
    """An archive of (name, method, CRC, packed content, claimed size).

    Args:
        shared: so many more entries that are the content of the last part.
    """
    body, directory, count = io.BytesIO(), io.BytesIO(), len(parts) + shared
    for name, method, crc, packed, size in parts:
        at = body.tell()
        body.write(_local(name, method, crc, len(packed), size) + packed)
        directory.write(_central(name, method, crc, len(packed), size, at))
    for number in range(shared):
        directory.write(_central(b"%d.xml" % number, method, crc, len(packed), size, at))
    start = body.tell()
    body.write(directory.getvalue())
    return body.getvalue() + _end(count, body.tell() - start, start)


def explode_package(folder: Path, draw: random.Random) -> None:
    """Read a package in which a part becomes gigabytes, claims another size, shares its content
    with others, or is one of too many."""
    file = draw.choice(sorted(folder.iterdir()))
    entries = _entries(file)
    chosen = draw.randrange(len(entries))
    unit = draw.choice([b" ", b"<a>", b"<w:r/>", b"x", b"\0", b"&lt;", b"</a>"]) * (1 << 16)
    times = draw.choice([1, 40, 4_000, 30_000])
    parts = []
    for number, (entry, content) in enumerate(entries):
        packed, size, crc = deflated(content, 1), len(content), zlib.crc32(content)
        if number == chosen and times == 1:
            packed, size, crc = deflated(unit, 1), len(unit), zlib.crc32(unit)
        elif number == chosen:
            unit = draw.choice([content[:5000] + unit, unit])
            packed = deflated(unit, times)
            real = len(unit) * times
            size = draw.choice([min(real, 0xFFFFFFFE), len(content), 0, 0xFFFFFFFF])
        parts.append((entry.filename.encode(), 8, crc, packed, size))
    if draw.random() < 0.2:
        parts.append(parts.pop(chosen))
    shared = draw.choice([0, 0, 0, 100, 9_000, 70_000])
    file.unlink()
    file.write_bytes(_archive(parts, shared=shared))
    read_and_fill(file)


def read_and_fill(path: Path) -> None:
    """Read a file and fill it with its own sentences."""
    documents, skeleton = Input().read(str(path), "en", "de")
    skeleton.fill_and_report([document.translated(document.source) for document in documents])


# Parts of packages

INNER: dict[str, list[str]] = {
    "docx": ["<w:p>", "<w:r><w:t>x </w:t></w:r>", "<w:tbl><w:tr><w:tc>", "<w:sdt>", "<w:tab/>"],
    "pptx": ["<a:p>", "<a:r><a:t>x </a:t></a:r>", "<p:grpSp>", "<a:br/>"],
    "xlsx": ["<si><t>x y</t></si>", '<c r="XFD1048576" t="s"><v>0</v></c>', "<row>"],
    "odf": [
        '<text:s text:c="1000000000"/>',
        '<table:table-cell table:number-columns-repeated="1000000000"/>',
        "<text:span>",
        '<text:p xmlns:text="x">',
    ],
    "epub": ["<div>", "<p>x</p>", '<itemref idref="a"/>', "<a href='x#y'>", "<b>x"],
}
ANYWHERE = [
    "<!-- ",
    "<![CDATA[x",
    "<a ",
    ' a="b"',
    "&#x41;",
    "&amp;",
    "<x:y xmlns:x='z'>",
    "<a>",
    "<a/>",
    "x",
    "x. ",
    "\n",
]


def swell_part(folder: Path, draw: random.Random) -> None:
    """Read a package in a part of which something is repeated many thousand times."""
    file = draw.choice(sorted(folder.iterdir()))
    entries = _entries(file)
    texts = [number for number, (_, content) in enumerate(entries) if b"<" in content]
    chosen = max(draw.choices(texts, k=2), key=lambda number: len(entries[number][1]))
    kind = next(f.name for f in FORMATS if file.suffix in f.suffixes)
    unit = draw.choice([*INNER[kind] * 3, *ANYWHERE]).encode()
    content = entries[chosen][1]
    places = [0, len(content), *(i + 1 for i, byte in enumerate(content[:20_000]) if byte == 62)]
    at = draw.choice(places)
    times = draw.choice([300, 10_000, 100_000])
    content = content[:at] + unit * times + content[at:]
    file.unlink()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for number, (entry, old) in enumerate(entries):
            package.writestr(entry.filename, content if number == chosen else old)
    read_and_fill(file)
