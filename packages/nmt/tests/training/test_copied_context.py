"""Copied context fills windows that are too short, and nothing else (Jean et al. 2019)."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from docmt_files.base.errors import InputError
from docmt_nmt.data import Instance, InstanceSettings
from docmt_nmt.data.collate import collate
from docmt_nmt.data.dataset import InstanceDataset
from docmt_nmt.data.parallel_corpus import PreparedCorpus
from docmt_nmt.training import train, train_step
from docmt_nmt.training.copied_context import copy_missing_context, max_copied_tokens
from toy import toy_recipe


def filled(instance, window=4, share=0.5, seed=1):
    return copy_missing_context(instance, window, share, torch.Generator().manual_seed(seed))


def is_subsequence(part, whole):
    rest = iter(whole)
    return all(token in rest for token in part)


PAIR = Instance("p", 0, [list(range(10, 30))], [list(range(40, 70))])


def test_a_sentence_pair_gets_the_context_it_lacks_on_both_sides():
    found = filled(PAIR)
    assert (len(found.source), len(found.target), found.copied) == (4, 4, 3)
    assert (found.source[-1], found.target[-1]) == (PAIR.source[0], PAIR.target[0])
    for side in ("source", "target"):
        *copies, own = getattr(found, side)
        assert all(is_subsequence(copy, own) for copy in copies)
        assert all(0 < len(copy) < len(own) for copy in copies)
        assert len({tuple(copy) for copy in copies}) == 3


def test_the_share_is_that_of_the_tokens():
    long = Instance("p", 0, [[5] * 4000], [[6] * 4000])
    for share in (0.25, 0.75):
        copies = filled(long, window=3, share=share).source[:-1]
        assert np.mean([len(copy) for copy in copies]) == pytest.approx(4000 * share, rel=0.05)


def test_context_that_is_there_stays():
    whole = Instance("d", 0, [[5]] * 4, [[6]] * 4)
    end_of_document = Instance("d", 4, [[5]], [[6]])
    assert filled(whole) == whole
    assert filled(end_of_document) == end_of_document
    two = filled(Instance("d", 0, [[5] * 9, [7]], [[6] * 9, [8]]))
    assert (two.copied, two.source[2:]) == (2, [[5] * 9, [7]])


def test_what_copies_may_add_counts_in_a_batch(long_short_run):
    prepared = PreparedCorpus.load(long_short_run.directory / "data")
    settings = InstanceSettings(kind="window", window=4)
    instances = InstanceDataset(prepared.split("train"), settings, prepared.pipeline.special_tokens)
    source, target = max_copied_tokens(instances, 4)
    for number in range(len(instances)):
        full = filled(instances[number], share=0.999999)
        for side, before, more in (
            (full.source, instances.source_tokens, source),
            (full.target, instances.target_tokens, target),
        ):
            assert sum(len(s) + 2 for s in side) == before[number] + more[number]


def test_a_system_learns_with_it_the_same_every_time(tinier_corpus, tmp_path):
    recipe = toy_recipe(
        tinier_corpus,
        system={"name": "long-short"},
        instances={"kind": "window", "window": 4, "stride": 1},
        training={"max_steps": 8, "validate_every": 4, "copied_context": 0.5},
    )
    runs = [train(recipe, tmp_path / name, progress=False) for name in ("1", "2")]
    assert runs[0].weights.read_bytes() == runs[1].weights.read_bytes()
    plain = recipe.training.model_copy(update={"copied_context": 0.0})
    other = train(recipe.model_copy(update={"training": plain}), tmp_path / "3", progress=False)
    logs = [
        [json.loads(line) for line in run.log.read_text().splitlines()] for run in (*runs, other)
    ]
    losses = [[line["loss"] for line in log if line["kind"] == "valid"] for log in logs]
    assert losses[0][1] < losses[0][0]
    assert losses[0] == losses[1] != losses[2]


@pytest.mark.slow
def test_every_window_is_learned_from_full_and_with_other_copies_each_time(
    tinier_corpus, tmp_path, monkeypatch
):
    seen = []

    def noting(instances, special_tokens):
        seen.extend(instances)
        return collate(instances, special_tokens)

    monkeypatch.setattr(train_step, "collate", noting)
    recipe = toy_recipe(
        tinier_corpus,
        instances={"kind": "window", "window": 6, "stride": 1},
        training={
            "max_steps": 12,
            "validate_every": 12,
            "batch_tokens": 1024,
            "copied_context": 0.5,
        },
    )
    train(recipe, tmp_path / "run", progress=False)
    assert {len(side) for i in seen for side in (i.source, i.target)} == {6}
    copies = {}
    for instance in (i for i in seen if i.copied):
        copies.setdefault(instance.document, []).append(instance.source[: instance.copied])
    again = [drawn for drawn in copies.values() if len(drawn) > 1]
    assert again
    assert any(drawn[0] != drawn[1] for drawn in again)


def test_where_no_document_is_shorter_than_a_window_it_is_an_error(tinier_corpus, tmp_path):
    recipe = toy_recipe(
        tinier_corpus,
        instances={"kind": "window", "window": 2, "stride": 1},
        training={"copied_context": 0.5},
    )
    with pytest.raises(InputError, match=r"copied_context has no effect.*instances\.window 2"):
        train(recipe, tmp_path / "run", progress=False)


@pytest.mark.parametrize(
    ("instances", "message"),
    [
        ({"kind": "tokens"}, r"training\.copied_context needs instances\.kind window, not tokens"),
        ({"kind": "window", "window": 1}, r"copied_context has no effect .*instances\.window 1"),
    ],
)
def test_where_no_context_can_be_missing_it_is_an_error(tinier_corpus, instances, message):
    with pytest.raises(InputError, match=message):
        toy_recipe(tinier_corpus, instances=instances, training={"copied_context": 0.5})
