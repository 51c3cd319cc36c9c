"""Documents of one side of a corpus whose files hold one side each and name their documents, and
how two sides are paired: document by document, segment by segment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import NamedTuple

from docmt.corpora.corpus_checks import Checks, line_fault
from docmt.documents import Document
from docmt.wording import counted


@dataclass
class Side:
    """A document of one side.

    Attributes:
        id: the document's id.
        line: the line that begins it.
        sentences: its sentences.
        lines: the line of each sentence.
        segments: the id of each sentence, or "" where it has none.
        is_testsuite: whether it is a document of a test suite, which has no reference.
    """

    id: str
    line: int
    sentences: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    segments: list[str] = field(default_factory=list)
    is_testsuite: bool = False

    def add(self, sentence: str, line: int, segment: str = "") -> None:
        """Add a sentence."""
        self.sentences.append(sentence)
        self.lines.append(line)
        self.segments.append(segment)


class SetKey(NamedTuple):
    """What tells the sets of a file apart.

    Attributes:
        element: `srcset`, `refset`, `tstset`, or "" where there is none.
        system: the system or reference.
    """

    element: str
    system: str


Sets = dict[SetKey, dict[str, Side]]
"""The documents of each set of a file, by their ids."""

_CURE_COUNTS = "Take both files from the same release; a segment was lost on one side"


def pair(
    source: Iterator[Side],
    target: Iterator[Side] | None,
    checks: Checks,
    target_checks: Checks | None = None,
) -> Iterator[Document]:
    """The documents of two sides, which hold the same documents in the same order.

    Args:
        source: the source side.
        target: the target side; without it, documents have no target.
        checks: the checks of the source file.
        target_checks: the checks of the target file, if there is one.

    Raises:
        InputError: a document is empty or missing on a side, ids are repeated or differ, or numbers
            or ids of segments differ.
    """
    target_checks = target_checks or checks
    for one, other in zip_longest(source, target or ()):
        if one is None:
            raise target_checks.error(
                f"document {other.id!r} is missing from {checks.path}",
                "Take both files from the same release",
                other.line,
            )
        if target is None:
            _check(one, None, checks)
            yield Document(one.id, tuple(one.sentences))
            continue
        if other is None:
            raise checks.error(
                f"document {one.id!r} is missing from {target_checks.path}",
                "Take both files from the same release",
                one.line,
            )
        if one.id != other.id:
            raise target_checks.error(
                f"document {other.id!r} is where {checks.path} has {one.id!r}",
                "Take both files from the same release",
                other.line,
            )
        _check(one, other, checks, target_checks)
        yield Document(one.id, tuple(one.sentences), tuple(other.sentences))


def _check(
    one: Side, other: Side | None, checks: Checks, target_checks: Checks | None = None
) -> None:
    """Check a document, and its sentences against each other."""
    checks.check_id(one.id, one.line)
    if other is not None and target_checks is not None:
        if len(one.sentences) != len(other.sentences):
            raise target_checks.error(
                f"document {other.id!r} has {counted(len(other.sentences), 'segment')}, in "
                f"{checks.path} {len(one.sentences):,}",
                _CURE_COUNTS,
                other.line,
            )
        for here, there, line in zip(one.segments, other.segments, other.lines, strict=True):
            if here and there and here != there:
                raise target_checks.error(
                    f"segment {there!r} is where {checks.path} has segment {here!r}",
                    _CURE_COUNTS,
                    line,
                )
    if not one.sentences:
        problem = f"document {one.id!r} has no segments"
        raise checks.error(problem, "Remove the document", one.line)
    for index, sentence in enumerate(one.sentences):
        if other is None or target_checks is None:
            checks.check_pair(sentence, None, one.lines[index])
            continue
        translation = other.sentences[index]
        # The error names the side that is at fault.
        if sentence.strip() and (line_fault(translation) or not translation.strip()):
            target_checks.check_pair(sentence, translation, other.lines[index])
        else:
            checks.check_pair(sentence, translation, one.lines[index])
