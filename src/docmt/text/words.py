"""Words as they stand between spaces, for text that is already segmented."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from docmt.text.vocabulary import SPECIALS, Vocabulary


class Words:
    """The words of a vocabulary; all others are `<unk>`.

    Args:
        vocabulary: the words.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    @classmethod
    def learn(cls, corpora: Iterable[Iterable[str]], *, size: int) -> Words:
        """Take the most frequent words, so that there are `size` types with the specials; fewer
        where the corpora have fewer. Equally frequent words are in the order of their characters.
        """
        counts: Counter[str] = Counter()
        for corpus in corpora:
            for sentence in corpus:
                counts.update(sentence.split())
        for special in SPECIALS:
            del counts[special]
        frequent = sorted(counts, key=lambda word: (-counts[word], word))
        return cls(Vocabulary([*SPECIALS, *frequent[: size - len(SPECIALS)]]))

    def apply(self, texts: Sequence[str]) -> list[list[int]]:
        """The numbers of each sentence's words."""
        return [self.vocabulary.encode(text.split()) for text in texts]

    def invert(self, numbers: Sequence[int]) -> str:
        """The words between spaces."""
        return " ".join(self.vocabulary.decode(numbers))

    def pieces(self, text: str) -> list[str]:
        """The words."""
        return text.split()

    def save(self, path: Path) -> None:
        """Nothing but the vocabulary was learnt."""
