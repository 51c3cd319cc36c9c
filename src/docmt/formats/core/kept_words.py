"""Protected codes kept in the text of a sentence, where they stand for words.

`{0}` or the name of a function is a word of the sentence: without it a system translates another
sentence. Where a run can write such words, they stay in the source. Search must write each as often
as the source has it, and the place in the translation is the choice of search. The words are then
found in the translation again. If one is missing or too frequent, all codes of the sentence are
placed by alignment, like codes a run cannot write.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from docmt.formats.core.inline import Code, InlineSentence
from docmt.formats.core.protected import words_of
from docmt.formats.core.skeleton import CanKeep


def with_words(sentence: InlineSentence, file: str, can_keep: CanKeep) -> InlineSentence:
    """A sentence with the words of protected codes in the text, if they can be kept.

    Args:
        sentence: the sentence, with all codes taken out of the text.
        file: the text of the file.
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
    # Words found elsewhere in the text, or standing for another code, could not be told apart.
    counts = Counter(ranges.values())
    counts_fit = all(text.count(word) == count for word, count in counts.items())
    counts_fit = counts_fit and len(written) == len(counts)
    return made if counts_fit and can_keep(text, list(ranges.values())) else sentence


def _insert(
    sentence: InlineSentence, words: dict[int, str]
) -> tuple[str, tuple[tuple[int, Code], ...], tuple[tuple[str, str], ...]]:
    """The text of a sentence with words in place of codes, and the other codes with their
    neighbors. The codes are given by their offsets in the file, and the words have the spaces
    around the codes."""
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
