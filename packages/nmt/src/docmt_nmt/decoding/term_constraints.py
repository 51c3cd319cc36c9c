"""Constraints of a target sentence: token sequences (the terms of a glossary), and the progress of
a hypothesis towards them.

A constraint has alternative forms; any form meets the constraint. A form counts as whole words
only: neither the token before nor the token after continues a word. The progress of a hypothesis
follows from the tokens alone, one state after another; a state is made when first reached, and
shared by all hypotheses of a sentence. A state has the fewest tokens to meet all constraints.
A search that keeps this number within the rest of the sentence's maximum length meets all
constraints by construction.

V tokens of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TermConstraint:
    """A constraint of a target sentence.

    Attributes:
        forms: token sequences, not empty; one of them must be in the sentence.
        times: the number of times.
    """

    forms: tuple[tuple[int, ...], ...]
    times: int = 1


class WordEdges(NamedTuple):
    """The tokens with an edge inside a word. A token with a word open at the end, followed by a
    token with a word open at the beginning, makes one word.

    Attributes:
        begins: (V,) True if a token begins with a letter or digit, perhaps within a word.
        ends: (V,) True if a token ends with a letter or digit, perhaps within a word.
    """

    begins: NDArray[np.bool_]
    ends: NDArray[np.bool_]

    @classmethod
    def none(cls, vocabulary_size: int) -> WordEdges:
        """Every token is a word of its own."""
        return cls(*np.zeros((2, vocabulary_size), np.bool_))


class _Open(NamedTuple):
    """A begun form: the constraint, the index of the form, and the number of written tokens."""

    constraint: int
    form: int
    written: int


class SentenceConstraints:
    """The constraints of one target sentence.

    Attributes:
        initial: the state of a sentence without tokens.
    """

    def __init__(self, constraints: Sequence[TermConstraint], edges: WordEdges) -> None:
        self.forms = [constraint.forms for constraint in constraints]
        self.edges = edges
        begins, ends = edges
        # A form with a word open at the beginning can follow only the end of a word, at the cost of
        # a token perhaps, and counts only where there is no other form.
        free = [[not begins[form[0]] for form in forms] for forms in self.forms]
        self.some_begin_in_word = not all(map(any, free))
        self.tails = [
            [int(self.some_begin_in_word and ends[form[-1]]) for form in forms]
            for forms in self.forms
        ]
        # The fewest tokens to meet a constraint once.
        self.costs = [
            min(
                len(form) + tail
                for form, tail, is_free in zip(forms, tails, are_free, strict=True)
                if is_free or not any(are_free)
            )
            for forms, tails, are_free in zip(self.forms, self.tails, free, strict=True)
        ]
        self._states: dict[tuple[object, ...], Progress] = {}
        unmet = tuple(constraint.times for constraint in constraints)
        self.initial = self.state(unmet, frozenset(), frozenset(), False)

    def state(
        self,
        unmet: tuple[int, ...],
        open_: frozenset[_Open],
        pending: frozenset[int],
        in_word: bool,
    ) -> Progress:
        """The state with these values; see `Progress`."""
        key = unmet, open_, pending, in_word
        if key not in self._states:
            self._states[key] = Progress(self, unmet, open_, pending, in_word)
        return self._states[key]


class Progress:
    """The progress of a hypothesis towards the constraints of the sentence.

    Args:
        unmet: for each constraint, how often it is still to be met.
        open_: the begun forms of unmet constraints.
        pending: the constraints met by the last token, unless the next token continues the word.
        in_word: whether the last token ends within a word.

    Attributes:
        in_word: as given.
        need: the fewest tokens to meet all constraints; 0 if all are met.
        most_next: the largest `need` after one more token.
        next_tokens: the tokens to begin or continue a form of an unmet constraint.
        closing: whether a word must end before any of `next_tokens`.
    """

    __slots__ = (
        "_next",
        "_open",
        "_pending",
        "_sentence",
        "_unmet",
        "closing",
        "in_word",
        "most_next",
        "need",
        "next_tokens",
    )

    def __init__(
        self,
        sentence: SentenceConstraints,
        unmet: tuple[int, ...],
        open_: frozenset[_Open],
        pending: frozenset[int],
        in_word: bool,
    ) -> None:
        self._sentence, self._unmet, self._open = sentence, unmet, open_
        self._pending, self.in_word = pending, in_word
        self._next: dict[int, Progress] = {}
        costs, edges = sentence.costs, sentence.edges
        left = self._without_pending()
        total = sum(map(int.__mul__, left, costs))
        closed = in_word and sentence.some_begin_in_word and total > 0
        best, tokens = total + closed, dict[int, None]()
        for open_form in sorted(open_):
            form = sentence.forms[open_form.constraint][open_form.form]
            token = form[open_form.written]
            # A token that continues the word undoes constraints met by the word.
            still = unmet if self._continues_word(token) else left
            if still[open_form.constraint]:
                tokens[token] = None
                rest = sum(map(int.__mul__, still, costs)) - costs[open_form.constraint]
                rest += sentence.tails[open_form.constraint][open_form.form]
                best = min(best, rest + len(form) - open_form.written)
        for times, forms in zip(left, sentence.forms, strict=True):
            for form in forms if times else ():
                if not (in_word and edges.begins[form[0]]):
                    tokens[form[0]] = None
        self.need = best
        self.closing = closed and best == total + 1
        self.most_next = sum(map(int.__mul__, unmet, costs)) + sentence.some_begin_in_word
        self.next_tokens = tuple(tokens)

    @property
    def is_met(self) -> bool:
        """True if all constraints are met, whatever follows."""
        return not any(self._unmet)

    def after(self, token: int) -> Progress:
        """The state after one more token of the sentence."""
        if not any(self._unmet):
            return self
        following = self._next.get(token)
        if following is None:
            following = self._next[token] = self._after(token)
        return following

    def _after(self, token: int) -> Progress:
        forms, ends = self._sentence.forms, bool(self._sentence.edges.ends[token])
        continues = self._continues_word(token)
        unmet = list(self._unmet if continues else self._without_pending())
        written = {
            open_form._replace(written=open_form.written + 1)
            for open_form in self._open
            if forms[open_form.constraint][open_form.form][open_form.written] == token
        }
        if not continues:
            written |= {
                _Open(constraint, index, 1)
                for constraint, alternatives in enumerate(forms)
                for index, form in enumerate(alternatives)
                if form[0] == token
            }
        done = {o for o in written if o.written == len(forms[o.constraint][o.form])}
        met = {open_form.constraint for open_form in done if unmet[open_form.constraint]}
        if not ends:
            for constraint in met:
                unmet[constraint] -= 1
        still_open = frozenset(o for o in written - done if unmet[o.constraint])
        pending = frozenset(met) if ends else frozenset[int]()
        return self._sentence.state(tuple(unmet), still_open, pending, ends)

    def _continues_word(self, token: int) -> bool:
        return self.in_word and bool(self._sentence.edges.begins[token])

    def _without_pending(self) -> tuple[int, ...]:
        return tuple(times - (i in self._pending) for i, times in enumerate(self._unmet))


class TermConstraints:
    """The constraints of all sentences of a search."""

    def __init__(self, sentences: Sequence[Sequence[TermConstraint]], edges: WordEdges) -> None:
        self.edges = edges
        none = SentenceConstraints((), edges)
        self.sentences = [SentenceConstraints(s, edges) if s else none for s in sentences]

    @cached_property
    def needs(self) -> NDArray[np.int64]:
        """(S,) the fewest tokens to meet the constraints of each sentence."""
        return np.array([sentence.initial.need for sentence in self.sentences], np.int64)
