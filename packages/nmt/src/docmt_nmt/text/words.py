"""Words between spaces as tokens, for text already segmented."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from docmt_nmt.text.text_step import Subwords
from docmt_nmt.text.vocabulary import SPECIAL_TOKENS, Vocabulary


class Words(Subwords):
    """Words of a vocabulary; all other words are `<unk>`."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    @classmethod
    def learn(cls, corpora: Iterable[Iterable[str]], *, size: int) -> Words:
        """Take the most frequent words for a vocabulary of `size` tokens including the special
        tokens, or fewer if the corpora have fewer words. Equally frequent words are sorted by their
        characters.
        """
        counts: Counter[str] = Counter()
        for corpus in corpora:
            for sentence in corpus:
                counts.update(sentence.split())
        for special in SPECIAL_TOKENS:
            del counts[special]
        frequent = sorted(counts, key=lambda word: (-counts[word], word))
        return cls(Vocabulary([*SPECIAL_TOKENS, *frequent[: size - len(SPECIAL_TOKENS)]]))

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        return [self.vocabulary.encode(text.split()) for text in texts]

    def decode(self, ids: Sequence[int]) -> str:
        return " ".join(self.vocabulary.decode(ids))

    def split(self, text: str) -> list[str]:
        return text.split()

    def surface(self, token: str) -> str:
        return token + " "

    def save(self, path: Path) -> None:
        """Write nothing: only the vocabulary is learned."""
