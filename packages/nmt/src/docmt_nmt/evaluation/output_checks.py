"""Faults in a translation that make every score meaningless, found by comparison with the
reference: the translation is empty, is the reference itself, was not translated, or is in another
language or case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import regex

from docmt_files.base.documents import Document
from docmt_files.base.messages import Message
from docmt_nmt.evaluation.segments import ParallelDocuments, target_sentences
from docmt_nmt.text.scripts import count_scripts

_FREQUENT_WORDS = 20
"""Number of the reference's most frequent words used to recognize the language."""

_FEWEST_WORDS = 300
"""In a shorter text, no words are frequent."""

_FEWEST_LETTERS = 200
"""In a shorter text, a lack of capital letters may be chance."""

_WORD = regex.compile(r"\p{L}[\p{L}\p{M}'’]*")


def input_notes(
    parallel: ParallelDocuments,
    sources: Sequence[Document] | None = None,
    *,
    lowercase: bool = False,
) -> list[str]:
    """Return notes for the reader of any score of a translation, in words.

    Args:
        parallel: the translation and the references.
        sources: the source documents. Default: the source sides of the translation.
        lowercase: whether scores ignore case.
    """
    ours = list(_sentences(parallel.hypothesis))
    if not any(ours):
        return ["every translation is empty"]
    references = [list(_sentences(reference)) for reference in parallel.references]
    if any(ours == theirs for theirs in references):
        return ["the translation is the same as a reference"]
    faults = [_copied(ours, parallel.hypothesis, sources)]
    texts = "\n".join(ours), "\n".join(references[0])
    faults.append(_other_script(*texts) or _other_language(*texts))
    if not lowercase:
        faults.append(_without_capitals(*texts))
    return list(filter(None, faults))


def _sentences(documents: Sequence[Document]) -> Iterator[str]:
    for document in documents:
        for sentence in target_sentences(document):
            yield sentence.strip()


def _copied(
    ours: Sequence[str], hypothesis: Sequence[Document], sources: Sequence[Document] | None
) -> str:
    """The note about sentences copied from the source, if most are."""
    source = [s.strip() for document in sources or hypothesis for s in document.source]
    if sources is None and source == list(ours):
        # It was read from a file without the source.
        return ""
    copies = sum(bool(a) and a == b for a, b in zip(ours, source, strict=False))
    if 2 * copies < len(ours) or len(source) != len(ours):
        return ""
    return f"{copies:,} of {len(ours):,} translated sentences are copies of their source"


def _other_script(ours: str, theirs: str) -> str:
    """The note about a translation mostly in a script which the reference hardly has."""
    written, expected = count_scripts(ours), count_scripts(theirs)
    if not written or not expected:
        return ""
    script, count = written.most_common(1)[0]
    if 2 * count < written.total() or 10 * expected[script] > expected.total():
        return ""
    return (
        f"the translation is mostly in {script} letters, the reference in "
        f"{expected.most_common(1)[0][0]} ones: is it in the right language?"
    )


def _other_language(ours: str, theirs: str) -> str:
    """The note about a translation that hardly has the most frequent words of the reference."""
    written, expected = (Counter(_WORD.findall(text.lower())) for text in (ours, theirs))
    if min(written.total(), expected.total()) < _FEWEST_WORDS:
        return ""
    frequent = [word for word, _ in expected.most_common(_FREQUENT_WORDS)]
    here, there = (
        sum(counts[word] for word in frequent) / counts.total() for counts in (written, expected)
    )
    if 4 * here > there:
        return ""
    return (
        f"the {_FREQUENT_WORDS} most frequent words of the reference are {there:.0%} of its words, "
        f"but {here:.0%} of those of the translation: is it in the right language?"
    )


def _without_capitals(ours: str, theirs: str) -> str:
    """The note about a translation in lower case, where the reference is not."""
    letters = sum(map(str.islower, ours))
    if letters < _FEWEST_LETTERS or any(map(str.isupper, ours)):
        return ""
    if 100 * sum(map(str.isupper, theirs)) < sum(map(str.islower, theirs)):
        return ""
    text = (
        "the translation has no capital letters, but the reference does: score without regard to "
        "case (`lowercase`)?"
    )
    return Message(text, ["lowercase"])
