"""Documents of a corpus with one side in each file and document names in the files, and the pairing
of two sides: document by document, segment by segment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import NamedTuple

from docmt_files.base.documents import Document
from docmt_files.base.wording import counted
from docmt_files.storage.corpus_checks import Checks, line_fault


@dataclass
class Side:
    """Document of one side.

    Attributes:
        id: the document's id.
        line: the line of the beginning.
        sentences: the sentences of the document.
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
    """Name of a set within a file.

    Attributes:
        element: `srcset`, `refset`, `tstset`, or "" where there is none.
        system: the system or reference.
    """

    element: str
    system: str


Sets = dict[SetKey, dict[str, Side]]
"""The documents of each set of a file, by their ids."""

CURE_RELEASE = "Take both files from the same release"
_CURE_COUNTS = f"{CURE_RELEASE}; a segment was lost on one side"


def pair(
    source: Iterator[Side],
    target: Iterator[Side] | None,
    checks: Checks,
    target_checks: Checks | None = None,
) -> Iterator[Document]:
    """Pair the documents of two sides, which hold the same documents in the same order.

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
    for text, translation in zip_longest(source, target or ()):
        if text is None:
            problem = f"document {translation.id!r} is missing from {checks.path}"
            raise target_checks.error(problem, CURE_RELEASE, translation.line)
        if target is None:
            checks.check_id(text.id, text.line)
            _check_not_empty(text, checks)
            for sentence, line in zip(text.sentences, text.lines, strict=True):
                checks.check_pair(sentence, None, line)
            yield Document(text.id, tuple(text.sentences))
            continue
        if translation is None:
            problem = f"document {text.id!r} is missing from {target_checks.path}"
            raise checks.error(problem, CURE_RELEASE, text.line)
        if text.id != translation.id:
            problem = f"document {translation.id!r} is where {checks.path} has {text.id!r}"
            raise target_checks.error(problem, CURE_RELEASE, translation.line)
        _check_pair(text, translation, checks, target_checks)
        yield Document(text.id, tuple(text.sentences), tuple(translation.sentences))


def _check_not_empty(text: Side, checks: Checks) -> None:
    if not text.sentences:
        problem = f"document {text.id!r} has no segments"
        raise checks.error(problem, "Remove the document", text.line)


def _check_pair(text: Side, translation: Side, checks: Checks, target_checks: Checks) -> None:
    """Check the sentences of both sides of a document against each other."""
    checks.check_id(text.id, text.line)
    sizes = len(text.sentences), len(translation.sentences)
    if sizes[0] != sizes[1]:
        raise target_checks.error(
            f"document {text.id!r} has {counted(sizes[1], 'segment')}, in {checks.path} "
            f"{sizes[0]:,}",
            _CURE_COUNTS,
            translation.line,
        )
    for ours, theirs, line in zip(
        text.segments, translation.segments, translation.lines, strict=True
    ):
        if ours and theirs and ours != theirs:
            problem = f"segment {theirs!r} is where {checks.path} has segment {ours!r}"
            raise target_checks.error(problem, _CURE_COUNTS, line)
    _check_not_empty(text, checks)
    for index, (source, target) in enumerate(
        zip(text.sentences, translation.sentences, strict=True)
    ):
        # The error names the side at fault.
        if source.strip() and (line_fault(target) or not target.strip()):
            target_checks.check_pair(source, target, translation.lines[index])
        else:
            checks.check_pair(source, target, text.lines[index])
