"""`merge_revision`: a translation with some sentences of a later one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from docmt.ground.documents import Translation


def merge_revision(old: Translation, new: Translation, sentences: Collection[int]) -> Translation:
    """A translation with some sentences, source and target, of another one of the same document.

    Args:
        old: the translation of all sentences.
        new: the later translation. Where it has fewer alternatives, the last one counts.
        sentences: the indices of the sentences that are taken from it.
    """
    chosen = frozenset(sentences)

    def merged(mine: Sequence[Any], others: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(others[i] if i in chosen else value for i, value in enumerate(mine))

    best = old.alternatives[0]
    alternatives = []
    for rank, mine in enumerate(old.alternatives):
        other = new.alternatives[min(rank, len(new.alternatives) - 1)]
        alternatives.append(
            replace(
                mine,
                sentences=merged(mine.sentences, other.sentences),
                log_probabilities=merged(mine.log_probabilities, other.log_probabilities),
            )
        )
    positions = []
    for mine in old.positions:
        # A position changes where the best translation was taken from it.
        same = [
            i
            for i in chosen
            if (mine.sentences[i], mine.log_probabilities[i])
            == (best.sentences[i], best.log_probabilities[i])
        ]
        texts, log_probabilities = list(mine.sentences), list(mine.log_probabilities)
        for i in same:
            texts[i], log_probabilities[i] = (
                new.alternatives[0].sentences[i],
                new.alternatives[0].log_probabilities[i],
            )
        positions.append(
            replace(mine, sentences=tuple(texts), log_probabilities=tuple(log_probabilities))
        )
    truncated = {i for i in old.truncated if i not in chosen} | (chosen & set(new.truncated))
    warnings = [warning for warning in old.warnings if warning.sentence not in chosen]
    warnings += [warning for warning in new.warnings if warning.sentence in chosen]
    codes = {index: own for index, own in old.codes.items() if index not in chosen}
    codes |= {index: own for index, own in new.codes.items() if index in chosen}
    matches = {index: own for index, own in old.matches.items() if index not in chosen}
    matches |= {index: own for index, own in new.matches.items() if index in chosen}
    source = merged(old.document.source, new.document.source)
    return replace(
        old,
        document=replace(old.document, source=source, target=tuple(alternatives[0].sentences)),
        log_probabilities=alternatives[0].log_probabilities,
        truncated=tuple(sorted(truncated)),
        alternatives=tuple(alternatives),
        positions=tuple(positions),
        warnings=tuple(sorted(warnings, key=lambda warning: warning.sentence)),
        codes=codes,
        matches=matches,
    )
