"""Notes for the reader of an evaluation, each once, with the names of all scores that share it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def merged_notes(noted: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """Join equal notes.

    >>> merged_notes([("TER", ["few words"]), ("s-BLEU", ["few words", "no match"])])
    ['TER, s-BLEU: few words', 's-BLEU: no match']

    Args:
        noted: the names of scores, each with the notes on the score.
    """
    sharing: dict[str, dict[str, None]] = {}
    for name, notes in noted:
        for note in notes:
            sharing.setdefault(note, {})[name] = None
    return [f"{', '.join(names)}: {note}" for note, names in sharing.items()]
