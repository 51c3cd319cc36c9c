"""Long-short term masking (Zhang et al. 2020): what each of its two streams is."""

import math
from itertools import chain

import pytest
import torch
from torch.testing import assert_close

from cases import batch, documents, long_short, make, transformer
from docmt_files.base.errors import InputError
from docmt_nmt.nn import FullPass
from docmt_nmt.systems import build
from docmt_nmt.systems.long_short_settings import LongShortSettings

INDEPENDENT = {"short_stream": "independent"}
EACH_NORM = pytest.mark.parametrize("norm", ["post", "pre"])


def streams(system, packed):
    """The source and the target states of the long stream, and those of the short one."""
    memory = system.encode(packed.source)
    long, short = decoded(system, memory, packed.target).chunk(2, dim=1)
    return (memory.states, long), (memory.encoded("short").states, short)


def decoded(system, memory, target):
    """The states of the last layer."""
    return system.decode(target.tokens, FullPass(target, memory))


def parameters(system):
    return {name: parameter.numel() for name, parameter in system.named_parameters()}


def sharing_its_weights(settings, system):
    """The Transformer that the streams of a system are."""
    plain = make(settings)
    plain.load_state_dict(system.state_dict(), strict=False)
    return plain


def masked_attention(attention, queries, states, mask):
    """Eq. 1: softmax(QKᵀ / √(d/h) + M) V for one stream, with a dense mask M."""
    d, h = queries.shape[1], attention.heads
    q, k, v = (
        projection(x).view(len(x), h, d // h).transpose(0, 1)
        for projection, x in (
            (attention.query, queries),
            (attention.key, states),
            (attention.value, states),
        )
    )
    weights = torch.softmax(q @ k.transpose(1, 2) / math.sqrt(d / h) + mask, dim=-1)
    return attention.output((weights @ v).transpose(0, 1).reshape(len(queries), d))


def local_mask(tokens, separator=2):
    """Appendix A.2: a token sees those of its own sentence, found by counting separators. Here a
    separator ends its sentence, where the appendix lets it begin the next."""
    count = torch.tensor([tokens[:i].count(separator) for i in range(len(tokens))])
    return -1e9 * (1.0 - (count[:, None] == count[None, :]).float())


def causal_mask(length):
    return torch.full((length, length), -1e9).triu(diagonal=1)


def embedded(embedding, tokens):
    """Words and sinusoids, whose positions run through all sentences and are counted from 2."""
    d = embedding.table.embedding_dim
    x = embedding.table.weight[torch.tensor(tokens)] * math.sqrt(d)
    rates = torch.exp(torch.arange(d // 2) * -(math.log(10_000) / (d // 2 - 1)))
    angles = (torch.arange(len(tokens)) + 2.0)[:, None] * rates
    return x + torch.cat([angles.sin(), angles.cos()], dim=1)


def around(sublayer, x, y):
    """The residual sum, normalized: a post-norm Transformer."""
    return sublayer.norm(x + y)


def dense_logits(system, source, target):
    """The logits of one instance of k sentences, given as the tokens of both sides."""
    masks = {"global": torch.zeros(len(source), len(source)), "local": local_mask(source)}
    encoded = {}
    for stream, mask in masks.items():
        x = embedded(system.source_embedding, source)
        for layer in system.encoder:
            part = layer["self_attention"]
            x = around(part, x, masked_attention(part.sublayer.attention, x, x, mask))
            part = layer["feed_forward"]
            x = around(part, x, part.sublayer.outer(part.sublayer.inner(x).clamp(min=0)))
        encoded[stream] = x
    causal = causal_mask(len(target))
    masks = {"global": causal, "local": causal + local_mask(target)}
    written = []
    for stream, mask in masks.items():
        x = embedded(system.target_embedding, target)
        for layer in system.decoder:
            part = layer["self_attention"]
            x = around(part, x, masked_attention(part.sublayer.attention, x, x, mask))
            part = layer["cross_attention"]  # M = 0: all k source sentences
            found = masked_attention(part.sublayer.attention, x, encoded[stream], torch.zeros(()))
            x = around(part, x, found)
            part = layer["feed_forward"]
            x = around(part, x, part.sublayer.outer(part.sublayer.inner(x).clamp(min=0)))
        written.append(x)
    joined = system.join.outer(system.join.inner(torch.cat(written, dim=1)).clamp(min=0))
    return joined @ system.target_embedding.table.weight.T


@torch.no_grad()
def test_it_computes_the_equations_of_the_paper_with_dense_masks():
    system = make(long_short())
    instances = documents([4, 6, 3, 6], [2], [5, 1])
    expected = [
        dense_logits(
            system,
            list(chain.from_iterable([0, *s, 2] for s in instance.source)),
            list(chain.from_iterable([0, *s, 2] for s in instance.target)),
        )
        for instance in instances
    ]
    found = system(batch(*instances))
    assert_close(found, torch.cat(expected), atol=2e-5, rtol=1e-5)
    independent = make(long_short(**INDEPENDENT))
    independent.load_state_dict(system.state_dict())
    assert not torch.allclose(independent(batch(*instances)), found, atol=0.1)


@torch.no_grad()
def test_context_reaches_the_short_stream_through_the_source_alone():
    """Earlier target sentences do not, so that errors in them are not carried on."""
    (before,) = documents([4, 6])
    states = {}
    for side in ("source", "target"):
        for settings in ({}, INDEPENDENT):
            system = make(long_short(**settings))
            (changed,) = documents([4, 6])
            getattr(changed, side)[0][0] = 4 + (getattr(changed, side)[0][0] - 3) % 19
            (_, old), (_, new) = (streams(system, batch(d))[1] for d in (before, changed))
            second = slice(int(batch(before).target.sentences.offsets[1]), None)
            states[side, bool(settings)] = torch.allclose(old[second], new[second], atol=1e-5)
    assert states == {
        ("source", False): False,
        ("source", True): True,
        ("target", False): True,
        ("target", True): True,
    }


@EACH_NORM
@torch.no_grad()
def test_an_independent_short_stream_of_a_sentence_does_not_change_with_its_neighbors(norm):
    system = make(long_short(norm=norm, **INDEPENDENT))
    (instance,) = documents([4, 6, 3, 6])
    before = batch(instance)
    long, short = streams(system, before)
    for side in (instance.source, instance.target):
        side[0] = [4 + (side[0][0] - 3) % 19, *side[0]]  # one token more: all positions move
    after = batch(instance)
    changed_long, changed_short = streams(system, after)
    for side in range(2):
        row, other = ((p.source, p.target)[side].sentences.offsets for p in (before, after))
        for sentence in (1, 2, 3):
            here = slice(*row[sentence : sentence + 2].tolist())
            there = slice(*other[sentence : sentence + 2].tolist())
            assert_close(short[side][here], changed_short[side][there], atol=1e-5, rtol=1e-5)
            assert not torch.allclose(long[side][here], changed_long[side][there], atol=1e-3)


@EACH_NORM
@torch.no_grad()
def test_with_one_sentence_an_instance_both_streams_coincide(norm):
    system = make(long_short(norm=norm))
    long, short = streams(system, batch(*documents([4], [1], [9])))
    for side in range(2):
        assert_close(long[side], short[side], atol=1e-6, rtol=1e-6)


@torch.no_grad()
def test_with_several_sentences_they_do_not():
    long, short = streams(make(long_short()), batch(*documents([4, 3])))
    for side in range(2):
        assert not torch.allclose(long[side], short[side], atol=1e-3)


@EACH_NORM
@torch.no_grad()
def test_the_long_stream_is_the_transformer_over_instances(norm):
    system = make(long_short(norm=norm))
    plain = sharing_its_weights(transformer(norm=norm), system)
    packed = batch(*documents([4, 6], [2, 2, 7]))
    (source, target), _ = streams(system, packed)
    memory = plain.encode(packed.source)
    assert_close(source, memory.states, atol=1e-6, rtol=1e-6)
    assert_close(target, decoded(plain, memory, packed.target), atol=1e-6, rtol=1e-6)


@EACH_NORM
@torch.no_grad()
def test_an_independent_short_stream_is_the_transformer_over_sentences(norm):
    system = make(long_short(norm=norm, **INDEPENDENT))
    plain = sharing_its_weights(transformer(norm=norm), system)
    (whole,) = documents([4, 6, 2])
    _, (source, target) = streams(system, batch(whole))
    apart = batch(
        *(
            type(whole)("d", place, [s], [t])
            for place, (s, t) in enumerate(zip(whole.source, whole.target, strict=True))
        )
    )
    memory = plain.encode(apart.source)
    assert_close(source, memory.states, atol=1e-6, rtol=1e-6)
    assert_close(target, decoded(plain, memory, apart.target), atol=1e-6, rtol=1e-6)


@EACH_NORM
@torch.no_grad()
def test_a_feed_forward_layer_joins_the_long_stream_and_after_it_the_short_one(norm):
    system = make(long_short(norm=norm))
    packed = batch(*documents([4, 6], [2]))
    (_, long), (_, short) = streams(system, packed)
    both = torch.cat([system.decoder_norm(long), system.decoder_norm(short)], dim=1)
    inner, outer = system.join.inner, system.join.outer
    joined = (both @ inner.weight.T + inner.bias).clamp(min=0) @ outer.weight.T + outer.bias
    assert_close(system(packed), joined @ system.target_embedding.table.weight.T)


def test_it_has_the_parameters_of_the_transformer_and_those_of_the_last_layer_alone():
    system, plain = parameters(make(long_short())), parameters(make(transformer()))
    added = {name: size for name, size in system.items() if name not in plain}
    assert {name: system[name] for name in plain} == plain
    assert added == {
        "join.inner.weight": 32 * 32,
        "join.inner.bias": 32,
        "join.outer.weight": 32 * 16,
        "join.outer.bias": 16,
    }


def test_the_base_size_has_as_many_more_as_the_table_of_the_paper():
    # 256M and 262M in Table 2 are megabytes of four bytes a parameter.
    with torch.device("meta"):
        sizes = [
            sum(parameters(build(settings, 8, 8)).values())
            for settings in (long_short(preset="base", **BASE), transformer(**BASE))
        ]
    assert sizes[0] - sizes[1] == 1_574_400
    assert round(4 * (sizes[0] - sizes[1]) / 1e6) == 6


BASE = {"layers": 6, "d_model": 512, "heads": 8, "ffn_dim": 2048}


def test_the_last_layer_may_have_a_width_of_its_own():
    assert make(long_short(joining_ffn_dim=7)).join.inner.weight.shape == (7, 32)
    with pytest.raises(InputError, match=r"joining_ffn_dim.*greater than or equal to 1"):
        LongShortSettings.read({"joining_ffn_dim": 0})


@EACH_NORM
@torch.no_grad()
def test_the_streams_may_be_added_up_without_a_last_layer(norm):
    system = make(long_short(norm=norm, aggregation="sum"))
    assert set(system.state_dict()) == set(make(transformer(norm=norm)).state_dict())
    packed = batch(*documents([4, 6], [2]))
    (_, long), (_, short) = streams(system, packed)
    both = system.decoder_norm(long) + system.decoder_norm(short)
    assert_close(system(packed), both @ system.target_embedding.table.weight.T)
    with pytest.raises(InputError, match="joining_ffn_dim: 7 has no effect with aggregation: sum"):
        long_short(aggregation="sum", joining_ffn_dim=7)
