"""Steps that change case: lowercasing, which is not inverted; truecasing (Koehn et al. 2007), the
usual case for words at sentence beginnings; and lowercasing of the first word unless a list has it
(Donato et al. 2021, appendix A.1)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike, read_lines, write_text
from docmt_nmt.text.text_step import LearnedStep, Step

_COUNT = re.compile(r"\(([0-9]{1,18})(?:/[0-9]+)?\)")
# Letters with their combining marks, which follow them in NFKD.
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f])*")
# After dots a sentence continues.
_FIRST_WORD = re.compile(rf"[^\w.…]*({_WORD.pattern})")
# After anything but these a word may begin a sentence, or a title.
_WITHIN = re.compile(r"[ ,]+")


class LowerCase(Step):
    """Lowercasing of all letters. Case is lost: `invert` leaves the text as it is."""

    changes_case = True

    def apply(self, text: str) -> str:
        return text.lower()


class FirstWordCase(LearnedStep):
    """Lowercasing of the first word of a sentence, unless it is on a list of words that are always
    capitalized.

    The paper's list consists of "proper nouns and common abbreviations" and is not published. Here
    it is learned: the words capitalized more often than not within the sentences of the corpus.
    Words with a later capital (USA, McVeigh) stay as they are, and so do sentences beginning with a
    number or with dots.

    `invert` capitalizes the first word. `invert(apply(text))` differs from the text at most in the
    first letter, and only if this letter was lowercase.

    Args:
        kept: the list, capitalized.
    """

    changes_case = True

    name = "first-word"

    def __init__(self, kept: Iterable[str]) -> None:
        self.kept = frozenset(kept)

    @classmethod
    def learn(cls, sentences: Iterable[str]) -> FirstWordCase:
        balance: Counter[str] = Counter()
        for sentence in sentences:
            end = len(sentence)
            for match in _WORD.finditer(sentence):
                word = match[0]
                if _WITHIN.fullmatch(sentence, end, match.start()):
                    balance[_capitalized(word)] += 1 if _lowercased(word) != word else -1
                end = match.end()
        return cls(
            word for word, count in balance.items() if count > 0 and _lowercased(word) != word
        )

    def apply(self, text: str) -> str:
        match = _FIRST_WORD.match(text)
        if match is None or match[1] in self.kept:
            return text
        return text[: match.start(1)] + _lowercased(match[1]) + text[match.end(1) :]

    def invert(self, text: str) -> str:
        match = _FIRST_WORD.match(text)
        if match is None:
            return text
        return text[: match.start(1)] + _capitalized(match[1]) + text[match.end(1) :]

    def save(self, path: Path) -> None:
        write_text(path, "".join(f"{word}\n" for word in sorted(self.kept)))

    @classmethod
    def load(cls, path: PathLike) -> FirstWordCase:
        kept = []
        for number, line in enumerate(read_lines(path), start=1):
            if not _WORD.fullmatch(line) or _lowercased(line) == line:
                raise InputError(
                    f"{line[:40]!r} is not a word whose first letter alone is a capital",
                    path=str(path),
                    line=number,
                    cure="Write one such as London or Mr on each line",
                )
            kept.append(line)
        return cls(kept)


def _lowercased(word: str) -> str:
    """Lowercase the first letter of a word if this can be inverted."""
    lower = word[0].lower() + word[1:]
    return lower if lower != word and _capitalized(lower) == word else word


def _capitalized(word: str) -> str:
    """Capitalize a lowercase word; any other stays as it is."""
    upper = word[0].upper()
    is_lower = word == word.lower() and len(upper) == 1 and upper.lower() == word[0]
    return upper + word[1:] if is_lower else word


_ENDS = frozenset(".:?!")
"""Words of Moses after which a sentence begins."""

_BEFORE_BEGINNINGS = frozenset(["(", "[", '"', "'", "&apos;", "&quot;", "&#91;", "&#93;"])
"""Words of Moses allowed before the first word of a sentence."""


def _next_begins(word: str, begins: bool) -> bool:
    """Return whether a sentence begins after a word, which `begins` one itself."""
    return word in _ENDS or (begins and word in _BEFORE_BEGINNINGS)


def _holds_tag(word: str) -> bool:
    """Return whether Moses finds an XML tag in a word: `<`, anything, and `>`."""
    start = word.find("<")
    return start >= 0 and word.rfind(">") >= start + 2


def _with_capital(word: str) -> str:
    """Capitalize the first letter of a word if the capital is one letter with the same lowercase.
    Letters without a capital, such as ß and ı, stay as they are."""
    upper = word[:1].upper()
    return upper + word[1:] if upper.lower() == word[:1].lower() else word


class TrueCase(LearnedStep):
    """Truecasing as in Moses' `truecase.perl`, on tokenized text.

    The first word of a sentence takes the most frequent case of the word; a sentence also begins
    after `.`, `:`, `?` and `!`. Any other word stays as it is, unless the corpus has the word and
    never in this case. `invert` capitalizes the beginnings of sentences. `invert(apply(text))`
    differs from the text at most in the case of sentence beginnings and of words such as HELLO if
    the corpus has only hello.

    Args:
        counts: count of each word, grouped by the lowercase form.
    """

    changes_case = True

    name = "truecase"

    def __init__(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        self.counts = counts
        self._best = {lower: max(cases, key=cases.__getitem__) for lower, cases in counts.items()}
        self._known = {case for cases in counts.values() for case in cases}

    @classmethod
    def learn(cls, sentences: Iterable[str]) -> TrueCase:
        """Count the words of tokenized sentences, except where their position decides their
        case, and except tags."""
        # Slow to import, and needed for learning alone: the letters with case.
        from sacremoses import MosesTruecaser

        cased = MosesTruecaser().SKIP_LETTERS_REGEX
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for sentence in sentences:
            begins = True
            for word in sentence.split():
                if word in _BEFORE_BEGINNINGS or _holds_tag(word):
                    continue
                if word in _ENDS and not begins:
                    begins = True
                    continue
                if not begins and cased.search(word):
                    counts[word.lower()][word] += 1
                begins = False
        return cls(counts)

    def apply(self, text: str) -> str:
        begins = True
        words: list[str] = []
        for word in text.split():
            if begins or word not in self._known:
                word = self._best.get(word.lower(), word)
            words.append(word)
            begins = _next_begins(word, begins)
        return " ".join(words)

    def invert(self, text: str) -> str:
        begins = True
        words: list[str] = []
        for word in text.split():
            words.append(_with_capital(word) if begins else word)
            begins = _next_begins(word, begins)
        return " ".join(words)

    def save(self, path: Path) -> None:
        """Write the counts as Moses does: `word (count/all) other (count) ...`, one line per
        lowercase form."""
        lines = []
        for cases in self.counts.values():
            first, *others = sorted(cases, key=lambda case: -cases[case])
            fields = [f"{first} ({cases[first]}/{sum(cases.values())})"]
            lines.append(" ".join([*fields, *(f"{o} ({cases[o]})" for o in others)]) + "\n")
        write_text(path, "".join(lines))

    @classmethod
    def load(cls, path: PathLike) -> TrueCase:
        """Read the file of `save`, Moses or sacremoses."""
        counts: dict[str, dict[str, int]] = {}
        for number, line in enumerate(read_lines(path), start=1):
            fields = line.split()
            numbers = [_COUNT.fullmatch(field) for field in fields[1::2]]
            if len(fields) % 2 or not all(numbers):
                raise InputError(
                    "is not a line of a truecasing model, such as `the (120/150) The (30)`",
                    path=str(path),
                    line=number,
                    cure="Use the file that Moses' training wrote",
                )
            for word, count in zip(fields[::2], filter(None, numbers), strict=True):
                counts.setdefault(word.lower(), {})[word] = int(count[1])
        return cls(counts)
