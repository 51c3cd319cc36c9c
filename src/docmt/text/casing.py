"""Case: lower-casing, which is not undone; truecasing (Koehn et al. 2007), which writes the words
at sentence beginnings as they are usually written; and the first word in lower case unless a list
has it (Donato et al. 2021, appendix A.1)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, Self, runtime_checkable

from docmt.errors import InputError
from docmt.files import PathLike, read_lines, write_text
from docmt.text.base import Step

_COUNT = re.compile(r"\(([0-9]{1,18})(?:/[0-9]+)?\)")
# Letters with their combining marks, which follow them in NFKD.
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f])*")
# After dots a sentence goes on.
_FIRST_WORD = re.compile(rf"[^\w.…]*({_WORD.pattern})")
# After anything but these a word may begin a sentence, or a title.
_WITHIN = re.compile(r"[ ,]+")


@runtime_checkable
class Learnt(Step, Protocol):
    """Case as a corpus has it: a step that is fitted, and kept in a file."""

    @classmethod
    def learn(cls, sentences: Iterable[str]) -> Self:
        """Learn from sentences as the steps before leave them."""

    def save(self, path: Path) -> None:
        """Write what was learnt."""

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read what `save` wrote."""


class LowerCase:
    """All letters become small. Case is lost: `invert` gives the text as it is."""

    def apply(self, text: str) -> str:
        """The sentence in lower case."""
        return text.lower()

    def invert(self, text: str) -> str:
        """The same sentence."""
        return text


class FirstWord:
    """The first word of a sentence in lower case, unless it is on a list of words that are written
    with a capital everywhere.

    The paper's list is one of "proper nouns and common abbreviations" and is not published. Here it
    is learnt: the words that the corpus writes with a capital more often than without where no
    sentence begins. Words with a capital further on (USA, McVeigh) stay as they are. Sentences that
    begin with a number or with dots do too.

    `invert` writes the first word with a capital, so that `invert(apply(text))` differs from the
    text at most in its first letter, and only if that was small.

    Args:
        kept: the list, with capitals.
    """

    def __init__(self, kept: Iterable[str]) -> None:
        self.kept = frozenset(kept)

    @classmethod
    def learn(cls, sentences: Iterable[str]) -> FirstWord:
        """Take the words that are written with a capital within sentences."""
        balance: Counter[str] = Counter()
        for sentence in sentences:
            end = len(sentence)
            for match in _WORD.finditer(sentence):
                word = match[0]
                if _WITHIN.fullmatch(sentence, end, match.start()):
                    balance[capitalised(word)] += 1 if small(word) != word else -1
                end = match.end()
        return cls(word for word, count in balance.items() if count > 0 and small(word) != word)

    def apply(self, text: str) -> str:
        """The sentence with its first word in lower case, unless it is on the list."""
        match = _FIRST_WORD.match(text)
        if match is None or match[1] in self.kept:
            return text
        return text[: match.start(1)] + small(match[1]) + text[match.end(1) :]

    def invert(self, text: str) -> str:
        """The sentence with a capital at its beginning."""
        match = _FIRST_WORD.match(text)
        if match is None:
            return text
        return text[: match.start(1)] + capitalised(match[1]) + text[match.end(1) :]

    def save(self, path: Path) -> None:
        """Write the list, a word a line."""
        write_text(path, "".join(f"{word}\n" for word in sorted(self.kept)))

    @classmethod
    def load(cls, path: PathLike) -> FirstWord:
        """Read a list.

        Raises:
            InputError: naming the line that is no word with a capital.
        """
        kept = []
        for number, line in enumerate(read_lines(path), start=1):
            if not _WORD.fullmatch(line) or small(line) == line:
                raise InputError(
                    f"{line[:40]!r} is no word with a capital at its beginning alone",
                    path=str(path), line=number, cure="Write one such as London or Mr in each line",
                )  # fmt: skip
            kept.append(line)
        return cls(kept)


def small(word: str) -> str:
    """A word with a small first letter, if it can have its capital back; else as it is."""
    lower = word[0].lower() + word[1:]
    return lower if lower != word and capitalised(lower) == word else word


def capitalised(word: str) -> str:
    """A word of small letters with a capital at its beginning; any other as it is."""
    upper = word[0].upper()
    is_small = word == word.lower() and len(upper) == 1 and upper.lower() == word[0]
    return upper + word[1:] if is_small else word


class TrueCase:
    """The case that a word usually has, as in Moses' `truecase.perl`, on tokenized text.

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
        """Count the words of tokenized sentences that stand where case is a choice."""
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
