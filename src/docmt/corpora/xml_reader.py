"""Streaming of XML through expat. Definitions of entities are refused, so nothing is expanded, and
no other file is opened; a `<!DOCTYPE>` without definitions has no effect. Text that is collected
has a length limit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from xml.parsers import expat

from docmt.corpora.checks import Checks
from docmt.errors import InputError
from docmt.files import MAX_LINE_BYTES, read_blocks


class XmlReader(ABC):
    """Reads one file; a format says what its elements mean.

    Args:
        checks: the checks of the file.
        cure: what to do about a file that is not of this format.
    """

    def __init__(self, checks: Checks, cure: str) -> None:
        self.checks, self.cure = checks, cure
        self._text: list[str] | None = None
        self._size = 0
        self._expat = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.EntityDeclHandler = self._refuse_entity
        parser.SkippedEntityHandler = self._refuse_entity

    @abstractmethod
    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins; its name is in lower case and has no namespace."""

    @abstractmethod
    def end(self, name: str) -> None:
        """An element ends."""

    def skips_text(self) -> bool:
        """Whether characters here are not text, although text is collected."""
        return False

    @property
    def line(self) -> int:
        """The line that is being read."""
        return self._expat.CurrentLineNumber

    @property
    def is_collecting(self) -> bool:
        """Whether text is being collected."""
        return self._text is not None

    def collect_text(self) -> None:
        """Collect text from here on."""
        self._text, self._size = [], 0

    def take_text(self) -> str:
        """The text that was collected; it may be broken into lines where a sentence is one."""
        text = " ".join("".join(self._text or ()).split())
        self._text = None
        return text

    def parse(self) -> Iterator[None]:
        """Parse the file, a block at each step.

        Raises:
            InputError: it is not XML, or defines entities.
        """
        for block in read_blocks(self.checks.path):
            self._parse(block, final=False)
            yield
        self._parse(b"", final=True)

    def _parse(self, block: bytes, *, final: bool) -> None:
        try:
            self._expat.Parse(block, final)
        except InputError:
            raise
        except (expat.ExpatError, ValueError, LookupError) as error:
            problem = f"is not valid XML ({error})"
            raise self.checks.error(problem, self.cure, self.line) from None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.start(name.rpartition(":")[2].lower(), attributes)

    def _end(self, name: str) -> None:
        self.end(name.rpartition(":")[2].lower())

    def _characters(self, text: str) -> None:
        if self._text is None or self.skips_text():
            return
        self._text.append(text)
        self._size += len(text)
        if self._size > MAX_LINE_BYTES:
            problem = f"a segment is longer than {MAX_LINE_BYTES:,} characters"
            raise self.checks.error(problem, self.cure, self.line)

    def _refuse_entity(self, name: str, *_: object) -> None:
        raise self.checks.error(
            f"the file defines or uses the entity {name!r}, which is not expanded",
            "Write its text in its place", self.line,
        )  # fmt: skip
