import math

import pytest
import torch
from hypothesis import example, given, settings, strategies

from cases import CASES, SPECIAL_TOKENS, documents, make, transformer
from docmt.data.collate import collate_source
from docmt.decoding import BeamSearchTranslator, search, search_in_parallel
from docmt.ground.documents import Document
from docmt.ground.errors import InputError
from docmt.ground.special_tokens import SpecialTokens
from docmt.systems import WritingOrder, system_class
from docmt.systems.g_transformer import GTransformerSettings

PAD = 1
IN_PARALLEL = {
    name: case
    for name, case in CASES.items()
    if system_class(case.name).writing_order is WritingOrder.ONE_PASS
}
VISIBILITY = (
    "context",
    "locality",
    "group",
    "on top",
    "all layers",
    "sum",
    "independent",
    "sentence",
)
"""What forms of a system are named after that differ in what tokens see; the others are left to the
slow tests."""

in_parallel = pytest.mark.parametrize(
    "settings",
    [
        pytest.param(
            case,
            id=name,
            marks=()
            if "," not in name or any(word in name for word in VISIBILITY)
            else pytest.mark.slow,
        )
        for name, case in IN_PARALLEL.items()
    ],
)
shapes = strategies.lists(strategies.integers(1, 9), min_size=1, max_size=5)


def both_ways(system, *shapes, seed=0, longest=9, special_tokens=SPECIAL_TOKENS, **keys):
    """What greedy search finds from left to right, and in parallel."""
    source = collate_source(documents(*shapes, seed=seed), special_tokens)
    keys |= {"max_lengths": torch.full((len(source.sentences),), longest), "banned": [PAD]}
    from_left = [found[0] for found in search(system, source, special_tokens, beam_size=1, **keys)]
    return from_left, search_in_parallel(system, source, special_tokens, **keys)


def assert_equal(from_left, settled):
    for expected, found in zip(from_left, settled, strict=True):
        assert found.hypothesis.sentences == expected.sentences
        assert found.hypothesis.truncated == expected.truncated
        assert found.unsettled == 0
        torch.testing.assert_close(found.hypothesis.score, expected.score, atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(
            found.hypothesis.log_probabilities, expected.log_probabilities, atol=1e-3, rtol=1e-3
        )


@in_parallel
@settings(max_examples=2, deadline=None)
@given(
    instances=strategies.lists(shapes, min_size=1, max_size=2), seed=strategies.integers(0, 1000)
)
def test_it_finds_what_greedy_search_finds(settings, instances, seed):
    system = make(settings, seed=seed)
    assert_equal(*both_ways(system, *instances, seed=seed))


@settings(max_examples=4, deadline=None)
@given(instances=strategies.lists(shapes, min_size=1, max_size=1))
@example(instances=[[1, 1, 3, 6, 6, 1]])
def test_so_it_does_where_the_end_mark_and_a_language_open_a_sentence(instances):
    system = make(CASES["g-transformer"])
    assert_equal(
        *both_ways(system, *instances, special_tokens=SpecialTokens((5,), (2,), 2, 2, (6,)))
    )
    assert_equal(*both_ways(system, *instances, special_tokens=SpecialTokens((), (2,), 2, 2)))


def test_a_trained_system_is_no_exception(tiny_run, tiny_corpus):
    lines = (tiny_corpus / "test.en").read_text(encoding="utf-8").splitlines()
    document = Document("d", tuple(line for line in lines if line and line != "<d>"))
    from_left = BeamSearchTranslator.load(tiny_run.directory, beam_size=1).translate([document])
    parallel = BeamSearchTranslator.load(
        tiny_run.directory, beam_size=1, method="parallel"
    ).translate([document])
    assert parallel[0].document == from_left[0].document


def test_sentences_that_do_not_see_each_other_are_settled_in_one_reading():
    alone = GTransformerSettings.read(
        {
            "preset": "tiny",
            "layers": 2,
            "d_model": 16,
            "heads": 4,
            "ffn_dim": 32,
            "source_context": False,
            "target_context": False,
            "count_positions": "sentence",
        }
    )
    system = make(alone)
    from_left, settled = both_ways(system, [4, 5, 2, 7])
    assert_equal(from_left, settled)
    assert settled[0].passes == 1


@pytest.mark.parametrize("max_passes", [None, 1, 2])
@pytest.mark.parametrize(
    ("value", "tokens"),
    [
        (math.nan, slice(None)),
        (math.inf, slice(None)),
        (-math.inf, slice(None)),
        (math.nan, slice(4, 5)),
        (math.inf, slice(4, 5)),
    ],
)
def test_it_ends_with_an_error_where_logits_are_not_finite(value, tokens, max_passes):
    system = make(transformer(share_output=False, output_bias=True))
    with torch.no_grad():
        system.score_bias[tokens] = value
    source = collate_source(documents([3, 4, 2]), SPECIAL_TOKENS)
    limits = torch.full((3,), 9)
    with pytest.raises(InputError, match="scores that are not finite"):
        search_in_parallel(
            system, source, SPECIAL_TOKENS, max_lengths=limits, banned=[PAD], max_passes=max_passes
        )


def test_limited_passes_leave_a_whole_translation_and_say_what_would_change():
    system = make(transformer(), seed=4)
    shape = [3, 4, 2, 5, 3, 6]
    from_left, (complete,) = both_ways(system, shape)
    source = collate_source(documents(shape), SPECIAL_TOKENS)
    longest = torch.full((len(shape),), 9)
    assert complete.passes > 2
    (limited,) = search_in_parallel(
        system, source, SPECIAL_TOKENS, max_lengths=longest, banned=[PAD], max_passes=2
    )
    assert limited.passes == 2
    assert limited.unsettled > 0
    assert len(limited.hypothesis.sentences) == len(shape)
    assert limited.hypothesis.sentences[:2] == from_left[0].sentences[:2]
    (enough,) = search_in_parallel(
        system,
        source,
        SPECIAL_TOKENS,
        max_lengths=longest,
        banned=[PAD],
        max_passes=complete.passes,
    )
    assert enough == complete
