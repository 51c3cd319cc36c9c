"""Packages: zip archives of parts, such as files of office suites and e-books.

Nothing is unpacked to disk. A package is refused if it is damaged or encrypted, has duplicate names
or names leading out of a folder, or expands to more than text can. Unchanged entries are copied in
their compressed form, in order and with their times, so a package without changes is the same file,
byte for byte.
"""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import pairwise
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipInfo

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.core.blocks import Blocks, BlockSkeleton, read_document
from docmt_files.core.inline import Block
from docmt_files.core.patches import Patch
from docmt_files.storage.files import COPY_AGAIN, PathLike, open_binary
from docmt_files.storage.text_bound import MAX_EXPANSION, MIN_EXPANDED_BYTES

MAX_PACKAGE_BYTES = 1 << 30
"""The most bytes of a package."""

MAX_ENTRIES = 10_000
"""The most entries of a package."""

MAX_READ_BYTES = 200_000_000
"""Limit of the expanded size of all parts read from a package, in bytes."""

_BLOCK = 1 << 20
"""The bytes of one read."""

_MAX_DIRECTORY_BYTES = 400 * MAX_ENTRIES

_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s4B4H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_ENCRYPTED, _DESCRIPTOR, _UTF8 = 0x1, 0x8, 0x800
_ZIP64 = 1
"""The id of the extra field with large sizes, not needed by any written package."""

_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""First bytes of a compound file."""

_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
    NotImplementedError,
    OverflowError,
    MemoryError,
    struct.error,
    IndexError,
)
"""Errors from reading a damaged archive."""


class Package:
    """The entries of a package.

    Args:
        data: the file.
        path: the path of the file, for errors.

    Raises:
        InputError: the file is not a zip archive, damaged, encrypted, too large, or has entries
            with names or ranges impossible in a sound package.
    """

    def __init__(self, data: bytes, path: PathLike) -> None:
        self.path = path
        self._data = data
        self._read_bytes = 0
        if data.startswith(_OLD_OFFICE):
            raise InputError(
                "is protected by a password, or in the format of an old version of Office",
                path=path,
                cure="Open it in its program, remove the password, and save it as .docx, .pptx or "
                ".xlsx",
            )
        self._check_directory()
        try:
            self._zip = zipfile.ZipFile(BytesIO(data))
            entries = self._zip.infolist()
        except _DAMAGE as error:
            raise self._damaged(error) from None
        self._check_entries(entries)
        self._entries = {entry.filename: entry for entry in entries}
        self._ranges = dict(self._find_ranges(entries))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the entries, in order."""
        return tuple(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def read(self, name: str) -> bytes:
        """The content of an entry.

        Raises:
            InputError: it is missing or damaged, or expands to more than text can.
        """
        entry = self._entries.get(name)
        if entry is None:
            raise InputError(
                f"has no part {name!r}", path=self.path, cure="Save it again in its program"
            )
        self._read_bytes += entry.file_size
        allowed = max(MAX_EXPANSION * entry.compress_size, MIN_EXPANDED_BYTES)
        if entry.file_size > allowed or self._read_bytes > MAX_READ_BYTES:
            raise InputError(
                f"part {name!r} expands to {entry.file_size:,} bytes, which is more than text can",
                path=self.path,
                cure="Check where the file comes from",
            )
        return self._content(entry)

    def replaced(self, changes: Mapping[str, bytes]) -> bytes:
        """The package with new contents of some entries.

        Args:
            changes: the new contents by name. Contents equal to the old ones are not changes.
        """
        changes = {
            name: new for name, new in changes.items() if new != self._content(self._entries[name])
        }
        if not changes:
            return self._data
        out = bytearray()
        directory: dict[str, bytes] = {}
        for name, (start, end) in sorted(self._ranges.items(), key=lambda item: item[1]):
            entry = self._entries[name]
            content = self._data[start:end]
            method, crc, size = entry.compress_type, entry.CRC, entry.file_size
            if name in changes:
                method = method if method == ZIP_STORED else ZIP_DEFLATED
                content, crc = _compressed(changes[name], method), zlib.crc32(changes[name])
                size = len(changes[name])
            offset = len(out)
            local, directory[name] = _headers(entry, offset, method, crc, len(content), size)
            out += local + content
        start = len(out)
        out += b"".join(directory[name] for name in self._entries)
        count, comment = len(self._entries), self._zip.comment
        size = len(out) - start
        out += _END.pack(b"PK\5\6", 0, 0, count, count, size, start, len(comment)) + comment
        return bytes(out)

    def _content(self, entry: ZipInfo) -> bytes:
        try:
            return self._zip.read(entry)
        except _DAMAGE as error:
            raise self._damaged(error, entry.filename) from None

    def _check_directory(self) -> None:
        """Check the size of the list of entries, for reading in a moment."""
        position = self._data.rfind(b"PK\5\6", max(0, len(self._data) - _END.size - 0xFFFF))
        if position < 0 or position + _END.size > len(self._data):
            raise self._damaged(None)
        size = _END.unpack_from(self._data, position)[5]
        if size > _MAX_DIRECTORY_BYTES:
            raise self._too_many()

    def _check_entries(self, entries: Sequence[ZipInfo]) -> None:
        """Check the names and flags of entries."""
        path = self.path
        if len(entries) > MAX_ENTRIES:
            raise self._too_many()
        seen = set()
        for entry in entries:
            name = entry.filename
            if entry.flag_bits & _ENCRYPTED:
                raise InputError(
                    f"part {name!r} is encrypted",
                    path=path,
                    cure="Remove the password in its program, and save it again",
                )
            steps = name.replace("\\", "/").split("/")
            if ".." in steps or steps[0] == "" or ":" in steps[0] or "\0" in entry.orig_filename:
                raise InputError(
                    f"part {name!r} has a name that leads out of the package",
                    path=path,
                    cure="Check where the file comes from",
                )
            if name in seen:
                raise InputError(
                    f"part {name!r} is in it twice", path=path, cure="Save it again in its program"
                )
            seen.add(name)

    def _find_ranges(self, entries: Sequence[ZipInfo]) -> Iterator[tuple[str, tuple[int, int]]]:
        """Return where the compressed content of each entry is. No two overlap."""
        ranges = []
        for entry in entries:
            start = entry.header_offset
            if start < 0 or start + _LOCAL.size > len(self._data):
                raise self._damaged(None, entry.filename)
            fields = _LOCAL.unpack_from(self._data, start)
            content = start + _LOCAL.size + fields[9] + fields[10]
            end = content + entry.compress_size
            if fields[0] != b"PK\3\4" or end > self._zip.start_dir:
                raise self._damaged(None, entry.filename)
            ranges.append((start, end, entry.filename))
            yield entry.filename, (content, end)
        for (_, end, _), (start, _, name) in pairwise(sorted(ranges)):
            if start < end:
                raise self._damaged(None, name)

    def _damaged(self, error: BaseException | None, name: str | None = None) -> InputError:
        part = f"part {name!r} " if name else ""
        reason = f" ({error})" if error and str(error) else ""
        if name or self._data[:2] == b"PK":
            return InputError(f"{part}is damaged{reason}", path=self.path, cure=COPY_AGAIN)
        cure = f"{COPY_AGAIN}, or name it as what it is: its name says that it is an archive"
        return InputError(f"is not a zip archive{reason}", path=self.path, cure=cure)

    def _too_many(self) -> InputError:
        return InputError(
            f"has more than {MAX_ENTRIES:,} parts",
            path=self.path,
            cure="Divide it into several files",
        )


def read_package(path: PathLike) -> Package:
    """Read a package.

    Args:
        path: the file, or `-` for standard input.

    Raises:
        InputError: as `Package`, or the file cannot be read.
    """
    data = bytearray()
    try:
        with open_binary(path) as stream:
            while block := stream.read(_BLOCK):
                data += block
                if len(data) > MAX_PACKAGE_BYTES:
                    raise InputError(
                        f"has more than {MAX_PACKAGE_BYTES:,} bytes",
                        path=path,
                        cure="Divide it into several files",
                    )
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise InputError(f"cannot be read ({error})", path=path, cure=COPY_AGAIN) from None
    return Package(bytes(data), path)


class PackagePart(NamedTuple):
    """A part of a package with text to translate.

    Attributes:
        name: the name of the entry.
        text: the text of the part.
        encode: the bytes of the part with another text.
    """

    name: str
    text: str
    encode: Callable[[str], bytes]


_BETWEEN = "\0"
"""Separator of the texts of parts; no XML holds it."""


def read_parts(
    package: Package,
    parts: Sequence[PackagePart],
    language: str,
    find: Callable[[str, str], Blocks],
    notes: Iterable[str] = (),
) -> tuple[list[Document], BlockSkeleton]:
    """Several parts of a package as one document, named after the file.

    Args:
        package: the package.
        parts: the parts, in the order of translation.
        language: the code of the language whose rules split sentences.
        find: finds the blocks of a part, given its name and text.
        notes: further notes on the package for the user.

    Raises:
        InputError: no part has a sentence.
    """
    names = [part.name for part in parts]
    text = _BETWEEN.join(part.text for part in parts)

    def find_all(text: str) -> Blocks:
        texts = text.split(_BETWEEN)
        if len(texts) != len(names):
            return Blocks([])
        return _joined(
            texts, [find(name, part_text) for name, part_text in zip(names, texts, strict=True)]
        )

    def encode(text: str) -> bytes:
        texts = text.split(_BETWEEN)
        return package.replaced(
            {
                part.name: part.encode(part_text)
                for part, part_text in zip(parts, texts, strict=True)
            }
        )

    blocks = find_all(text)
    blocks = blocks._replace(kept=(*blocks.kept, *notes))
    return read_document(package.path, text, blocks, language, find_all, encode)


def _joined(texts: Sequence[str], blocks_of_parts: Sequence[Blocks]) -> Blocks:
    """The blocks of several texts as blocks of one text, the concatenation."""
    blocks: list[Block] = []
    patches: list[Patch] = []
    offset = 0
    for text, of_part in zip(texts, blocks_of_parts, strict=True):
        blocks += (block.moved(offset) for block in of_part.blocks)
        patches += ((start + offset, end + offset, new) for start, end, new in of_part.patches)
        offset += len(text) + len(_BETWEEN)
    return Blocks(
        blocks, tuple(patches), tuple(note for of_part in blocks_of_parts for note in of_part.kept)
    )


def _compressed(content: bytes, method: int) -> bytes:
    """A content as an archive holds it; the same for the same content."""
    if method == ZIP_STORED:
        return content
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(content) + compressor.flush()


def _headers(
    entry: ZipInfo, offset: int, method: int, crc: int, compressed: int, size: int
) -> tuple[bytes, bytes]:
    """Return the bytes before the content of an entry, and the line in the list of entries."""
    year, month, day, hour, minute, second = entry.date_time
    date, time = (year - 1980) << 9 | month << 5 | day, hour << 11 | minute << 5 | second // 2
    flags = entry.flag_bits & ~_DESCRIPTOR
    name = entry.filename.encode("utf-8" if flags & _UTF8 else "cp437")
    extra = _without_zip64(entry.extra)
    version = min(entry.extract_version, 20) if method == ZIP_DEFLATED else entry.extract_version
    numbers = (flags, method, time, date, crc, compressed, size, len(name), len(extra))
    local = _LOCAL.pack(b"PK\3\4", version, *numbers) + name + extra
    central = _CENTRAL.pack(
        b"PK\1\2",
        entry.create_version,
        entry.create_system,
        version & 0xFF,
        entry.reserved,
        *numbers,
        len(entry.comment),
        0,
        entry.internal_attr,
        entry.external_attr,
        offset,
    )
    return local, central + name + extra + entry.comment


def _without_zip64(extra: bytes) -> bytes:
    """Extra fields of an entry without fields for large sizes."""
    kept = b""
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<2H", extra)
        if kind != _ZIP64:
            kept += extra[: 4 + size]
        extra = extra[4 + size :]
    return kept
