from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from cases import SPECIAL_TOKENS, batch, documents, make, transformer, with_context
from docmt_files.base.errors import InputError
from docmt_nmt.decoding import search
from docmt_nmt.nn import FullPass
from docmt_nmt.nn.full_pass import OverSpans
from docmt_research.systems.document_transformer import DocumentTransformerSettings
from research_cases import document_transformer

NO_CONTEXT = {"encoder_context": False, "decoder_context": False}


@torch.no_grad()
def test_without_attention_to_the_context_it_is_the_transformer_weight_for_weight():
    plain, system = make(transformer()), make(document_transformer(**NO_CONTEXT), seed=2)
    system.load_state_dict(plain.state_dict(), strict=True)
    packed = batch(*documents([4], [1], [9]))
    assert torch.equal(plain(packed), system(packed))


def test_layers_of_a_context_that_no_layer_looks_at_are_refused():
    with pytest.raises(InputError) as caught:
        DocumentTransformerSettings.read({"context_layers": 2, **NO_CONTEXT})
    for key in ("context_layers: 2 has no effect", "encoder_context", "decoder_context"):
        assert key in str(caught.value)
    for looking in NO_CONTEXT:
        DocumentTransformerSettings.read({"context_layers": 2, **NO_CONTEXT, looking: True})


@pytest.mark.parametrize("norm", ["post", "pre"])
@torch.no_grad()
def test_a_sentence_without_context_is_the_transformers(norm):
    plain = make(transformer(norm=norm))
    system = make(document_transformer(norm=norm), seed=2)
    system.load_state_dict(plain.state_dict(), strict=False)
    first, second = documents([4], [5])
    packed = batch(first, second)
    rows = packed.target.instances.index == 0
    before, after = plain(packed), system(packed)
    assert_close(after[rows], before[rows])
    assert not torch.isclose(after[~rows], before[~rows]).all(dim=1).any()


def test_what_it_adds_to_the_transformer_is_called_context():
    added = set(make(document_transformer()).state_dict()) - set(make(transformer()).state_dict())
    assert all("context" in name for name in added)
    own = [name for name in added if ".context_attention." in name]
    layers = {name.split(".context_attention.")[0] for name in own}
    assert layers == {f"{part}.{layer}" for part in ("encoder", "decoder") for layer in range(3)}


@pytest.mark.parametrize("keys", [{}, {"encoder_context": False}, {"decoder_context": False}])
@torch.no_grad()
def test_either_side_alone_lets_the_context_show_in_every_word(keys):
    system = make(document_transformer(**keys))
    (sentence,) = documents([4])
    before = system(batch(with_context(sentence, 3, 4)))
    after = system(batch(with_context(sentence, 3, 4, seed=6)))
    assert (before != after).any(dim=1).all()


@torch.no_grad()
def test_the_order_of_the_sentences_before_matters():
    system = make(document_transformer())
    (sentence,) = documents([4])
    sentence = with_context(sentence, 3, 3)
    turned = replace(sentence, context=sentence.context[::-1])
    assert not torch.isclose(system(batch(sentence)), system(batch(turned))).all(dim=1).any()


@pytest.mark.parametrize("context_layers", [1, 3])
@torch.no_grad()
def test_the_context_is_read_as_one_row_as_a_transformer_reads_it(context_layers):
    keys = {"norm": "pre"}
    system = make(document_transformer(context_layers=context_layers, **keys))
    plain = make(transformer(layers=context_layers, **keys), seed=2)
    plain.encoder.load_state_dict(system.context_encoder.state_dict())
    plain.encoder_norm.load_state_dict(system.context_norm.state_dict())
    plain.source_embedding.load_state_dict(system.source_embedding.state_dict())
    first, second = documents([4], [2])
    source = batch(with_context(first, 3, 4), with_context(second, 6)).source
    encoded = system.encode(source).encoded("context")
    assert_close(encoded.states, plain.encode(source.context).states)


@torch.no_grad()
def test_layers_look_at_the_context_after_self_attention():
    system = make(document_transformer())
    packed = batch(with_context(documents([4])[0], 3, 4))
    memory = system.encode(packed.source)
    context = memory.encoded("context")

    def passed(layer, packed, causal):
        x = torch.randn(len(packed.tokens), 16)
        own, gated = layer["self_attention"], layer["context_attention"]
        over = OverSpans(packed.instances, packed.instances, causal=causal)
        attended = own.norm(x + own.sublayer.attention(x, over))
        found = gated.attention(
            attended, OverSpans(packed.instances, context.spans, context.states)
        )
        return x, gated.combine(attended, found, torch.ones(len(x), dtype=torch.bool))

    def fed(layer, x):
        feed_forward = layer["feed_forward"]
        return feed_forward.norm(x + feed_forward.sublayer(x))

    layer = system.encoder[0]
    x, looked = passed(layer, packed.source, causal=False)
    view = FullPass(packed.source, auxiliary=memory.auxiliary)
    assert_close(layer(x, view), fed(layer, looked))
    layer = system.decoder[0]
    x, looked = passed(layer, packed.target, causal=True)
    over = OverSpans(packed.target.instances, packed.source.instances, memory.states)
    cross = layer["cross_attention"]
    found = cross.sublayer.attention(looked, over)
    expected = fed(layer, cross.norm(looked + found))
    assert_close(layer(x, FullPass(packed.target, memory)), expected)


@torch.no_grad()
def test_the_gate_joins_as_the_paper_says():
    attention = make(document_transformer()).encoder[0]["context_attention"]
    x, y = torch.randn(5, 16), torch.randn(5, 16)
    w_i, w_s = attention.gate.weight.split(16, dim=1)
    gate = torch.sigmoid(x @ w_i.T + y @ w_s.T)
    there = torch.tensor([True, True, False, True, True])
    joined = attention.combine(x, y, there)
    assert_close(joined[there], attention.norm(gate * x + (1 - gate) * y)[there])
    assert torch.equal(joined[2], x[2])


@torch.no_grad()
def test_what_attention_gives_is_normalised_where_that_is_the_form():
    attention = make(document_transformer(norm="output")).encoder[0]["context_attention"]
    x, y = torch.randn(5, 16), torch.randn(5, 16)
    there = torch.ones(5, dtype=torch.bool)
    normalised = attention.norm(y)
    gate = torch.sigmoid(attention.gate(torch.cat([x, normalised], dim=1)))
    assert_close(attention.combine(x, y, there), gate * x + (1 - gate) * normalised)


def test_a_batch_of_first_sentences_teaches_the_sentence_part_alone():
    system = make(document_transformer())
    packed = batch(*(replace(sentence, context=[]) for sentence in documents([4], [3])))
    torch.nn.functional.cross_entropy(system(packed), packed.labels).backward()
    for name, parameter in system.named_parameters():
        learns = parameter.grad is not None and bool(parameter.grad.any())
        # A key's bias changes nothing but by rounding.
        assert name.endswith("key.bias") or learns == ("context" not in name), name


@pytest.mark.parametrize("beam", [1, 3])
def test_search_translates_a_sentence_alike_alone_and_among_others(beam):
    system = make(document_transformer())
    instances = documents([4], [5], [3], [6])
    longest = torch.full((4,), 8)
    together = search(
        system, batch(*instances).source, SPECIAL_TOKENS, beam_size=beam, max_lengths=longest
    )
    for instance, found in zip(instances, together, strict=True):
        alone = search(
            system, batch(instance).source, SPECIAL_TOKENS, beam_size=beam, max_lengths=longest[:1]
        )
        assert [h.sentences for h in alone[0]] == [h.sentences for h in found]
