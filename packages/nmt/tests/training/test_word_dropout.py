"""Word dropout replaces words and leaves special tokens and labels."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate
from docmt_nmt.nn.batch import Batch
from docmt_nmt.training.word_dropout import drop_words

SPECIAL_TOKENS = SpecialTokens((0,), (2,), 0, 2)
LANGUAGE_TOKENS = SpecialTokens((), (2, 90), 91, 2)
OPENED = SpecialTokens((90,), (2,), 2, 2, (91,))
UNKNOWN = 3

sentences = st.lists(st.lists(st.integers(4, 80), max_size=6), min_size=1, max_size=4)


def dropped(
    batch: Batch, special_tokens: SpecialTokens, source: float, target: float, seed: int = 1
) -> Batch:
    generator = torch.Generator().manual_seed(seed)
    return drop_words(
        batch,
        special_tokens,
        source=source,
        target=target,
        written=(UNKNOWN, UNKNOWN),
        generator=generator,
    )


def instances(*sides: list[list[int]]) -> list[Instance]:
    return [Instance("d", 0, side, side) for side in sides]


@given(sentences, st.sampled_from([SPECIAL_TOKENS, LANGUAGE_TOKENS, OPENED]))
def test_dropping_everything_leaves_the_special_tokens_and_the_labels(side, special_tokens):
    batch = collate(instances(side, side), special_tokens)
    unknown = collate(instances(*[[[UNKNOWN] * len(s) for s in side]] * 2), special_tokens)
    found = dropped(batch, special_tokens, 0.999999999, 0.999999999)
    assert torch.equal(found.source.tokens, unknown.source.tokens)
    assert torch.equal(found.target.tokens, unknown.target.tokens)
    assert torch.equal(found.labels, batch.labels)


def test_about_the_asked_share_is_replaced_on_each_side():
    batch = collate(instances([[5] * 1000] * 20), SPECIAL_TOKENS)
    found = dropped(batch, SPECIAL_TOKENS, 0.3, 0.1)
    shares = [
        (side.tokens == UNKNOWN).sum().item() / 20_000 for side in (found.source, found.target)
    ]
    assert abs(shares[0] - 0.3) < 0.02
    assert abs(shares[1] - 0.1) < 0.02


def test_the_same_seed_drops_the_same_words():
    batch = collate(instances([[5] * 100]), SPECIAL_TOKENS)
    tokens = [dropped(batch, SPECIAL_TOKENS, 0.5, 0.5, seed).source.tokens for seed in (1, 1, 2)]
    assert torch.equal(tokens[0], tokens[1])
    assert not torch.equal(tokens[0], tokens[2])


def test_without_word_dropout_the_batch_stays():
    batch = collate(instances([[5, 6, 7]]), SPECIAL_TOKENS)
    found = dropped(batch, SPECIAL_TOKENS, 0.0, 0.0)
    assert torch.equal(found.source.tokens, batch.source.tokens)
    assert torch.equal(found.target.tokens, batch.target.tokens)
