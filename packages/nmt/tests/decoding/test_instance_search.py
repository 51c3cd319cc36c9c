"""The batches in which instances are searched together."""

import pytest

import docmt_nmt
from docmt_files.base.documents import Document
from docmt_nmt.data import Instance
from docmt_nmt.decoding import batches
from docmt_nmt.decoding.batches import (
    MAX_SCORES,
    batches_by_length,
    batches_to_refill,
    open_at_once,
    within_scores,
)
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.systems import System
from table_system import SPECIAL_TOKENS
from toy import ENGLISH


def test_instances_are_searched_together_within_both_limits():
    instances = [
        Instance("d", 0, [[5] * length] * count)
        for length, count in ((3, 1), (8, 2), (3, 3), (30, 1))
    ]

    # The sizes are 5, 20, 15 and 32 tokens.
    def grouped(**keys):
        one_pass = keys.pop("one_pass", True)
        settings = SearchSettings(beam_size=2, **keys)
        found = batches_by_length(instances, settings, SPECIAL_TOKENS, one_pass=one_pass)
        return list(found)

    assert grouped() == [[3, 1, 2, 0]]
    assert grouped(batch_tokens=64) == [[3, 1], [2, 0]]
    assert grouped(max_hypotheses=6) == [[3, 1, 2], [0]]
    # Each sentence on its own has hypotheses of its own.
    assert grouped(max_hypotheses=6, one_pass=False) == [[3, 1], [2], [0]]
    assert grouped(batch_tokens=1) == [[3], [1], [2], [0]]


def refilled(instances, threads=1, **keys):
    settings = SearchSettings(beam_size=5, **keys)
    return list(batches_to_refill(instances, settings, SPECIAL_TOKENS, threads=threads))


def test_a_batch_that_is_refilled_holds_more_instances_than_are_open():
    instances = [Instance("d", 0, [[5] * (1 + index)]) for index in range(500)]
    assert open_at_once(SearchSettings(beam_size=5)) == 51
    assert open_at_once(SearchSettings(beam_size=5, max_hypotheses=3)) == 1
    assert [len(batch) for batch in refilled(instances, batch_tokens=10**6)] == [204, 204, 92]
    # The longest come first.
    assert refilled(instances)[0][:3] == [499, 498, 497]


def test_instances_of_like_length_are_dealt_out_to_processes():
    instances = [Instance("d", 0, [[5] * (1 + index)]) for index in range(40)]
    assert refilled(instances, threads=2) == [list(range(39, 0, -2)), list(range(38, -1, -2))]
    assert [len(batch) for batch in refilled(instances[:9], threads=2)] == [9]
    # Too few for half of sixteen processes: one process takes all threads.
    assert [len(batch) for batch in refilled(instances[:30], threads=16)] == [30]


def test_batches_that_are_refilled_keep_to_the_tokens_of_a_batch():
    instances = [Instance("d", 0, [[5] * 98]) for _ in range(60)]
    for threads in (1, 2, 16):
        batches = refilled(instances, threads, batch_tokens=1000)
        assert max(map(len, batches)) <= 10
        assert sorted(index for batch in batches for index in batch) == list(range(60))


@pytest.mark.parametrize(
    ("vocabulary", "at_once"), [(5_000, 51), (16_384, 51), (32_000, 26), (10**7, 1)]
)
def test_a_large_vocabulary_leaves_fewer_hypotheses_at_once(vocabulary, at_once):
    settings = within_scores(SearchSettings(beam_size=5), vocabulary)
    assert open_at_once(settings) == at_once
    assert at_once == 1 or settings.max_hypotheses * vocabulary <= MAX_SCORES


def test_a_batch_keeps_to_the_scores_of_a_step(tiny_run, monkeypatch):
    translator = docmt_nmt.load(tiny_run)
    document = Document("d", tuple(" ".join(ENGLISH[: 1 + i % 6]) for i in range(60)))
    rows, step = [], System.step

    def counted(self, tokens, state):
        scores = step(self, tokens, state)
        rows.append(scores.shape)
        return scores

    monkeypatch.setattr(System, "step", counted)
    (whole,) = translator.translate([document])
    vocabulary = rows[0][1]
    assert max(hypotheses for hypotheses, _ in rows) > 20
    rows.clear()
    monkeypatch.setattr(batches, "MAX_SCORES", 20 * vocabulary)
    (parts,) = translator.translate([document])
    assert max(hypotheses for hypotheses, _ in rows) == 20
    assert parts.document.target == whole.document.target
