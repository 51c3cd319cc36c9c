"""Packages: entries are copied or replaced, and hostile archives are refused."""

from __future__ import annotations

import io
import struct
import zipfile
from functools import partial

import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.core.blocks import Blocks
from docmt_files.core.inline import Block, Text
from docmt_files.core.zip_package import Package, PackagePart, read_package, read_parts


def archive(*entries, comment=b""):
    """A zip file of (name, content) or (name, content, method)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        package.comment = comment
        for name, content, *method in entries:
            info = zipfile.ZipInfo(name, (1999, 12, 31, 23, 59, 58))
            info.compress_type = method[0] if method else zipfile.ZIP_DEFLATED
            info.external_attr = 0o600 << 16
            package.writestr(info, content)
    return out.getvalue()


SOUND = archive(
    ("mimetype", b"application/x", zipfile.ZIP_STORED),
    ("Größe.xml", b"<a>text</a>" * 50),
    ("folder/", b""),
    ("folder/image.png", bytes(range(256)) * 9),
    comment=b"a comment",
)


def test_a_package_without_changes_is_the_same():
    package = Package(SOUND, "a.zip")
    assert package.replaced({}) == SOUND
    assert package.replaced({"mimetype": package.read("mimetype")}) == SOUND


def test_only_what_changes_is_written_anew():
    changed = Package(SOUND, "a.zip").replaced({"Größe.xml": b"<a>new</a>"})
    with zipfile.ZipFile(io.BytesIO(SOUND)) as old, zipfile.ZipFile(io.BytesIO(changed)) as new:
        assert new.testzip() is None
        assert new.comment == b"a comment"
        assert new.namelist() == old.namelist()
        assert new.read("Größe.xml") == b"<a>new</a>"
        for a, b in zip(old.infolist(), new.infolist(), strict=True):
            assert (a.date_time, a.compress_type, a.external_attr) == (
                b.date_time,
                b.compress_type,
                b.external_attr,
            )
            if a.filename != "Größe.xml":
                assert old.read(a) == new.read(b)
                assert (a.CRC, a.compress_size) == (b.CRC, b.compress_size)
    assert changed[:4] == b"PK\3\4" and changed[30:51] == b"mimetypeapplication/x"
    assert Package(changed, "a.zip").replaced({"Größe.xml": b"<a>text</a>" * 50}) == SOUND


class Unseekable(io.RawIOBase):
    """Where writers of archives cannot go back, so that sizes follow the content."""

    def __init__(self):
        self.data = b""

    def writable(self):
        return True

    def write(self, data):
        self.data += bytes(data)
        return len(data)


def test_sizes_may_follow_the_content():
    out = Unseekable()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as writer:
        writer.writestr("a.xml", b"first" * 9)
        with writer.open("b.xml", "w", force_zip64=True) as stream:
            stream.write(b"second" * 9)
    changed = Package(out.data, "a.zip").replaced({"a.xml": b"other"})
    with zipfile.ZipFile(io.BytesIO(changed)) as new:
        assert new.testzip() is None
        assert (new.read("a.xml"), new.read("b.xml")) == (b"other", b"second" * 9)


def with_flag(data, flag):
    """An archive whose first entry has a flag."""
    central = data.index(b"PK\1\2")
    return (
        data[:6]
        + struct.pack("<H", flag)
        + data[8 : central + 8]
        + (struct.pack("<H", flag) + data[central + 10 :])
    )


def overlapping():
    """An archive whose second entry lies in the first."""
    inner = archive(("b", b"x" * 30, zipfile.ZIP_STORED))
    data = archive(("a", inner, zipfile.ZIP_STORED), ("b", b"x" * 30, zipfile.ZIP_STORED))
    at = data.rindex(b"PK\1\2")
    return data[: at + 42] + struct.pack("<L", data.index(inner)) + data[at + 46 :]


def with_directory(field, value):
    """An archive whose list of entries has another value at an offset from its end record, or
    from its last entry."""
    data = bytearray(SOUND)
    start = data.rindex(b"PK\5\6" if field == 12 else b"PK\1\2")
    data[start + field : start + field + 4] = struct.pack("<L", value)
    return bytes(data)


def twice():
    with pytest.warns(UserWarning):
        return archive(("a", b"1"), ("a", b"2"))


HOSTILE = {
    "names twice": (twice, "is in it twice"),
    "a name with ..": (lambda: archive(("a/../../b", b"")), "leads out of the package"),
    "an absolute name": (lambda: archive(("/etc/passwd", b"")), "leads out of the package"),
    "backslashes": (lambda: archive(("..\\b", b"")), "leads out of the package"),
    "a drive": (lambda: archive(("C:/b", b"")), "leads out of the package"),
    "encryption": (lambda: with_flag(SOUND, 0x1), "is encrypted"),
    "overlapping entries": (overlapping, "damaged"),
    "a huge list of entries": (partial(with_directory, 12, 2**31), "parts"),
    "an entry beyond the end": (partial(with_directory, 42, 2**20), "damaged"),
    "no archive": (lambda: b"A text that is long enough.", "is not a zip archive"),
    "nothing": (lambda: b"", "is not a zip archive"),
    "an old document": (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "password"),
    "too many entries": (lambda: archive(*((f"{i}", b"") for i in range(10_001))), "10,000 parts"),
    "an end cut off": (lambda: SOUND[:-30], "damaged"),
    "a beginning cut off": (lambda: b"PK" + SOUND[60:], "damaged"),
}


@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_hostile_archive_is_refused(case):
    make, message = HOSTILE[case]
    with pytest.raises(InputError, match=message):
        Package(make(), "a.docx")


def test_a_part_that_expands_to_more_than_text_is_refused():
    package = Package(archive(("bomb.xml", b"\0" * 20_000_000)), "a.docx")
    with pytest.raises(InputError, match=r"'bomb.xml' expands to 20,000,000 bytes"):
        package.read("bomb.xml")


def test_a_damaged_or_missing_part_is_named():
    at = SOUND.index(b"<a>") if b"<a>" in SOUND else 110
    package = Package(SOUND[:at] + bytes([SOUND[at] ^ 0xFF]) + SOUND[at + 1 :], "a.docx")
    with pytest.raises(InputError, match=r"'Größe.xml' is damaged"):
        package.read("Größe.xml")
    with pytest.raises(InputError, match=r"has no part 'b.xml'"):
        package.read("b.xml")


def lines(_, text):
    """Each line is a block."""
    blocks, at = [], 0
    for line in text.splitlines(keepends=True):
        end = at + len(line.rstrip())
        blocks.append(Block((Text(at, end, text[at:end]),), lambda text, _: text))
        at += len(line)
    return Blocks(blocks, patches=((len(text), len(text), "+"),), kept=("a note",))


def test_parts_are_one_document(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(archive(("b", b"One.\nTwo."), ("a", b"Three.\nOne."), ("c", b"Four.")))
    package = read_package(path)
    parts = [
        PackagePart(name, package.read(name).decode(), partial(str.encode, encoding="utf-16"))
        for name in "ab"
    ]
    (document,), skeleton = read_parts(package, parts, "en", lines)
    assert document.source == ("Three.", "One.", "One.", "Two.")
    target = Document(document.id, document.source, ("3", "1", "not this", "2"))
    filled = skeleton.fill_and_report([target])
    with zipfile.ZipFile(io.BytesIO(filled.data)) as new:
        assert new.read("a").decode("utf-16") == "3\n1+"
        assert new.read("b").decode("utf-16") == "1\n2+"
        assert new.read("c") == b"Four."
    assert filled.notes[-2:] == ("a note", "a note")
