"""The white space around inline codes in a translation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import regex

from docmt_files.core.inline import Code, CodeKind

# `re` takes milliseconds to compile a class of such ranges.
_UNDIVIDED = regex.compile(
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
    kinds = _kinds(codes)
    alone = [_stands_alone(kinds[i], *neighbors[code.start]) for i, code in enumerate(codes)]
    if line_break is not None:
        if any(alone[:line_break]):
            yield from spaced(codes[:line_break], neighbors, before, gap, "")
        else:
            yield from codes[:line_break]
        yield from codes[line_break:]
        return
    if not any(alone):
        begins = (_begins(kinds[i], *neighbors[code.start]) for i, code in enumerate(codes))
        first_own = next((i for i, is_own in enumerate(begins) if is_own), len(codes))
        yield from codes[:first_own]
        # In `the symbol <img>.` no white space is left between the words and the full stop.
        lost = first_own < len(codes) and kinds[first_own] == "void" and divides(before)
        yield gap or (" " if lost and neighbors[codes[first_own].start][0].isspace() else "")
        yield from codes[first_own:]
        return
    first = next(i for i, kind in enumerate(kinds) if kind != "close")
    last = next(i for i in reversed(range(len(codes))) if kinds[i] != "open")
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


def _kinds(codes: Sequence[Code]) -> list[CodeKind]:
    """The kinds of codes. Both ends of a pair without words in it, such as `<x id="1"></x>`, count
    as void."""
    opened = {code.pair for code in codes if code.kind == "open"}
    empty = opened & {code.pair for code in codes if code.kind == "close"}
    return ["void" if code.pair in empty else code.kind for code in codes]


def _stands_alone(kind: CodeKind, before: str, after: str) -> bool:
    """Return whether a code is like a word: a protected one, or one with white space around it.

    Args:
        kind: the kind of the code.
        before, after: the characters of the source before and after it.
    """
    return kind == "protected" or (
        kind == "void" and bool(before + after) and not (before + after).strip()
    )


def _begins(kind: CodeKind, before: str, after: str) -> bool:
    """Return whether a code belongs to the word after it; as `_stands_alone`."""
    return kind == "open" or (kind == "void" and not before.strip() and bool(after))
