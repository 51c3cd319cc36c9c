"""Sampling draws from the system's distribution, the same for the same seed."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import torch

from cases import CASES, SPECIAL_TOKENS, batch, documents, make, one_of_each_system
from docmt_files.base.errors import InputError
from docmt_nmt.decoding import Sampling, search
from docmt_nmt.recipes.search import SearchSettings
from table_system import BEGIN, END, GARDEN_PATH, PAD, A, B, Table, find, source

each_system = one_of_each_system(CASES)


def draw(share_of, uniforms, **keys):
    """What is drawn from one distribution with these random numbers."""
    logits = torch.tensor(share_of).log().expand(len(uniforms), -1)
    return Sampling([], **keys).draw(logits, torch.tensor(uniforms)).tolist()


SHARES = [0.1, 0.5, 0.0, 0.15, 0.25]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        # By number: token 0 up to 0.1, token 1 up to 0.6, token 3 up to 0.75, then token 4.
        ({}, [0, 1, 3, 4, 4]),
        # By probability: token 1 up to 0.5, token 4 up to 0.75, token 3 up to 0.9, then token 0.
        ({"top_k": 5}, [1, 1, 4, 3, 0]),
        ({"top_k": 1}, [1, 1, 1, 1, 1]),
        # Tokens 1 and 4, in shares of 2/3 and 1/3.
        ({"top_k": 2}, [1, 1, 1, 4, 4]),
        ({"top_p": 0.7}, [1, 1, 1, 4, 4]),
        # Exactly half is enough.
        ({"top_p": 0.5}, [1, 1, 1, 1, 1]),
        ({"top_p": 0.01}, [1, 1, 1, 1, 1]),
        # Squared: 0.01, 0.25, 0.0225 and 0.0625 of 0.345.
        ({"temperature": 0.5}, [0, 1, 1, 3, 4]),
        ({"top_k": 3, "top_p": 1.0, "temperature": 1.0}, [1, 1, 4, 4, 3]),
    ],
)
def test_a_random_number_picks_the_token_in_whose_share_it_falls(keys, expected):
    assert draw(SHARES, [0.0, 0.49, 0.61, 0.8, 0.95], **keys) == expected


def test_a_number_just_below_one_draws_no_token_of_probability_zero():
    below_one = float(np.nextafter(np.float32(1), np.float32(0)))
    assert draw(SHARES, [below_one]) == [4]
    assert draw(SHARES, [below_one], top_k=5) == [0]
    assert draw([0.0, 1.0, 0.0], [below_one, 0.0]) == [1, 1]


def test_translations_come_as_often_as_they_are_probable():
    samples = 4000
    packed = source([[A]])
    (found,) = find(
        Table(GARDEN_PATH), packed, longest=2, beam_size=samples, sampling=Sampling([(1,)])
    )
    counts = Counter(h.sentences[0] for h in found)
    log = torch.tensor(GARDEN_PATH).log()
    expected = {}
    for words in ((A,), (B,), (A, A), (A, B), (B, A), (B, B)):
        steps = [BEGIN, *words] if len(words) == 2 else [BEGIN, *words, END]
        expected[words] = float(sum(log[a, b] for a, b in pairwise(steps)).exp())
    assert counts.keys() == expected.keys()
    for words, share in expected.items():
        assert counts[words] / samples == pytest.approx(share, abs=4 * (share / samples) ** 0.5)
    # The log-probabilities are the system's.
    for h in found[:20]:
        assert h.log_probabilities[0] == pytest.approx(np.log(expected[h.sentences[0]]), abs=1e-5)


def test_the_first_sample_is_neither_the_shortest_nor_the_best():
    system = Table(GARDEN_PATH)
    firsts = [
        find(system, source([[A]]), beam_size=8, sampling=Sampling([(seed,)]))[0]
        for seed in range(30)
    ]
    lengths = [[len(h.sentences[0]) for h in found] for found in firsts]
    scores = [[h.score for h in found] for found in firsts]
    assert any(own[0] > min(own) for own in lengths)
    assert any(own[0] < max(own) for own in scores)


@pytest.mark.by_default(2)
@torch.no_grad()
def test_what_is_drawn_for_a_document_does_not_depend_on_the_batch(settings):
    system = make(settings)
    instances = documents([4, 3], [5], [2, 4, 3])

    def drawn(*chosen, seed=1):
        packed = batch(*(instances[i] for i in chosen)).source
        found = search(
            system,
            packed,
            SPECIAL_TOKENS,
            beam_size=2,
            max_lengths=np.full(len(packed.sentences), 5),
            sampling=Sampling([(seed, i) for i in chosen]),
        )
        return [[h.sentences for h in hypotheses] for hypotheses in found]

    together = drawn(0, 1, 2)
    assert together == [*drawn(0), *drawn(1), *drawn(2)]
    assert drawn(2, 0) == [together[2], together[0]]
    assert drawn(0, 1, 2, seed=2) != together
    for document, instance in zip(together, instances, strict=True):
        assert all(len(sentences) == len(instance.source) for sentences in document)
        assert all(1 <= len(s) <= 5 for sentences in document for s in sentences)


def test_nothing_that_is_ruled_out_is_drawn():
    # Special tokens are as probable as words.
    system = Table([[0.2] * 5] * 5)
    found = find(system, source([[A]] * 3), beam_size=50, sampling=Sampling([(1,)]))[0]
    tokens = {token for h in found for s in h.sentences for token in s}
    assert tokens == {A, B}
    assert PAD not in tokens


def test_logits_that_are_not_finite_are_an_error():
    system = Table([[float("nan")] * 5] * 5)
    with pytest.raises(InputError, match="not finite"):
        find(system, source([[A]]), beam_size=2, sampling=Sampling([(1,)]))


@pytest.mark.parametrize("keys", [{"temperature": 0.5}, {"top_k": 5}, {"top_p": 0.5}, {"seed": 2}])
def test_settings_of_sampling_need_it(keys):
    SearchSettings.read({"method": "sampling", **keys})
    with pytest.raises(InputError, match="method"):
        SearchSettings.read(keys)


@pytest.mark.parametrize("keys", [{"temperature": 0.0}, {"top_k": 0}, {"top_p": 0.0}])
def test_values_that_leave_nothing_to_draw_are_errors(keys):
    with pytest.raises(InputError):
        SearchSettings.read({"method": "sampling", **keys})
