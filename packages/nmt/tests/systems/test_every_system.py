import gc
import itertools
import weakref
from dataclasses import replace

import pytest
import torch

from cases import (
    CASES,
    SPECIAL_TOKENS,
    VOCABULARY,
    batch,
    documents,
    encoded,
    every_form,
    make,
    one_of_each_system,
    with_drafts,
)
from docmt_nmt.decoding import search
from docmt_nmt.nn import BeamState
from docmt_nmt.nn.quantization import prepack_weights
from docmt_nmt.nn.views import KeyValueProjection

each_form = every_form(CASES)
each_system = one_of_each_system(CASES)
SHAPES = ([4, 1, 3], [2], [3, 3, 1, 2])


@torch.no_grad()
def test_step_by_step_decoding_equals_the_full_pass(form):
    system = make(form)
    packed = batch(*documents(*SHAPES))
    full = system(packed)
    units = packed.target.instances if system.writing_order.in_one_pass else packed.target.sentences
    offsets = units.offsets.tolist()
    rows = [packed.target.tokens[a:b] for a, b in itertools.pairwise(offsets)]
    cache = BeamState(
        encoded(system, packed), 2, SPECIAL_TOKENS, one_pass=system.writing_order.in_one_pass
    )
    # Two hypotheses a unit, equal here; a unit that is read to its end is dropped.
    open_rows = list(range(len(rows)))
    for place in range(max(len(row) for row in rows)):
        going_on = [k for k, row in enumerate(open_rows) if place < len(rows[row])]
        if len(going_on) < len(open_rows):
            cache.keep(torch.tensor(going_on))
            open_rows = [open_rows[k] for k in going_on]
        tokens = torch.stack([rows[row][place] for row in open_rows]).repeat_interleave(2)
        logits = system.step(tokens, cache)
        expected = torch.stack([full[offsets[row] + place] for row in open_rows])
        torch.testing.assert_close(logits[::2], expected, atol=2e-5, rtol=1e-4)
        torch.testing.assert_close(logits[1::2], expected, atol=2e-5, rtol=1e-4)
        cache.select(torch.arange(len(tokens)).view(-1, 2).flip(1).flatten())


@torch.no_grad()
def test_the_states_of_a_search_are_freed_without_garbage_collection(settings):
    system = make(settings)
    packed = batch(*documents(*SHAPES))
    one_pass = system.writing_order.in_one_pass
    gc.disable()
    try:
        memory = encoded(system, packed)
        state = BeamState(memory, 1, SPECIAL_TOKENS, one_pass=one_pass)
        system.step(packed.target.tokens[: len(state.units)], state)
        kept = [weakref.ref(value) for value in (memory, state)]
        del memory, state
        assert not any(reference() for reference in kept)
    finally:
        gc.enable()


@pytest.mark.by_default(7)
@torch.no_grad()
def test_a_beam_gives_every_sentence_the_probability_of_the_full_pass(settings):
    system = make(settings)
    instances = documents([4, 1], [7], [2, 3])
    source = batch(*instances).source
    longest = torch.full((len(source.sentences),), 6)
    found = [
        best
        for best, *_ in search(system, source, SPECIAL_TOKENS, beam_size=3, max_lengths=longest)
    ]
    pairs = zip(instances, found, strict=True)
    packed = batch(*(replace(instance, target=best.sentences) for instance, best in pairs))
    if system.draft_system is not None:
        logs = corrected(system, packed, beam_size=3, max_lengths=longest)
    else:
        logs = system(packed).log_softmax(dim=1)
    ended = torch.tensor([flag for best in found for flag in best.truncated])
    # A sentence is ended at its greatest length at no cost, and its begin mark is no choice.
    forced = (packed.labels == SPECIAL_TOKENS.target_end) & ended[packed.target.sentences.index]
    counted = (packed.labels >= 0) & ~forced
    gains = logs.gather(1, packed.labels.clamp(min=0)[:, None]).squeeze(1) * counted
    expected = torch.zeros(len(ended)).index_add(0, packed.target.sentences.index, gains)
    sums = torch.tensor([value for best in found for value in best.log_probabilities])
    torch.testing.assert_close(sums, expected, atol=1e-3, rtol=1e-4)


def corrected(system, packed, **limits):
    """Log-probabilities, given the drafts that search finds; those of first sentences are of the
    system that writes the drafts."""
    source, target = packed.source.by_sentence, packed.target.by_sentence
    found = search(system.draft_system, source, SPECIAL_TOKENS, **limits)
    logits = system(with_drafts(packed, [best.sentences[0] for best, *_ in found]))
    is_first = torch.isin(target.sentences.index, torch.tensor(packed.target.first_sentences[:-1]))
    drafting = system.draft_system(replace(packed, source=source, target=target))
    return torch.where(is_first[:, None], drafting, logits).log_softmax(dim=1)


@pytest.mark.by_default(23)
@torch.no_grad()
def test_a_document_does_not_depend_on_what_else_is_in_the_batch(form):
    system = make(form)
    instances = documents(*SHAPES)
    together = system(batch(*instances))
    alone = torch.cat([system(batch(instance)) for instance in instances])
    torch.testing.assert_close(together, alone, atol=2e-5, rtol=1e-4)


@torch.no_grad()
def test_no_token_sees_the_target_after_it(settings):
    system = make(settings)
    (instance,) = documents([4, 5, 3])
    before = system(batch(instance))
    last = instance.target[-1]
    last[-1] = 4 + (last[-1] - 3) % (VOCABULARY - 4)
    after = system(batch(instance))
    changed = (before != after).any(dim=1).nonzero().flatten()
    assert changed[0] == len(before) - 2  # the changed token and the end mark after it


@pytest.mark.by_default(23)
def test_every_parameter_learns(form):
    system = make(form)
    packed = batch(*documents(*SHAPES))
    logits = system(packed)
    torch.nn.functional.cross_entropy(logits, packed.labels).backward()
    learning = {n: p.grad for n, p in system.named_parameters() if p.requires_grad}
    silent = [name for name, gradient in learning.items() if gradient is None or not gradient.any()]
    # A key's bias adds the same to all scores of a query and so changes nothing.
    assert [name for name in silent if not name.endswith("key.bias")] == []


@pytest.mark.by_default(7)
def test_a_batch_teaches_what_its_documents_teach_one_by_one(settings):
    system = make(settings)
    instances = documents(*SHAPES)

    def gradients(*batches):
        system.zero_grad()
        for packed in batches:
            logits = system(packed)
            torch.nn.functional.cross_entropy(logits, packed.labels, reduction="sum").backward()
        return {n: p.grad for n, p in system.named_parameters() if p.grad is not None}

    together = gradients(batch(*instances))
    apart = gradients(*(batch(instance) for instance in instances))
    assert together.keys() == apart.keys()
    for name, gradient in together.items():
        torch.testing.assert_close(gradient, apart[name], atol=1e-3, rtol=1e-3, msg=name)


def test_the_same_seed_gives_the_same_weights(settings):
    first, second, other = make(settings), make(settings), make(settings, seed=2)
    weights = [torch.cat([p.flatten() for p in s.parameters()]) for s in (first, second, other)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


@pytest.mark.by_default(7)
def test_attention_weights_are_dropped_in_training_alone(settings):
    if "attention_dropout" not in type(settings).model_fields:
        pytest.skip("its attention is not of several heads")
    packed = batch(*documents(*SHAPES))
    others = {key for key in type(settings).model_fields if key.endswith("dropout")}
    settings = settings.model_copy(update=dict.fromkeys(others, 0.0))
    system = make(settings)
    dropping = make(settings.model_copy(update={"attention_dropout": 0.4}))
    assert torch.equal(system(packed), dropping(packed))

    def drawn(seed):
        torch.manual_seed(seed)
        return dropping.train()(packed)

    once, again, other = drawn(1), drawn(1), drawn(2)
    assert torch.equal(once, again)
    assert not torch.equal(once, other)
    for module in dropping.modules():
        if isinstance(module, KeyValueProjection):
            assert module.attention_dropout == 0.4


@pytest.mark.by_default(14)
@torch.no_grad()
@pytest.mark.parametrize("shapes", [SHAPES, ([4],)], ids=["documents", "one sentence"])
def test_a_system_prepared_for_search_computes_the_same(settings, shapes):
    """Also of a batch without any context, as a document of one sentence is."""
    packed = batch(*documents(*shapes))
    expected, prepared = make(settings), prepack_weights(make(settings))
    torch.testing.assert_close(prepared(packed), expected(packed), atol=2e-5, rtol=1e-4)
    torch.testing.assert_close(
        encoded(prepared, packed).states, encoded(expected, packed).states, atol=2e-5, rtol=1e-4
    )
