"""Streaming of XML through the parser of `docmt_files.storage.hardened_xml`, which expands no
entities and opens no other file. The collected text has a length limit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from docmt_files.storage.corpus_checks import Checks
from docmt_files.storage.files import MAX_LINE_BYTES, read_blocks
from docmt_files.storage.hardened_xml import hardened_parser, parse_block

_MARK = "\0"
"""A marked place in collected text. No text of XML has this character."""

_MAX_DEPTH = 250
_MAX_TAG_BYTES = 1 << 20
"""So much of a file may be one tag or comment, which the parser keeps until it ends."""


class XmlReader(ABC):
    """Reader of one file; a format gives a meaning to the elements.

    Args:
        checks: the checks of the file.
        cure: the cure for a file in another format.
    """

    def __init__(self, checks: Checks, cure: str) -> None:
        self.checks, self.cure = checks, cure
        self._text: list[str] | None = None
        self._size = self._depth = self._given = 0
        self._expat = parser = hardened_parser(checks.error)
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters

    @abstractmethod
    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element; the name is in lower case and has no namespace."""

    @abstractmethod
    def end(self, name: str) -> None:
        """End an element."""

    def skips_text(self) -> bool:
        """Return whether characters in this element are not text."""
        return False

    @property
    def line(self) -> int:
        """Number of the current line."""
        return self._expat.CurrentLineNumber

    @property
    def is_collecting(self) -> bool:
        """True while text is being collected."""
        return self._text is not None

    def collect_text(self) -> None:
        """Begin to collect text."""
        self._text, self._size = [], 0

    def take_text(self) -> str:
        """Return the collected text, on one line."""
        text = " ".join("".join(self._text or ()).split())
        self._text = None
        return text

    def mark_place(self) -> None:
        """Mark the place in the collected text, if text is being collected."""
        if self._text is not None:
            self._text.append(_MARK)

    def take_marked_text(self) -> tuple[str, tuple[int, ...]]:
        """Return the collected text, on one line, and the offsets of the marked places."""
        text = self.take_text()
        if _MARK not in text:
            return text, ()
        made: list[str] = []
        places: list[int] = []
        for character in text:
            if character == _MARK:
                places.append(len(made))
            elif character != " " or (made and made[-1] != " "):
                made.append(character)
        whole = "".join(made).rstrip()
        return whole, tuple(min(place, len(whole)) for place in places)

    def parse(self) -> Iterator[None]:
        """Parse the file, a block at each step.

        Raises:
            InputError: it is not XML, or defines entities.
        """
        for block in read_blocks(self.checks.path):
            self._parse(block, final=False)
            yield
        self._parse(b"", final=True)

    def parse_whole(self) -> None:
        """Parse the file."""
        for _ in self.parse():
            pass

    def _parse(self, block: bytes, *, final: bool) -> None:
        refuse = self.checks.error
        parse_block(self._expat, block, final=final, refuse=refuse, cure=self.cure)
        self._given += len(block)
        if self._given - max(self._expat.CurrentByteIndex, 0) > _MAX_TAG_BYTES:
            problem = f"has a tag or comment of more than {_MAX_TAG_BYTES:,} bytes, or none"
            raise refuse(problem, self.cure, self.line)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            problem = f"has more than {_MAX_DEPTH} elements in each other"
            raise self.checks.error(problem, self.cure, self.line)
        self.start(name.rpartition(":")[2].lower(), attributes)

    def _end(self, name: str) -> None:
        self._depth -= 1
        self.end(name.rpartition(":")[2].lower())

    def _characters(self, text: str) -> None:
        if self._text is None or self.skips_text():
            return
        self._text.append(text)
        self._size += len(text)
        if self._size > MAX_LINE_BYTES:
            problem = f"a segment is longer than {MAX_LINE_BYTES:,} characters"
            raise self.checks.error(problem, self.cure, self.line)
