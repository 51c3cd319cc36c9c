"""Where a system has learned a limited number of target positions, search ends sentences in
time."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import docmt_nmt
from cases import (
    SPECIAL_TOKENS,
    VOCABULARY,
    documents,
    every_form,
    g_transformer,
    make,
    transformer,
)
from docmt_files.base.errors import InputError
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.data.collate import collate_source
from docmt_nmt.decoding import TermConstraint, TermConstraints, WordEdges, search
from docmt_nmt.decoding.sampling import Sampling
from docmt_nmt.systems import system_class
from docmt_nmt.systems.long_short_settings import LongShortSettings
from toy import trained

MAX_POSITIONS = 18
LEARNED = {"positions": "learned", "max_positions": MAX_POSITIONS}
SMALL = {"preset": "tiny", "layers": 2, "d_model": 16, "heads": 4, "ffn_dim": 32, **LEARNED}
SYSTEMS = {
    "transformer": transformer(**LEARNED),
    "transformer, by sentence": transformer(**LEARNED, count_positions="sentence"),
    "g-transformer": g_transformer(**LEARNED),
    "g-transformer, by sentence": g_transformer(**LEARNED, count_positions="sentence"),
    "long-short": LongShortSettings.read(SMALL),
}
WITH_LIMITED_INSTANCES = [SYSTEMS[name] for name in ("transformer", "g-transformer", "long-short")]
each_system = every_form(SYSTEMS, name="settings")
WITH_LANGUAGE = SpecialTokens((0,), (2,), 2, 2, (5,))


def rambling(settings, seed=0):
    """A system that hardly ever ends a sentence."""
    system = make(settings, seed=seed)
    scores = system.scores

    def unlikely_end(x):
        found = scores(x).clone()
        found[:, SPECIAL_TOKENS.target_end] -= 5.0
        return found

    system.scores = unlikely_end
    return system


def in_one_pass(settings):
    return system_class(settings.name).writing_order.in_one_pass


def packed(*shapes, special_tokens=SPECIAL_TOKENS):
    source = collate_source(documents(*shapes), special_tokens)
    return source, {"max_lengths": np.full(len(source.sentences), 30), "banned": [1]}


@pytest.mark.by_default(5)
@pytest.mark.parametrize("special_tokens", [SPECIAL_TOKENS, WITH_LANGUAGE], ids=["", "language"])
@pytest.mark.parametrize("beam_size", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_sentences_end_where_no_position_is_left(settings, beam_size, special_tokens):
    source, keys = packed([3, 2, 4], [6], [2, 2], special_tokens=special_tokens)
    found = search(rambling(settings), source, special_tokens, beam_size=beam_size, **keys)
    overhead = special_tokens.target_overhead
    for hypotheses in found:
        for one in hypotheses:
            lengths = [len(sentence) + overhead for sentence in one.sentences]
            assert max(lengths) <= MAX_POSITIONS and min(lengths) > overhead
            if settings in WITH_LIMITED_INSTANCES:
                assert sum(lengths) <= MAX_POSITIONS
    assert all(any(hypotheses[0].truncated) for hypotheses in found)


@pytest.mark.by_default(2)
def test_samples_end_as_well(settings):
    source, keys = packed([3, 2, 4], [6])
    sampling = Sampling([(1,), (2,)])
    found = search(
        rambling(settings), source, SPECIAL_TOKENS, beam_size=4, sampling=sampling, **keys
    )
    assert [len(samples) for samples in found] == [4, 4]


@pytest.mark.by_default(2)
def test_given_sentences_leave_room_for_the_others(settings):
    if not in_one_pass(settings):
        pytest.skip("it writes each sentence on its own")
    source, keys = packed([3, 2, 4], [6, 3, 2])
    given = [[[7, 8, 9]], [[5, 6, 7, 8, 9, 10, 11]]]
    found = search(rambling(settings), source, SPECIAL_TOKENS, beam_size=3, given=given, **keys)
    for hypotheses, (first,) in zip(found, given, strict=True):
        assert list(hypotheses[0].sentences[0]) == first
        assert not hypotheses[0].truncated[0] and hypotheses[0].truncated[1]


@pytest.mark.by_default(2)
def test_room_is_left_for_terms(settings):
    source, keys = packed([3, 2, 4])
    needed = [(), (7, 8, 9, 7), (10, 11)]
    terms = TermConstraints(
        [[TermConstraint((form,))] if form else () for form in needed], WordEdges.none(VOCABULARY)
    )
    (found,) = search(rambling(settings), source, SPECIAL_TOKENS, beam_size=3, terms=terms, **keys)
    texts = ["".join(f"{token} " for token in sentence) for sentence in found[0].sentences]
    for text, form in zip(texts, needed, strict=True):
        assert "".join(f"{token} " for token in form) in text


def test_what_is_in_no_position_does_not_change_other_translations():
    source, keys = packed([3, 2, 4], [6])
    keys["max_lengths"] = np.full(4, 4)
    torch.manual_seed(0)
    few = make(transformer(**LEARNED))
    many = make(transformer(**{**LEARNED, "max_positions": 99}))
    many.load_state_dict(
        {
            name: torch.cat([tensor, torch.zeros(99 - MAX_POSITIONS, tensor.shape[1])])
            if "learned" in name
            else tensor
            for name, tensor in few.state_dict().items()
        }
    )
    found = [search(system, source, SPECIAL_TOKENS, beam_size=3, **keys) for system in (few, many)]
    assert found[0] == found[1]


@pytest.mark.by_default(1)
@pytest.mark.parametrize("count_positions", ["instance", "sentence"])
def test_a_training_goes_on_where_hypotheses_ramble(tiny_corpus, tmp_path, count_positions):
    run = trained(
        tiny_corpus,
        tmp_path / "run",
        instances={"kind": "sentence"},
        system={"positions": "learned", "max_positions": 12, "count_positions": count_positions},
        training={"best_checkpoint_metric": "d-bleu", "max_steps": 2, "validate_every": 1},
    )
    translator = docmt_nmt.load(run.directory)
    (translation,) = translator.translate(
        [docmt_nmt.Document("d", ("one two three four five six",))]
    )
    assert translation.truncated == (0,)
    with pytest.raises(InputError, match="longer than the 12 positions"):
        translator.translate([docmt_nmt.Document("d", ("one " * 20,))])
