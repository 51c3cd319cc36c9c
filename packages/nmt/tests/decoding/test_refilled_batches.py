"""A batch that stays full: the next instance takes the place of a finished one."""

import random

import pytest
import torch

import cases
from cases import CASES, VOCABULARY, batch, documents, make
from docmt_nmt.decoding import Sampling, TermConstraint, TermConstraints, WordEdges, search
from docmt_nmt.nn import in_precision, prepack_weights
from docmt_nmt.nn.native import choice
from docmt_nmt.systems import system_class

SHAPES = [(4, 3), (5,), (2, 6, 3), (7, 2), (1,), (3, 3), (8,), (2,)]
SENTENCES = sum(map(len, SHAPES))
REFILLING = [
    name
    for name, settings in CASES.items()
    if system_class(settings.name).refills_batches
    and getattr(settings, "sees", "instance") == "instance"
]


def found(system, *, at_once=None, **keys):
    """The hypotheses of all instances."""
    lengths = [random.Random(i).randint(2, 9) for i in range(SENTENCES)]
    keys = {"beam_size": 3, "max_lengths": lengths, **keys}
    packed = batch(*documents(*SHAPES)).source
    return search(system, packed, cases.SPECIAL_TOKENS, at_once=at_once, **keys)


def assert_same(some, others):
    """The same translations, with the same scores up to rounding."""
    for one, other in zip(some, others, strict=True):
        assert [h.sentences for h in one] == [h.sentences for h in other]
        assert [h.truncated for h in one] == [h.truncated for h in other]
        assert [h.score for h in one] == pytest.approx([h.score for h in other], abs=1e-5)


def test_the_systems_of_docmt_refill_batches():
    assert {"transformer", "g-transformer", "long-short"} <= set(REFILLING)


@pytest.mark.by_default(5)
@pytest.mark.parametrize("name", REFILLING)
def test_what_is_found_does_not_depend_on_the_number_of_open_instances(name):
    system = make(CASES[name], seed=3)
    together = found(system)
    for at_once in (1, 3, 7) if name in ("transformer", "g-transformer", "long-short") else (2,):
        assert_same(found(system, at_once=at_once), together)


KINDS = {
    "greedy": {"beam_size": 1},
    "late stopping": {"early_stopping": False},
    "given": {"given": [[], [], [[5, 6]], [], [], [[4, 5, 6]], [], []]},
    "terms": {
        "terms": TermConstraints(
            [[], [], [TermConstraint(((5, 6),))], *([] for _ in range(SENTENCES - 3))],
            WordEdges.none(VOCABULARY),
        ),
        "max_lengths": [6] * SENTENCES,
    },
    "samples": {"sampling": Sampling([(1, i) for i in range(len(SHAPES))])},
}


@pytest.mark.by_default(3)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_search_refills(kind):
    system = make(CASES["g-transformer"], seed=3)
    assert_same(found(system, at_once=2, **KINDS[kind]), found(system, **KINDS[kind]))


def test_so_many_instances_are_open_as_long_as_any_wait(monkeypatch):
    system, sizes = make(CASES["transformer"], seed=3), []
    step = system.step

    def counted(tokens, state):
        sizes.append((len(state.units), len(state.waiting)))
        return step(tokens, state)

    monkeypatch.setattr(system, "step", counted)
    found(system, at_once=3)
    assert sizes[0] == (3, len(SHAPES) - 3) and sizes[-1][1] == 0
    assert all(size == 3 for size, waiting in sizes if waiting)


@pytest.mark.by_default(1)
@pytest.mark.parametrize("name", ["transformer", "g-transformer", "long-short"])
@torch.no_grad()
def test_in_eight_bits_the_bits_depend_neither_on_the_batch_nor_on_the_order(name):
    if choice.library() is None:
        pytest.skip("PyTorch's attention over a cache depends on the slots in the last bits")
    settings = CASES[name].model_copy(update={"d_model": 32, "heads": 2})
    system = prepack_weights(in_precision(make(settings, seed=3), "int8"))
    together = found(system)
    for at_once in (1, 2, 5):
        refilled = found(system, at_once=at_once)
        for one, other in zip(refilled, together, strict=True):
            assert [h.values for h in one] == [h.values for h in other]
