"""A positive control: every system uses the context that its paper lets it see, and no other."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace

import pytest

from docmt_nmt.runs.training_logs import read_log
from docmt_nmt.systems import system_names
from docmt_nmt.training import train
from planted import rare
from planted.cues import DISTANCES, SIDES, planted, short_pairs, write_corpus, write_two
from planted.systems import PLANTED, accuracies, recipe_of, trained
from planted.table import DATA, PAGE, with_table

SEEN = 95.0
"""Percent of the cases that a system gets right more often than where it sees the cue."""

TRACES = 10.0
"""Percent by which traces of a cue may move decisions that it cannot decide."""

SLOW = {"multi-encoder-rnn": 200, "hm-gdc-rnnsearch": 800}
"""Systems that need longer than this control, with the updates that two documents take them."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planted") / "corpus"
    folder.mkdir()
    write_corpus(folder)
    return folder


def test_two_documents_differ_in_the_cue_alone():
    draw, pairs = random.Random(1), short_pairs()
    for side in SIDES:
        for distance in DISTANCES:
            first, second = planted(draw, pairs, side, distance)
            differing = [
                (index, by_side)
                for index, (a, b) in enumerate(zip(first.pairs, second.pairs, strict=True))
                for by_side in (0, 1)
                if a[by_side] != b[by_side]
            ]
            earlier = 3 - distance
            assert differing == [(earlier, 0 if side == "source" else 1), (3, 1)]
            assert (first.wrong, second.wrong) == (second.pairs[3][1], first.pairs[3][1])


def test_a_system_that_sees_no_cue_is_right_in_half_of_the_cases(tmp_path):
    write_corpus(tmp_path, documents=40, twos=3)
    cases = [json.loads(line) for line in (tmp_path / "cues.jsonl").read_text().splitlines()]
    assert Counter((c["phenomenon"], c["distance"]) for c in cases) == {
        (side, distance): 6 for side in SIDES for distance in DISTANCES
    }
    # A decision by the sentence and its candidates alone, whatever it is.
    right = [min(c["candidates"]) == c["candidates"][c["right"]] for c in cases]
    assert sum(right) == len(cases) / 2
    assert len({(c["source"][-1], *sorted(c["candidates"])) for c in cases}) == len(cases) / 2


def test_every_system_has_a_control():
    assert {str(one.system["name"]) for one in PLANTED.values()} == set(system_names())
    assert {name for name, one in PLANTED.items() if not one.is_settled} == set(SLOW)


def test_the_page_is_that_of_the_results_and_these_are_as_they_should_be():
    found = json.loads(DATA.read_text("utf-8"))
    page = PAGE.read_text("utf-8")
    assert with_table(page, found) == page, "run `python tests/module.py planted.table`"
    assert set(found) == set(PLANTED)
    for name in PLANTED:
        shares = found[name]
        if not PLANTED[name].is_settled:
            continue
        check(name, {s: dict(zip(DISTANCES, shares[s], strict=True)) for s in SIDES})


def check(name, shares):
    for side in SIDES:
        for distance in DISTANCES:
            share = shares[side][distance]
            if distance in PLANTED[name].sees[side]:
                assert share > SEEN, f"{name} does not use a {side} cue {distance} back: {share}"
            elif not PLANTED[name].is_exact:
                assert abs(share - 50) <= TRACES
            else:
                assert share == 50, f"{name} uses a {side} cue {distance} back: {share}"


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, one in PLANTED.items() if one.is_settled])
def test_a_system_uses_what_it_sees_and_nothing_else(name, corpus):
    check(name, accuracies(trained(name, corpus, corpus.parent), corpus))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "steps"), SLOW.items())
def test_a_system_that_learns_slowly_tells_two_documents_apart_by_their_cue(name, steps, tmp_path):
    least = write_two(tmp_path)
    run = train(
        recipe_of(replace(PLANTED[name], steps=steps), tmp_path), tmp_path / "run", progress=False
    )
    *_, last = (line for line in read_log(run.log) if line["kind"] == "train")
    assert last["loss"] < least / 4


def test_the_page_has_the_results_of_rare_cues():
    found = json.loads(rare.DATA.read_text("utf-8"))
    page = PAGE.read_text("utf-8")
    assert rare.with_table(page, found) == page, "run `python tests/module.py planted.rare`"
    assert set(found) == set(rare.TUNED)


def test_documents_without_a_cue_have_no_planted_word(tmp_path):
    write_corpus(tmp_path, documents=100, twos=1, share=0.2)
    documents = (tmp_path / "train.en").read_text("utf-8").split("<d>")[1:]
    assert len(documents) == 100
    assert sum("wise" in document for document in documents) == 20


@pytest.mark.slow
def test_rare_cues_are_learned_in_fine_tuning_if_new_attention_starts_as_a_copy(tmp_path):
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    write_corpus(corpus, share=rare.SHARE)
    random_start, copy = (
        rare.measured(rare.trained(name, corpus, tmp_path), corpus)
        for name in ("random", "copy, gates at one half")
    )
    assert copy["source"] > SEEN
    assert random_start["source"] < 50 + TRACES
