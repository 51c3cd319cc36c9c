"""The mark of a shortcut, put before a letter of a translated label."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from docmt_files.core.inline import Code, Shortcut

_LETTER = regex.compile(r"[\p{L}\p{N}]")
_NO_KEY = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")
"""Characters that no key of a keyboard has."""
_END = regex.compile(r"[\s.…:：。]*\Z")


def with_mark(parts: Sequence[str | Code], shortcut: Shortcut) -> list[str | Code]:
    """A translation with the mark of the shortcut before the same letter as in the source, at the
    beginning of a word if possible; or else before the first letter; or else, in scripts that no
    keyboard has, before the letter of the source in brackets, as in `ファイル(F)`.

    Args:
        parts: texts and codes of the translation, in order.
        shortcut: the shortcut.
    """
    letter = regex.escape(shortcut.letter)
    patterns = (
        regex.compile(rf"(?<![\p{{L}}\p{{N}}]){letter}", regex.IGNORECASE),
        regex.compile(letter, regex.IGNORECASE),
        _LETTER,
    )
    texts = [(index, part) for index, part in enumerate(parts) if isinstance(part, str)]
    for pattern in patterns:
        for index, text in texts:
            match = pattern.search(text)
            if match is not None:
                if _NO_KEY.match(match[0]):
                    return _in_brackets(parts, texts[-1], shortcut)
                return _divided(parts, index, text, match.start(), shortcut.mark)
    return list(parts)


def _in_brackets(
    parts: Sequence[str | Code], last: tuple[int, str], shortcut: Shortcut
) -> list[str | Code]:
    """A translation with the letter of the shortcut in brackets at the end of the last text."""
    index, text = last
    end = _END.search(text)
    position = len(text) if end is None else end.start()
    text = f"{text[:position]}({shortcut.letter.upper()}){text[position:]}"
    return _divided(parts, index, text, position + 1, shortcut.mark)


def _divided(
    parts: Sequence[str | Code], index: int, text: str, position: int, mark: Code
) -> list[str | Code]:
    """A translation with another text at an index, and the mark at a position of the text."""
    return [*parts[:index], text[:position], mark, text[position:], *parts[index + 1 :]]
