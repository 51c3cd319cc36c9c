"""A review from XLIFF 1.2 or 2.x, as any tool has written it again.

The segments of other programs are read, too, so their translations can go to a memory. Elements of
extensions, and marks around words (`<mrk>`), are read as the text in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from docmt_files.base.errors import InputError
from docmt_files.bilingual.xliff_segments import NAMESPACE_1, is_version_2
from docmt_files.core.xml_events import XmlEvent
from docmt_files.review.review_json import read_manifest
from docmt_files.review.review_units import (
    MAX_REVIEW,
    Review,
    Segment,
    Tag,
    TaggedText,
    Unit,
    tidied,
)
from docmt_files.storage.files import PathLike
from docmt_files.strings.xml_strings import XmlText, read_xml

_APPROVED = frozenset(("final", "signed-off", "reviewed"))
_NATIVE_1 = frozenset(("bpt", "ept", "ph", "it"))
"""Elements of 1.2 with a code of the file in them, not text."""


def read_xliff(path: PathLike) -> Review:
    """The review in an XLIFF file.

    Raises:
        InputError: it is missing, too large, not well-formed or not XLIFF, or has no language of
            translations.
    """
    text, _ = read_xml(path, MAX_REVIEW)
    file = XmlText.read(text, path, MAX_REVIEW)
    root = file.events[0]
    if root.local_name != "xliff" or not (is_version_2(file) or root.namespace in NAMESPACE_1):
        raise InputError(
            "is not XLIFF", path=path, cure="Name an edited file of `docmt review`: XLIFF or JSON"
        )
    return (_Reader2 if is_version_2(file) else _Reader1)(file, path).review()


class _Reader2:
    """Reads XLIFF 2.x."""

    native: frozenset[str] = frozenset()

    def __init__(self, file: XmlText, path: PathLike) -> None:
        self.file, self.path = file, path
        self.line, self.offset = 1, 0

    def review(self) -> Review:
        """The review."""
        files = self.named(0, "file")
        languages = self.languages(files[0] if files else 0)
        if not all(languages):
            raise InputError(
                "does not name its source and target language",
                path=self.path,
                cure="Write them into it: srcLang and trgLang, or source- and target-language",
            )
        original = self.file.events[files[0]].attributes.get("original", "") if files else ""
        known = next(filter(None, map(read_manifest, map(self.skeleton_of, files))), None)
        units = tuple(unit for each in files for unit in self.units(each))
        return Review(original, languages, units, **({} if known is None else known.values()))

    def attributes(self, index: int) -> dict[str, str]:
        return dict(self.file.events[index].attributes)

    def named(self, parent: int, *names: str) -> list[int]:
        """The children of an element with one of these names, other than those of extensions."""
        own = self.file.events[0].namespace
        events = self.file.events
        return [
            index
            for index in self.file.children(parent)
            if events[index].local_name in names and events[index].namespace == own
        ]

    def languages(self, _file: int) -> tuple[str, str]:
        root = self.attributes(0)
        return root.get("srcLang", ""), root.get("trgLang", "")

    def skeleton_of(self, file: int) -> str:
        """The text of the skeleton of a file."""
        return "".join(self.file.meaning(index) for index in self.named(file, "skeleton"))

    def units(self, parent: int) -> Iterator[Unit]:
        """The units in an element."""
        for index in self.named(parent, "group", "unit"):
            if self.file.events[index].local_name == "group":
                yield from self.units(index)
            else:
                yield Unit(self.attributes(index).get("id", ""), tuple(self.segments(index)))

    def segments(self, unit: int) -> Iterator[Segment]:
        """The segments of a unit, with the white space between them in the source."""
        for index in self.named(unit, "segment", "ignorable"):
            attributes = self.attributes(index)
            source, target = self.side(index, "source"), self.side(index, "target")
            if self.file.events[index].local_name == "ignorable" and not any(
                part.strip() if isinstance(part, str) else part for part in source or ()
            ):
                continue
            target = target or None  # A sentence is never deleted by an empty target.
            approved = attributes.get("state") in _APPROVED
            yield Segment(
                attributes.get("id", ""),
                source or (),
                target,
                approved=approved,
                line=self.line_of(index),
            )

    def side(self, holder: int, name: str) -> TaggedText | None:
        """One side of a segment; None without one."""
        for index in self.named(holder, name):
            return tidied(self.parts(index))
        return None

    def line_of(self, index: int) -> int:
        """The line at which an element starts; elements are asked for in order."""
        start = self.file.events[index].start
        self.line += self.file.text.count("\n", self.offset, start)
        self.offset = start
        return self.line

    def parts(self, element: int) -> Iterator[str | Tag]:
        """The content of a side."""
        closing: dict[int, Tag] = {}
        index, events = element + 1, self.file.events
        while index < self.file.partners[element]:
            event = events[index]
            if event.kind in ("text", "cdata", "entity"):
                yield event.text
            elif event.kind == "end" and index in closing:
                yield closing[index]
            elif event.kind == "start":
                tag = self.tag(event)
                if isinstance(tag, Tag) and tag.kind == "open" and event.local_name in ("pc", "g"):
                    closing[self.file.partners[index]] = Tag(tag.id, "close")
                if tag is not None:
                    yield tag
                if event.local_name in self.native:
                    index = self.file.partners[index]
            index += 1

    def tag(self, event: XmlEvent) -> Tag | str | None:
        """The tag, or the character, of an element; None for one that is read as its text."""
        id_ = event.attributes.get("id", "")
        match event.local_name:
            case "pc" | "sc":
                return Tag(id_, "open")
            case "ec":
                return Tag(event.attributes.get("startRef") or id_, "close")
            case "ph":
                shown = event.attributes.get("equiv") or event.attributes.get("disp", "")
                return Tag(id_, "alone", shown)
            case "cp":
                return _character(event.attributes.get("hex", ""))
        return None


class _Reader1(_Reader2):
    """Reads XLIFF 1.2. Each `<trans-unit>` of docmt is one segment of a unit."""

    native = _NATIVE_1

    def languages(self, file: int) -> tuple[str, str]:
        attributes = self.attributes(file)
        return attributes.get("source-language", ""), attributes.get("target-language", "")

    def skeleton_of(self, file: int) -> str:
        headers = self.named(file, "header")
        skeletons = [index for header in headers for index in self.named(header, "skl")]
        return "".join(map(self.file.meaning, skeletons))

    def units(self, parent: int) -> Iterator[Unit]:
        # A tool may have sorted the segments; a second one with the same id is of another unit.
        found: list[tuple[str, dict[str, Segment]]] = []
        last: dict[str, dict[str, Segment]] = {}
        for id_, segment in self.segments_in(parent):
            name, _, number = id_.rpartition("-")
            if name not in last or number in last[name]:
                last[name] = {}
                found.append((name, last[name]))
            last[name][number] = replace(segment, id=number)
        for name, segments in found:
            yield Unit(name, tuple(segments.values()))

    def segments_in(self, parent: int) -> Iterator[tuple[str, Segment]]:
        """The ids and segments in an element, in order."""
        for index in self.named(parent, "body", "group", "trans-unit"):
            if self.file.events[index].local_name != "trans-unit":
                yield from self.segments_in(index)
                continue
            attributes = self.attributes(index)
            source, target = self.side(index, "source"), self.side(index, "target")
            state = next(
                (self.attributes(each).get("state") for each in self.named(index, "target")), None
            )
            target = target or None  # A sentence is never deleted by an empty target.
            approved = attributes.get("approved") == "yes" or state in _APPROVED
            line = self.line_of(index)
            yield (
                attributes.get("id", ""),
                Segment("", source or (), target, approved=approved, line=line),
            )

    def tag(self, event: XmlEvent) -> Tag | str | None:
        id_ = event.attributes.get("id", "")
        rid = event.attributes.get("rid") or id_
        match event.local_name:
            case "g":
                return Tag(id_, "open")
            case "bx" | "bpt":
                return Tag(rid, "open")
            case "ex" | "ept":
                return Tag(rid, "close")
            case "x" | "ph" | "it":
                return Tag(id_, "alone", event.attributes.get("equiv-text", ""))
        return None


def _character(hexadecimal: str) -> str:
    """The character of a `<cp>`."""
    try:
        character = chr(int(hexadecimal, 16))
        character.encode()
    except (ValueError, OverflowError):
        return "\ufffd"
    return character
