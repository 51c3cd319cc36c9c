"""Beam search: its hypotheses, their scores, and one target sentence for each source sentence."""

import itertools
import math

import pytest
import torch

from docmt_files.base.errors import InputError
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate
from docmt_nmt.nn import BeamState
from docmt_nmt.systems import build
from docmt_nmt.systems.g_transformer_settings import GTransformerSettings
from table_system import BEGIN, END, GARDEN_PATH, SPECIAL_TOKENS, A, B, Table, find, source


def test_a_beam_finds_what_greedy_search_misses():
    system, packed = Table(GARDEN_PATH), source([[A]])
    ((greedy,),) = find(system, packed)
    assert greedy.sentences == ((A,) * 5,)
    best = find(system, packed, beam_size=2, length_penalty=0.0)[0][0]
    assert best.sentences == ((B,),)
    assert best.score == pytest.approx(torch.tensor(0.4 * 0.9).log().item())
    assert best.log_probabilities == (pytest.approx(best.score),)


def test_without_early_stopping_a_better_hypothesis_may_finish_late():
    # A finishes at once with probability 0.3, and the beam is full before B is through.
    table = [row[:] for row in GARDEN_PATH]
    table[BEGIN] = [0.0, 0.0, 0.0, 0.6, 0.4]
    table[A] = [0.0, 0.0, 0.6, 0.39, 0.01]
    table[B] = [0.0, 0.0, 0.01, 0.0, 0.99]
    packed = source([[A]])
    early, late = (
        find(Table(table), packed, longest=9, beam_size=2, early_stopping=early)[0]
        for early in (True, False)
    )
    assert late[0].score > early[0].score
    assert len(late[0].sentences[0]) > len(early[0].sentences[0])
    assert [h.score for h in late] == sorted((h.score for h in late), reverse=True)
    # No hypothesis of the exhaustive list that the beam holds ends better.
    assert len(late) == 2


@pytest.mark.parametrize("early", [True, False])
def test_a_beam_of_one_ends_with_its_hypothesis(early):
    ((one,),) = find(Table(GARDEN_PATH), source([[A]]), longest=9, early_stopping=early)
    ((same,),) = find(Table(GARDEN_PATH), source([[A]]), longest=9)
    assert one == same


def exhaustive(table, sentences, longest):
    """All translations of so many sentences with their log-probabilities, the best first."""
    log = torch.tensor(table).log()
    single = []
    for n in range(1, longest + 1):
        for words in itertools.product([A, B], repeat=n):
            steps = [BEGIN, *words] if n == longest else [BEGIN, *words, END]
            score = sum(log[a, b].item() for a, b in itertools.pairwise(steps))
            single.append((score, words))
    whole = [
        (sum(score for score, _ in choice), tuple(words for _, words in choice))
        for choice in itertools.product(single, repeat=sentences)
    ]
    return sorted(whole, reverse=True)


def test_a_wide_beam_finds_the_best_of_all_documents_in_order():
    packed = source([[A], [A]])
    found = find(Table(GARDEN_PATH), packed, longest=2, beam_size=40, length_penalty=0.0)[0]
    expected = exhaustive(GARDEN_PATH, 2, 2)
    assert len(found) == len(expected) == 36
    for hypothesis, (score, _) in zip(found, expected, strict=True):
        assert hypothesis.score == pytest.approx(score, abs=1e-5)
    assert found[0].sentences == expected[0][1]


def test_every_source_sentence_gets_exactly_one_sentence_of_bounded_length():
    settings = GTransformerSettings(layers=2, d_model=16, heads=2, ffn_dim=32)
    system = build(settings, 30, 30).eval()
    packed = source([[5, 6], [7], [8, 9, 10]], [[4]], [[5]] * 7)
    for beam in (1, 4):
        for instance, hypotheses in enumerate(find(system, packed, longest=3, beam_size=beam)):
            assert 1 <= len(hypotheses) <= beam
            scores = [h.score for h in hypotheses]
            assert scores == sorted(scores, reverse=True)
            assert len({h.sentences for h in hypotheses}) == len(hypotheses)
            for h in hypotheses:
                assert len(h.sentences) == [3, 1, 7][instance]
                assert all(1 <= len(s) <= 3 for s in h.sentences)
                assert all(t > END for s in h.sentences for t in s)
                assert [len(s) == 3 for s in h.sentences] == list(h.truncated)


@pytest.mark.by_default(1)
@pytest.mark.parametrize(
    "special_tokens",
    [
        SPECIAL_TOKENS,
        SpecialTokens((9,), (END,), END, END, (8,)),
        SpecialTokens((), (END,), END, END),
    ],
)
def test_log_probabilities_are_those_of_the_full_pass(special_tokens):
    settings = GTransformerSettings(layers=3, d_model=16, heads=2, ffn_dim=32)
    system = build(settings, 30, 30).eval()
    # Long enough for the hypotheses' common past to be held once.
    sentences = [[5, 6], [7], [8, 9, 10], [5], [6, 7]]
    best = find(
        system,
        source(sentences, special_tokens=special_tokens),
        longest=25,
        beam_size=3,
        special_tokens=special_tokens,
    )[0][0]
    assert sum(len(s) for s in best.sentences) > 50
    batch = collate([Instance("d", 0, sentences, best.sentences)], special_tokens)
    with torch.no_grad():
        log = torch.log_softmax(system(batch), dim=-1)
    free = [
        (place, label)
        for place, label in enumerate(batch.labels.tolist())
        if label >= 0 and not forced_end(batch, place, label, best)
    ]
    expected = sum(log[place, label].item() for place, label in free)
    assert sum(best.log_probabilities) == pytest.approx(expected, abs=1e-4)


def forced_end(batch, place, label, best):
    """Whether an end mark stands there because the sentence was at its greatest length."""
    return label == END and best.truncated[int(batch.target.sentences.index[place])]


def test_a_document_is_translated_alike_alone_and_among_others():
    settings = GTransformerSettings(layers=2, d_model=16, heads=2, ffn_dim=32)
    system = build(settings, 30, 30).eval()
    documents = [[[5, 6], [7]], [[4]], [[9, 9, 9], [8], [5, 5]]]
    together = find(system, source(*documents), longest=6, beam_size=3)
    for document, found in zip(documents, together, strict=True):
        alone = find(system, source(document), longest=6, beam_size=3)[0]
        assert [h.sentences for h in alone] == [h.sentences for h in found]


NOT_FINITE = {
    "nan": [[math.nan] * 5] * 5,
    "inf": [[math.inf] * 5] * 5,
    "-inf": [[-math.inf] * 5] * 5,
    "one nan": [[0.0, 0.0, 0.0, math.nan, 0.0]] * 5,
    "one inf": [[0.0, 0.0, 0.0, 0.0, math.inf]] * 5,
    "nan after A": [[0.0, 0.0, 0.0, 9.0, 0.0]] * 3 + [[math.nan] * 5, [0.0] * 5],
    "-inf but for what is never text": [[-math.inf, 0.0, -math.inf, -math.inf, -math.inf]] * 5,
}


@pytest.mark.parametrize("logits", NOT_FINITE.values(), ids=NOT_FINITE.keys())
@pytest.mark.parametrize("beam_size", [1, 2, 4])
def test_search_ends_with_an_error_where_logits_are_not_finite(logits, beam_size):
    system = Table(GARDEN_PATH)
    system.table = torch.tensor(logits)
    with pytest.raises(InputError, match="logits that are not finite"):
        find(system, source([[A], [B, A]], [[A]]), beam_size=beam_size)


def test_the_cache_follows_the_generated_sentences():
    packed = source([[5, 6], [7]], [[8]])
    cache = BeamState(Table(GARDEN_PATH).encode(packed), 1, SPECIAL_TOKENS)
    seen = []
    for tokens in [(BEGIN, BEGIN), (A, A), (END, B), (BEGIN, B), (A, B)]:
        cache.advance(torch.tensor(tokens))
        seen.append((cache.sentence.tolist(), cache.position.tolist()))
    assert seen == [
        ([0, 2], [0, 0]),
        ([0, 2], [1, 1]),
        ([0, 2], [2, 2]),
        ([1, 2], [0, 3]),
        ([1, 2], [1, 4]),
    ]
