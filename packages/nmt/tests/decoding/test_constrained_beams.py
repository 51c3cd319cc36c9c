"""Beam search with constraints: every sentence contains what it must, and otherwise is what beam
search finds."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import cases
from cases import CASES, VOCABULARY, batch, documents, make, one_of_each_system
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.decoding import TermConstraint, TermConstraints, WordEdges, search
from docmt_nmt.decoding.beams import Beams
from docmt_nmt.decoding.constrained_beams import ConstrainedBeams, order_by_bank
from docmt_nmt.decoding.term_constraints import SentenceConstraints
from table_system import BEGIN, END, PAD, SPECIAL_TOKENS, A, B, Table, find, source

each_system = one_of_each_system(CASES)

LAST = 8
"""The last token of the vocabulary; a word always ends before it."""

TOKENS = st.integers(A, LAST)
FORMS = st.lists(st.lists(TOKENS, min_size=1, max_size=3).map(tuple), min_size=1, max_size=2)
CONSTRAINTS = st.builds(TermConstraint, FORMS.map(tuple), st.integers(1, 2))
INSTANCES = st.lists(
    st.lists(st.lists(CONSTRAINTS, max_size=2), min_size=1, max_size=3), min_size=1, max_size=3
)


@st.composite
def word_edges(draw):
    """Which tokens are parts of words, by chance."""
    flags = st.lists(st.booleans(), min_size=LAST + 1, max_size=LAST + 1)
    begins, ends = np.array([draw(flags), draw(flags)])
    begins[LAST] = ends[LAST] = False
    return WordEdges(begins, ends)


def occurrences(constraint, sentence, edges):
    """Where the forms of a constraint end in a sentence, as whole words: by looking at each place,
    without any state."""

    def is_joined(i):
        """Whether the tokens before and at an index are parts of one word."""
        inside = 0 < i < len(sentence)
        return inside and edges.ends[sentence[i - 1]] and edges.begins[sentence[i]]

    return {
        end
        for form in constraint.forms
        for end in range(len(form), len(sentence) + 1)
        if tuple(sentence[end - len(form) : end]) == form
        and not is_joined(end)
        and not is_joined(end - len(form))
    }


def random_table(seed, size=LAST + 1):
    """A table of random probabilities."""
    logits = np.random.default_rng(seed).normal(size=(size, size)) * 2
    return (np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)).tolist()


def check(found, instances, lengths, edges):
    """Check that every sentence contains what it must and is not too long."""
    limits = iter(lengths)
    for constraints, hypotheses in zip(instances, found, strict=True):
        own = [next(limits) for _ in constraints]
        assert len({h.sentences for h in hypotheses}) == len(hypotheses) > 0
        for hypothesis in hypotheses:
            for sentence, required, limit in zip(
                hypothesis.sentences, constraints, own, strict=True
            ):
                assert 1 <= len(sentence) <= limit
                for constraint in required:
                    ends = occurrences(constraint, sentence, edges)
                    assert len(ends) >= constraint.times, (constraint, sentence)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10_000),
    word_edges(),
    st.integers(1, 4),
    st.integers(0, 3),
    INSTANCES,
    st.sampled_from(
        [
            SPECIAL_TOKENS,
            SpecialTokens((), (END,), END, END),
            SpecialTokens((), (END,), BEGIN, END, (PAD,)),
        ]
    ),
)
def test_every_sentence_contains_what_it_must_even_if_there_is_no_token_to_spare(
    seed, edges, beam_size, to_spare, instances, special_tokens
):
    terms = TermConstraints([sentence for i in instances for sentence in i], edges)
    lengths = np.maximum(terms.needs + to_spare, 1)
    found = search(
        Table(random_table(seed)),
        source(*([[A]] * len(i) for i in instances)),
        special_tokens,
        beam_size=beam_size,
        max_lengths=lengths,
        banned=[PAD],
        terms=terms,
    )
    check(found, instances, lengths.tolist(), edges)


@settings(max_examples=60, deadline=None)
@given(word_edges(), st.lists(CONSTRAINTS, min_size=1, max_size=2), st.lists(TOKENS, max_size=8))
def test_what_is_met_follows_from_the_tokens(edges, constraints, sentence):
    progress = SentenceConstraints(constraints, edges).initial
    for token in sentence:
        progress = progress.after(token)
    met = all(len(occurrences(c, sentence, edges)) >= c.times for c in constraints)
    assert (progress.need == 0) == met


@settings(max_examples=60, deadline=None)
@given(word_edges(), st.lists(CONSTRAINTS, min_size=1, max_size=2), st.lists(TOKENS, max_size=5))
def test_there_is_always_a_token_that_brings_the_end_nearer(edges, constraints, sentence):
    progress = SentenceConstraints(constraints, edges).initial
    for token in sentence:
        progress = progress.after(token)
    while progress.need > 0:
        ways = [*progress.next_tokens, *([LAST] if progress.closing else [])]
        nearest = min((progress.after(token) for token in ways), key=lambda p: p.need)
        assert nearest.need < progress.need
        progress = nearest


@pytest.mark.by_default(7)
def test_every_system_writes_what_it_must(settings):
    system, draw = make(settings, seed=3), random.Random(1)
    packed = batch(*documents((4, 3), (5,), (2, 6, 3))).source
    instances = [
        [
            [TermConstraint(((draw.randrange(4, VOCABULARY), draw.randrange(4, VOCABULARY)),))]
            for _ in range(n)
        ]
        for n in (2, 1, 3)
    ]
    edges = WordEdges.none(VOCABULARY)
    terms = TermConstraints([sentence for i in instances for sentence in i], edges)
    keys = {"beam_size": 3, "max_lengths": [6] * 6, "banned": [0, 1, 3]}
    found = search(system, packed, cases.SPECIAL_TOKENS, terms=terms, **keys)
    check(found, instances, [6] * 6, edges)


@pytest.mark.by_default(2)
@pytest.mark.parametrize("name", ["transformer", "g-transformer", "hm-gdc"])
def test_without_constraints_it_is_beam_search_to_the_last_bit(name, monkeypatch):
    system = make(CASES[name], seed=3)
    packed = batch(*documents((4, 3), (5,), (2, 6, 3))).source
    keys = {"beam_size": 4, "max_lengths": [9] * 6}
    none = TermConstraints([()] * 6, WordEdges.none(VOCABULARY))
    with_none = search(system, packed, cases.SPECIAL_TOKENS, terms=none, **keys)

    def fail(*_):
        raise AssertionError("a search without constraints does nothing for them")

    monkeypatch.setattr(ConstrainedBeams, "__init__", fail)
    monkeypatch.setattr(SentenceConstraints, "__init__", fail)
    assert search(system, packed, cases.SPECIAL_TOKENS, **keys) == with_none


def test_instances_without_constraints_are_found_as_ever():
    system = make(CASES["g-transformer"], seed=3)
    packed = batch(*documents((4, 3), (5,), (2, 6, 3))).source
    keys = {"beam_size": 4, "max_lengths": [9] * 6}
    alone = search(system, packed, cases.SPECIAL_TOKENS, **keys)
    constraints = [[], [], [TermConstraint(((5, 6, 7),))], [], [], []]
    terms = TermConstraints(constraints, WordEdges.none(VOCABULARY))
    found = search(system, packed, cases.SPECIAL_TOKENS, terms=terms, **keys)
    assert found[0] == alone[0] and found[2] == alone[2] and found[1] != alone[1]


@pytest.mark.by_default(2)
@pytest.mark.parametrize("name", ["transformer", "g-transformer", "hm-gdc", "long-short"])
def test_where_the_best_hypothesis_meets_the_constraints_it_is_found(name):
    system, draw = make(CASES[name], seed=3), random.Random(1)
    packed = batch(*documents((4, 3), (5,), (2, 6, 3))).source
    keys = {"beam_size": 4, "max_lengths": [9] * 6}
    plain = search(system, packed, cases.SPECIAL_TOKENS, **keys)
    constraints = []
    for sentence in (s for hypotheses in plain for s in hypotheses[0].sentences):
        first = draw.randrange(len(sentence))
        constraints.append([TermConstraint((sentence[first : first + 2],))])
    terms = TermConstraints(constraints, WordEdges.none(VOCABULARY))
    found = search(system, packed, cases.SPECIAL_TOKENS, terms=terms, **keys)
    assert [h[0].sentences for h in found] == [h[0].sentences for h in plain]


def test_a_wide_beam_finds_the_best_of_all_translations_that_meet_the_constraints():
    table, longest = random_table(7, size=5), 3
    log = np.log(table)
    constraint = TermConstraint(((A, B), (B, B)))
    scores = []
    for n in range(1, longest + 1):
        for words in itertools.product([A, B], repeat=n):
            if occurrences(constraint, words, WordEdges.none(5)):
                tokens = [BEGIN, *words] if n == longest else [BEGIN, *words, END]
                score = sum(log[a, b] for a, b in itertools.pairwise(tokens))
                scores.append((score, (words,)))
    terms = TermConstraints([[constraint]], WordEdges.none(5))
    found = find(
        Table(table), source([[A]]), longest=longest, beam_size=20, length_penalty=0.0, terms=terms
    )[0]
    assert [h.sentences for h in found] == [words for _, words in sorted(scores, reverse=True)]
    assert [h.score for h in found] == pytest.approx(sorted((s for s, _ in scores), reverse=True))


@pytest.mark.parametrize(("longest", "expected"), [(5, (A, B, 5)), (1, (5,))])
def test_a_constraint_does_not_break_off_a_word(longest, expected):
    # A begins a word, and B nearly always goes on with it; 5 is a word.
    table = [
        [0.0, 0.0, 0.0, 0.997, 0.0, 0.003],
        [1 / 6] * 6,
        [1 / 6] * 6,
        [0.0, 0.0, 0.04, 0.0, 0.9, 0.06],
        [0.0, 0.0, 0.98, 0.0, 0.0, 0.02],
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    ]
    begins, ends = np.zeros((2, 6), bool)
    begins[B] = ends[A] = ends[B] = ends[5] = True
    terms = TermConstraints([[TermConstraint(((5,),))]], WordEdges(begins, ends))
    keys = {"longest": longest, "beam_size": 2, "length_penalty": 0.0, "terms": terms}
    (found,) = find(Table(table), source([[A]]), **keys)
    assert found[0].sentences == (expected,)
    assert all(hypothesis.sentences != ((A, 5),) for hypothesis in found)


def allocate(banks, valid, beam_size):
    """The allocation of a beam of Post and Vilar (2018) to the banks that have proposals, the best
    of each first; the reference."""
    of_bank = {}
    highest = -1
    for index, (bank, is_valid) in enumerate(zip(banks, valid, strict=True)):
        if is_valid:
            highest = max(highest, bank)
            of_bank.setdefault(highest, []).append(index)
    sizes = Counter()
    while sum(sizes.values()) < min(beam_size, sum(valid)):
        for bank in sorted(of_bank, reverse=True):
            if sizes[bank] < len(of_bank[bank]) and sum(sizes.values()) < beam_size:
                sizes[bank] += 1
    return {index for bank, size in sizes.items() for index in of_bank[bank][:size]}


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 6),
    st.integers(1, 12).flatmap(
        lambda n: st.lists(
            st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=n, max_size=n),
            min_size=1,
            max_size=3,
        )
    ),
)
def test_the_beam_is_divided_evenly_among_the_banks(beam_size, units):
    banks = np.array([[bank for bank, _ in unit] for unit in units])
    valid = np.array([[is_valid for _, is_valid in unit] for unit in units])
    order = order_by_bank(banks, valid)
    for unit, of_unit, valid_of_unit in zip(order, banks, valid, strict=True):
        assert sorted(unit.tolist()) == list(range(len(unit)))
        chosen = {int(index) for index in unit[:beam_size] if valid_of_unit[index]}
        assert chosen == allocate(of_unit.tolist(), valid_of_unit.tolist(), beam_size)


def test_a_step_without_constraints_calls_nothing_that_one_with_constraints_does(monkeypatch):
    assert Beams.extend is ConstrainedBeams.extend
    system, packed = Table(random_table(1)), source([[A], [A]])
    calls = Counter()
    for name in ("_follow", "_required", "_close_words", "keep"):
        method = getattr(ConstrainedBeams, name)

        def counted(*arguments, method=method, name=name):
            calls[name] += 1
            return method(*arguments)

        monkeypatch.setattr(ConstrainedBeams, name, counted)
    find(system, packed, beam_size=3)
    assert not calls
    terms = TermConstraints([[TermConstraint(((A, B),))], []], WordEdges.none(9))
    with torch.no_grad():
        find(system, packed, beam_size=3, terms=terms)
    assert calls["_follow"] == calls["_required"] > 2
