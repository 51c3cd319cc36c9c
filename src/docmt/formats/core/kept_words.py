"""Protected codes that stay in the text of a sentence, where they stand for words.

`{0}` or a name of a function is a word of its sentence: without it a system translates another
sentence. So where a run can write it, it stays, search must write it as often as the source has it,
and its place in the translation is where search has put it. Codes that stay are found in the
translation again; should one be missing, or be there too often, all codes of the sentence are put
into the translation by their alignment, as codes are that a run cannot write.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from docmt.formats.core.inline import Code, InlineSentence
from docmt.formats.core.protected import words_of
from docmt.formats.core.skeleton import CanKeep


def with_words(sentence: InlineSentence, file: str, can_keep: CanKeep) -> InlineSentence:
    """A sentence with the words of its protected codes in its text, if they can be kept.

    Args:
        sentence: the sentence, with all its codes taken out of its text.
        file: the text of its file.
        can_keep: whether a translation can have words.
    """
    ranges: dict[int, str] = {}
    written: set[str] = set()
    for _, code in sentence.codes:
        inner = code.inner or code
        raw = file[inner.start : inner.end]
        if inner.kind == "protected" and (words := words_of(raw)):
            ranges[code.start] = words
            written.add(raw)
    if not ranges:
        return sentence
    text, codes, neighbors = _insert(sentence, ranges)
    made = replace(
        sentence,
        text=text,
        codes=codes,
        neighbors=neighbors,
        without_words=sentence,
        words=tuple((ranges[c.start], c) for _, c in sentence.codes if c.start in ranges),
    )
    # One that stands in the text elsewhere, or for another code, could not be told from this one.
    counts = Counter(ranges.values())
    counts_fit = all(text.count(word) == count for word, count in counts.items())
    counts_fit = counts_fit and len(written) == len(counts)
    return made if counts_fit and can_keep(text, list(ranges.values())) else sentence


def _insert(
    sentence: InlineSentence, words: dict[int, str]
) -> tuple[str, tuple[tuple[int, Code], ...], tuple[tuple[str, str], ...]]:
    """The text of a sentence with words for the codes that begin at these offsets of the file, with
    the spaces around them, and the other codes with their neighbors."""
    text = ""
    codes: list[tuple[int, Code]] = []
    neighbors: list[tuple[str, str]] = []
    position = 0
    for (offset, code), around in zip(sentence.codes, sentence.neighbors, strict=True):
        text += sentence.text[position:offset]
        position = offset
        if code.start not in words:
            codes.append((len(text), code))
            neighbors.append(around)
            continue
        before, after = around
        if before.isspace() and text and not text[-1].isspace():
            text += " "
        text += words[code.start].join(code.marks)
        if after.isspace() and not sentence.text[position : position + 1].isspace():
            text += " "
    text += sentence.text[position:]
    clean = text.rstrip()
    return clean, tuple((min(offset, len(clean)), code) for offset, code in codes), tuple(neighbors)
