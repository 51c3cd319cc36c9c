"""Random position offsets move all positions of an instance alike, in training only."""

from __future__ import annotations

import pytest
import torch

from docmt_files.base.errors import InputError
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate
from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.recipes import Recipe
from docmt_nmt.training import train
from docmt_nmt.training.position_offsets import offset_positions
from toy import toy_recipe

SPECIAL_TOKENS = SpecialTokens((), (2,), 2, 2)
MOST = 50


def batch():
    instances = [
        Instance("d", 1, [[5, 6], [7]], [[8], [9, 10]], context=[[11, 12]]),
        Instance("e", 0, [[5]], [[8, 9]]),
    ]
    return collate(instances, SPECIAL_TOKENS)


def offset(seed=1):
    return offset_positions(batch(), MOST, torch.Generator().manual_seed(seed))


def positions(packed, unit="instance"):
    return FullPass(packed).positions(unit)


def test_each_instance_is_counted_from_a_number_of_its_own():
    moved = offset().source
    first, second = moved.position_offsets.tolist()
    assert positions(moved).values.tolist() == [
        *range(first, first + 5),  # two sentences of two and one words, each with its EOS
        *range(second, second + 2),
    ]
    assert positions(moved).limit == max(first, second) + 5
    assert first != second


def test_each_sentence_of_an_instance_is_counted_from_the_number_of_the_instance():
    moved = offset().source
    first, second = moved.position_offsets.tolist()
    steps = [first, first + 1, first + 2, first, first + 1, second, second + 1]
    assert positions(moved, "sentence").values.tolist() == steps


def test_both_sides_and_the_context_of_an_instance_are_counted_from_one_number():
    moved = offset()
    first = moved.source.position_offsets[0]
    assert positions(moved.target).values[0] == first
    assert positions(moved.source.context).values[0] == first
    row, own = moved.source.with_context()
    assert positions(row).values.tolist()[:8] == list(range(first, first + 8))
    assert own[0] == 3


def test_offsets_reach_the_largest_and_are_drawn_by_seed():
    drawn = [n for seed in range(300) for n in offset(seed).source.position_offsets.tolist()]
    assert (min(drawn), max(drawn)) == (0, MOST)
    assert offset(7).source.position_offsets.tolist() == offset(7).source.position_offsets.tolist()


def test_a_copy_on_a_device_keeps_them():
    moved = offset()
    there = moved.to("cpu")
    assert there.source.position_offsets.tolist() == moved.source.position_offsets.tolist()


def test_a_run_learns_with_them_the_same_every_time(tinier_corpus, tmp_path):
    sections = {"system": {"layers": 1}, "training": {"max_steps": 4}}
    plain = toy_recipe(tinier_corpus, **sections)
    sections["training"] = {"max_steps": 4, "max_position_offset": MOST}
    recipe = toy_recipe(tinier_corpus, **sections)
    weights = [
        train(one, tmp_path / name, progress=False).weights.read_bytes()
        for name, one in (("a", recipe), ("b", recipe), ("plain", plain))
    ]
    assert weights[0] == weights[1]
    assert weights[0] != weights[2]


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ({"name": "rnnsearch"}, "rnnsearch has no position embeddings"),
        ({"positions": "learned", "max_positions": 99}, "positions sinusoidal, not learned"),
    ],
)
def test_systems_without_such_positions_are_refused(system, message, tinier_corpus):
    recipe = toy_recipe(tinier_corpus, instances={"kind": "sentence"})
    values = recipe.model_dump(mode="json") | {"system": system}
    values["training"]["max_position_offset"] = MOST
    with pytest.raises(InputError, match=message):
        Recipe.read(values)
