"""Case: lower-casing, which is not undone, and truecasing (Koehn et al. 2007), which writes
the words at sentence beginnings as they are usually written."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from docmt.errors import InputError
from docmt.files import PathLike, read_lines, write_text

_COUNT = re.compile(r"\(([0-9]{1,18})(?:/[0-9]+)?\)")


class LowerCase:
    """All letters become small. Case is lost: `invert` gives the text as it is."""

    def apply(self, text: str) -> str:
        """The sentence in lower case."""
        return text.lower()

    def invert(self, text: str) -> str:
        """The same sentence."""
        return text


class TrueCase:
    """The case that a word usually has, as in Moses' `truecase.perl`, on tokenised text.

    The first word of a sentence takes its most frequent case; a sentence also begins after `.`,
    `:`, `?` and `!`. Any other word keeps its case, unless the corpus has the word but never in
    that case. `invert` writes a capital where a sentence begins, so that
    `invert(apply(text))` differs from the text at most in the case of sentence beginnings and of
    words such as HELLO where the corpus has only hello.

    Args:
        counts: how often each word was seen, grouped by its lower-case form.
    """

    def __init__(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        # Slow to import, and only this step needs it.
        from sacremoses import MosesDetruecaser

        self.counts = counts
        self._best = {lower: max(cases, key=cases.__getitem__) for lower, cases in counts.items()}
        self._known = {case for cases in counts.values() for case in cases}
        self._detruecaser: Any = MosesDetruecaser()

    @classmethod
    def learn(cls, sentences: Iterable[str]) -> TrueCase:
        """Count the words of tokenised sentences that stand where case is a choice."""
        from sacremoses import MosesTruecaser

        weigh = MosesTruecaser().learn_truecase_weights
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for sentence in sentences:
            for lower, word, weight in weigh(sentence.split()):
                counts[lower][word] += weight
        return cls(counts)

    def apply(self, text: str) -> str:
        """The sentence with its words in their usual case."""
        # sacremoses' own loop takes time that grows with the square of the sentence.
        ends, passed_over = self._detruecaser.SENT_END, self._detruecaser.DELAYED_SENT_START
        begins = True
        words: list[str] = []
        for word in text.split():
            if begins or word not in self._known:
                word = self._best.get(word.lower(), word)
            words.append(word)
            if word in ends:
                begins = True
            elif word not in passed_over:
                begins = False
        return " ".join(words)

    def invert(self, text: str) -> str:
        """The sentence with capitals where sentences begin."""
        return str(self._detruecaser.detruecase(text, return_str=True))

    def save(self, path: Path) -> None:
        """Write the counts as Moses does: `word (count/all) other (count) ...`, a line for each
        lower-case form."""
        lines = []
        for cases in self.counts.values():
            first, *others = sorted(cases, key=lambda case: -cases[case])
            fields = [f"{first} ({cases[first]}/{sum(cases.values())})"]
            lines.append(" ".join([*fields, *(f"{o} ({cases[o]})" for o in others)]) + "\n")
        write_text(path, "".join(lines))

    @classmethod
    def load(cls, path: PathLike) -> TrueCase:
        """Read what `save`, Moses or sacremoses wrote.

        Raises:
            InputError: naming the line that is no pair of words and counts.
        """
        counts: dict[str, dict[str, int]] = {}
        for number, line in enumerate(read_lines(path), start=1):
            fields = line.split()
            found = [_COUNT.fullmatch(field) for field in fields[1::2]]
            if len(fields) % 2 or not all(found):
                raise InputError(
                    "is no line of a truecasing model, such as `the (120/150) The (30)`",
                    path=str(path), line=number, cure="Give the file that Moses' training wrote",
                )  # fmt: skip
            for word, count in zip(fields[::2], filter(None, found), strict=True):
                counts.setdefault(word.lower(), {})[word] = int(count[1])
        return cls(counts)
