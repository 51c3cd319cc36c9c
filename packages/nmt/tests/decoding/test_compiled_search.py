"""Search over compiled steps: the same hypotheses as over the system itself. Here the graphs are
the traced modules, run by PyTorch (`compiled_systems`); tests/compiling has real graphs."""

import numpy as np
import pytest
import torch

from cases import CASES, SPECIAL_TOKENS, VOCABULARY
from compiled_systems import traced_only
from docmt_files.base.errors import InputError
from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate_source
from docmt_nmt.decoding import Sampling, TermConstraint, TermConstraints, WordEdges, search
from docmt_nmt.decoding.compiled_search import search_compiled
from docmt_nmt.decoding.compiled_state import CachedTokens, PaddedSource
from docmt_nmt.systems import build

TRACEABLE = [
    name
    for name, settings in CASES.items()
    if name.split(",")[0] in ("transformer", "g-transformer")
    and name != "transformer, every other form"
    and getattr(settings, "sees", "instance") != "beyond"
]
INSTANCES = [[[3, 4, 5], [6, 7]], [[8, 9, 10, 11]], [[4], [5, 6, 7, 8], [9, 10]]]
LENGTHS = [len(sentence) for instance in INSTANCES for sentence in instance]


def both(name, instances=INSTANCES, **keys):
    """Hypotheses by the system, and by the compiled system."""
    system = build(CASES[name], VOCABULARY, VOCABULARY, seed=3).eval()
    with torch.no_grad():
        for parameter in system.parameters():
            parameter.mul_(1.5)  # Sharper, so that a beam has something to choose.
    lengths = [len(sentence) for instance in instances for sentence in instance]
    keys = {"max_lengths": np.array(lengths) + 3, "banned": [1], **keys}
    packed = collate_source([Instance("d", 0, i) for i in instances], SPECIAL_TOKENS)
    eager = search(system, packed, SPECIAL_TOKENS, **keys)
    compiled = search_compiled(traced_only(system), instances, SPECIAL_TOKENS, **keys)
    return [[h.sentences for h in found] for found in eager], [
        [h.sentences for h in found] for found in compiled
    ]


@pytest.mark.by_default(6)
@pytest.mark.parametrize("name", TRACEABLE)
def test_compiled_steps_find_the_hypotheses_of_the_system(name):
    eager, compiled = both(name, beam_size=3)
    assert compiled == eager


@pytest.mark.parametrize("beam_size", [1, 4])
def test_given_sentences_begin_the_hypotheses(beam_size):
    given = [[[5, 6]], [], [[3], [4, 4, 4]]]
    eager, compiled = both("g-transformer", beam_size=beam_size, given=given)
    assert compiled == eager
    assert all(hypothesis[0] == (5, 6) for hypothesis in compiled[0])


def test_terms_are_in_the_translations():
    edges = WordEdges(np.ones(VOCABULARY, bool), np.zeros(VOCABULARY, bool))
    sentences = [[TermConstraint(((12, 13),))] if index % 2 else [] for index in range(6)]
    keys = {"beam_size": 3, "terms": TermConstraints(sentences, edges)}
    eager, compiled = both("g-transformer", **keys)
    assert compiled == eager
    assert "12, 13" in str(compiled[0][0][1])


def test_samples_are_the_same_for_the_same_seeds():
    sampling = Sampling([(1, index) for index in range(3)], temperature=0.9)
    eager, compiled = both("g-transformer", beam_size=2, sampling=sampling)
    assert compiled == eager


def test_positions_of_a_padded_source_begin_again_with_each_sentence():
    source = PaddedSource.of([[[3, 4], [5]], [[6]]], SPECIAL_TOKENS)
    around = SPECIAL_TOKENS.source_overhead
    lengths = [2 + around, 1 + around]
    total = sum(lengths)
    assert source.positions("instance")[0, :total].tolist() == list(range(total))
    expected = [position for length in lengths for position in range(length)]
    assert source.positions("sentence")[0, :total].tolist() == expected
    assert (source.sentences[1] >= 0).sum() == lengths[1]


@pytest.mark.parametrize("name", ["hm-gdc", "long-short", "g-transformer, beyond the sentence"])
def test_a_system_that_reads_more_is_named_and_refused(name):
    system = build(CASES[name], VOCABULARY, VOCABULARY)
    message = f"a {name.split(',')[0]} cannot be compiled"
    with pytest.raises(InputError, match=message) as caught:
        traced_only(system)
    assert "PyTorch computes" in caught.value.cure


def test_the_source_is_padded_to_whole_blocks_so_that_sums_do_not_depend_on_the_batch():
    lengths = [PaddedSource.of([[[3] * n]], SPECIAL_TOKENS).tokens.shape[1] for n in (1, 9, 40)]
    assert [length % 16 for length in lengths] == [0, 0, 0]


def test_the_slots_of_a_unit_do_not_depend_on_other_units():
    """Sums over the same tokens in other slots would be rounded in another way."""
    random = np.random.default_rng(3)
    name, beam_size = "own_instance.keys.a", 4
    alone, together = (CachedTokens(units, beam_size, {name: (2, 3)}) for units in (1, 5))
    for _ in range(40):
        new = random.standard_normal((5, beam_size, 2, 3), np.float32)
        # Units with one survivor have many gaps, others none.
        parents = random.integers(0, [[1], [beam_size], [2], [1], [3]], (5, beam_size))
        biases = []
        for cache, units in ((alone, 1), (together, 5)):
            nothing = np.zeros((units, beam_size))
            cache.advance(nothing.astype(bool), nothing.astype(int))
            biases.append(cache.before_step()[0])
            cache.after_step({f"new.{name}": new[:units]})
            cache.select(parents[:units])
        common = min(bias.shape[-1] for bias in biases)
        assert all((bias[..., common:] == -np.inf).all() for bias in biases)
        assert np.array_equal(*(bias[..., :common] for bias in biases))
        seen = (biases[0][0] == 0).any(axis=0)[:common]
        kept = [each.cached[name][0, :, :common][:, seen] for each in (alone, together)]
        assert np.array_equal(*kept)
