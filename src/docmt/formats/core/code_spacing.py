"""The white space around inline codes in a translation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from docmt.formats.core.inline import Code

_UNDIVIDED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff]"
)
"""Characters of scripts without spaces between words: Thai, Lao, Burmese, Khmer, Chinese and
Japanese."""

_STOPS = ".,;:!?…"


def spaced(
    codes: Sequence[Code],
    neighbors: Mapping[int, tuple[str, str]],
    before: str,
    gap: str,
    after: str,
) -> Iterator[str | Code]:
    """Codes between two characters of the target, with the white space between the two: after codes
    that end or belong to the word before, and before codes that begin or stand for words.

    Args:
        codes: the codes in order.
        neighbors: by the start of a code, the characters of the source before and after it.
        before: the character of the target before the codes; empty if there is none.
        gap: the white space of the target at the place of the codes.
        after: the character after them; empty if there is none.
    """
    line_break = next((i for i, code in enumerate(codes) if code.text), None)
    if line_break is not None:
        if any(_stands_alone(code, neighbors) for code in codes[:line_break]):
            yield from spaced(codes[:line_break], neighbors, before, gap, "")
        else:
            yield from codes[:line_break]
        yield from codes[line_break:]
        return
    alone = [i for i, code in enumerate(codes) if _stands_alone(code, neighbors)]
    if not alone:
        first_own = next(
            (i for i, code in enumerate(codes) if _begins(code, neighbors)), len(codes)
        )
        yield from codes[:first_own]
        # In `the symbol <img>.` no white space is left between the words and the full stop.
        lost = first_own < len(codes) and codes[first_own].kind == "void" and divides(before)
        yield gap or (" " if lost and neighbors[codes[first_own].start][0].isspace() else "")
        yield from codes[first_own:]
        return
    first = next(i for i, code in enumerate(codes) if code.kind != "close")
    last = next(i for i in reversed(range(len(codes))) if codes[i].kind != "open")
    yield from codes[:first]
    # In `v%s` and `%dx` a code is written together with a word.
    in_word = divides(before) and divides(neighbors[codes[first].start][0])
    begins_word = divides(after) and divides(neighbors[codes[last].start][1])
    # In `Error: "%s"` white space comes after a mark.
    ends = before in _STOPS and neighbors[codes[first].start][0].isspace()
    if before and not in_word and (gap or divides(before) or ends):
        yield gap or " "
    for index, code in enumerate(codes[first : last + 1], start=first):
        if index > first and codes[index - 1].end < code.start:
            yield " "
        yield code
    if after and (gap or divides(after)) and not (begins_word and not (gap and in_word)):
        yield " "
    yield from codes[last + 1 :]


def divides(character: str) -> bool:
    """Return whether a character is a letter or digit of a script with spaces between words."""
    return character.isalnum() and not _UNDIVIDED.match(character)


def _stands_alone(code: Code, neighbors: Mapping[int, tuple[str, str]]) -> bool:
    """Return whether a code is like a word: a protected one, or one with white space around it."""
    before, after = neighbors[code.start]
    return code.kind == "protected" or (
        code.kind == "void" and bool(before + after) and not (before + after).strip()
    )


def _begins(code: Code, neighbors: Mapping[int, tuple[str, str]]) -> bool:
    """Return whether a code belongs to the word after it."""
    before, after = neighbors[code.start]
    return code.kind == "open" or (code.kind == "void" and not before.strip() and bool(after))
