from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from cases import SIZE, batch, documents, make, parallel_stack, transformer
from docmt_files.base.errors import InputError
from docmt_nmt.nn import FullPass
from docmt_nmt.systems import build
from docmt_nmt.systems.parallel_stack_settings import ParallelStackSettings

TWO = "Bs(c) => Ps(3p,3n)"


def instances(**auxiliary):
    """Two sentences, each an instance, with other encodings than usual where they are given."""
    made = documents([5], [7])
    return [replace(i, auxiliary={**i.auxiliary, **auxiliary}) for i in made]


def without(packed, *names):
    auxiliary = {n: e for n, e in packed.source.auxiliary.items() if n not in names}
    return replace(packed, source=replace(packed.source, auxiliary=auxiliary))


def filled(stack, sentence, **keys):
    """A system with this stack and, where both have them, the sentence Transformer's weights."""
    system = make(parallel_stack(stack, **keys), seed=2)
    system.load_state_dict(sentence.state_dict(), strict=False)
    return system


@pytest.mark.parametrize("norm", ["output", "post", "pre"])
@torch.no_grad()
def test_without_a_stack_it_is_the_sentence_transformer_weight_for_weight(norm):
    sentence = make(transformer(norm=norm))
    empty = make(parallel_stack("", norm=norm), seed=2)
    empty.load_state_dict(sentence.state_dict(), strict=True)
    packed = batch(*instances())
    assert torch.equal(sentence(packed), empty(packed))


@pytest.mark.parametrize("norm", ["output", "post", "pre"])
@torch.no_grad()
def test_with_the_branch_removed_it_is_the_sentence_transformer(norm):
    sentence = make(transformer(norm=norm))
    system = filled(TWO, sentence, norm=norm)
    packed = batch(*instances())
    off = without(packed, *packed.source.auxiliary)
    assert torch.equal(sentence(packed), system(off))
    assert not torch.allclose(sentence(packed), system(packed))


def test_what_a_stack_adds_to_the_transformer_is_its_blocks_and_its_trained_encoders():
    plain = set(make(transformer(norm="output")).state_dict())
    assert plain <= set(make(parallel_stack(TWO)).state_dict())
    added = set(make(parallel_stack("Bs(c) => Ds(p,c)")).state_dict()) - plain
    of_stack = ".blocks."
    assert all(of_stack in n or n.startswith("context_encoders.D.") for n in added)
    blocks = {n.partition(")")[0] + ")" for n in added if of_stack in n}
    assert blocks == {
        f"{part}.{layer}.{attention}.blocks.{name}"
        for part, attention in (("encoder", "self_attention"), ("decoder", "cross_attention"))
        for layer in "012"
        for name in ("Bs(c)", "Ds(p,c)")
    }


@torch.no_grad()
def test_a_longer_stack_takes_over_the_blocks_of_a_shorter_one():
    shorter = make(parallel_stack("Bs(c)"))
    longer = filled("Ps(3p,3n) => Bs(c)", shorter)
    packed = batch(*instances())
    assert torch.equal(shorter(packed), longer(without(packed, "Ps(3p,3n)")))


@torch.no_grad()
def test_a_layer_is_what_section_2_4_writes():
    system = make(parallel_stack(TWO))
    layer = system.encoder[0]
    source = batch(*documents([5])).source
    bert, pegasus = source.auxiliary["Bs(c)"].states, source.auxiliary["Ps(3p,3n)"].states
    e = torch.randn(len(source.tokens), 16)

    def attention_block(attention, norm, k, q):
        heads = [x.view(len(x), 4, 4) for x in (attention.query(q), attention.key(k))]
        values = attention.value(k).view(len(k), 4, 4)
        weights = torch.einsum("qhd,khd->hqk", *heads).div(2).softmax(-1)
        return norm(attention.output(torch.einsum("hqk,khd->qhd", weights, values).flatten(1))) + q

    own, feed_forward = layer["self_attention"], layer["feed_forward"]
    r = attention_block(own.sublayer.attention, own.norm, e, e)
    first, second = own.blocks.values()
    s_a = attention_block(first.sublayer.attention, first.norm, bert, e)
    s = attention_block(second.sublayer.attention, second.norm, pegasus, s_a)
    t = (r + s) / 2
    expected = feed_forward.norm(feed_forward.sublayer(t)) + t
    view = FullPass(source, auxiliary=system.encode_contexts(source.auxiliary))
    assert_close(layer(e, view), expected, atol=1e-5, rtol=1e-4)


@torch.no_grad()
def test_drop_branch_takes_one_of_the_two_for_a_whole_batch():
    stack = make(parallel_stack(TWO)).encoder[0]["self_attention"].train()
    r, s = torch.zeros(50, 16), torch.ones(50, 16)
    torch.manual_seed(7)
    drawn = [stack.drop_branch(r, s) for _ in range(200)]
    assert all(t.unique().numel() == 1 for t in drawn)
    share = sum(bool(t.any()) for t in drawn) / len(drawn)
    assert 0.4 < share < 0.6
    torch.manual_seed(7)
    assert all(torch.equal(t, stack.drop_branch(r, s)) for t in drawn)
    assert torch.equal(stack.eval().drop_branch(r, s), torch.full_like(r, 0.5))


@torch.no_grad()
def test_layers_draw_apart_from_each_other():
    settings = parallel_stack("Bs(c)", dropout=0.0)
    system = build(settings, 23, 23).train()
    packed = batch(*instances())
    outputs = set()
    for seed in range(40):
        torch.manual_seed(seed)
        outputs.add(round(float(system(packed).double().sum()), 3))
    # Three encoder and three decoder layers: more outcomes than all taken or all dropped.
    assert len(outputs) > 10


@pytest.mark.parametrize("name", ["Bs(c)", "Ps(3p,3n)"])
@torch.no_grad()
def test_an_external_encoding_changes_what_is_written_of_its_sentence_alone(name):
    system = make(parallel_stack(TWO))
    first, second = instances()
    before = system(batch(first, second))
    other = replace(first, auxiliary={**first.auxiliary, name: first.auxiliary[name] + 1})
    after = system(batch(other, second))
    end = batch(first).target.tokens.numel()
    assert (before[:end] != after[:end]).any(dim=1).all()
    assert torch.equal(before[end:], after[end:])


@torch.no_grad()
def test_a_trained_encoder_reads_tokens_in_the_order_they_stand():
    system = make(parallel_stack("Ds(p,c)"))
    (instance, _) = instances()
    before = system(batch(instance))
    tokens = instance.auxiliary["Ds(p,c)"]
    turned = replace(instance, auxiliary={**instance.auxiliary, "Ds(p,c)": tokens[::-1].copy()})
    assert not torch.allclose(before, system(batch(turned)))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"stack": "Bs(c"}, "key 'stack': expected"),
        ({"stack": "Bs(c)"}, "stack names B, but contexts has no such key; add contexts.B"),
        (
            {"stack": "", "contexts": {"B": {"kind": "trained", "layers": 1}}},
            "contexts.B has no effect: stack does not name it",
        ),
        ({"stack": "Bs(c)", "contexts": {"B": {"kind": "trained"}}}, "kind: trained needs layers"),
        (
            {"stack": "Bs(c)", "contexts": {"B": {"kind": "trained", "layers": 1, "d_model": 3}}},
            "d_model: 3 has no effect with kind: trained",
        ),
        (
            {"stack": "Bs(c)", "contexts": {"B": {"kind": "run", "run": "x"}}},
            "kind: run needs d_model",
        ),
        (
            {"stack": "Bs(c)", "contexts": {"B": {"kind": "run", "run": "x", "d_modl": 3}}},
            "unknown key 'contexts.B.d_modl', did you mean 'd_model'",
        ),
    ],
)
def test_a_stack_that_makes_no_sense_is_an_error_that_names_the_keys(keys, message):
    with pytest.raises(InputError, match=message):
        ParallelStackSettings.read({**SIZE, **keys})
