"""The equations of Wang et al. 2017, Zhang et al. 2018 and Tan et al. 2019, written again with
dense softmaxes and loops over sentences and documents, and compared with the systems."""

import pytest
import torch
from torch.testing import assert_close

from by_hand import attend, next_states, read, readout
from cases import batch, documents, hm_gdc, make, with_context
from dense_transformer import (
    alone,
    around,
    dense_attention,
    embedded,
    encode_alone,
    feed_forward,
    heads_of,
    of_documents,
)
from research_cases import cross_sentence_rnn, document_transformer, hm_gdc_rnnsearch

EACH_NORM = pytest.mark.parametrize("norm", ["post", "pre"])


def self_attention(layer, x, mask=None):
    part = layer["self_attention"]
    return around(part, x, lambda y: dense_attention(part.sublayer.attention, y, y, mask))


def causal(tokens):
    return torch.ones(len(tokens), len(tokens), dtype=torch.bool).tril()


# --- Zhang et al. 2018 ----------------------------------------------------------------------------


def gated(part, x, context):
    """Gating(H) = λ H + (1 − λ) SubLayer(H), with the normalization of other sublayers; nothing
    without context."""
    if not len(context):
        return x
    y = dense_attention(part.attention, part.norm(x) if part.norm_order == "pre" else x, context)
    w_i, w_s = part.gate.weight.chunk(2, dim=1)
    share = torch.sigmoid(x @ w_i.T + y @ w_s.T)
    mixed = share * x + (1 - share) * y
    return part.norm(mixed) if part.norm_order == "post" else mixed


def zhang(system, source, target, context):
    """The logits of a sentence, given the tokens of the sentences before it as one row."""
    c = embedded(system.source_embedding, context)
    for layer in system.context_encoder if len(context) else ():
        c = feed_forward(layer, self_attention(layer, c))
    c = system.context_norm(c)
    x = embedded(system.source_embedding, source)
    for layer in system.encoder:
        x = feed_forward(layer, gated(layer["context_attention"], self_attention(layer, x), c))
    s = system.encoder_norm(x)
    y = embedded(system.target_embedding, target)
    for layer in system.decoder:
        y = gated(layer["context_attention"], self_attention(layer, y, causal(target)), c)
        part = layer["cross_attention"]
        cross = part.sublayer.attention
        y = around(part, y, lambda z, cross=cross: dense_attention(cross, z, s))
        y = feed_forward(layer, y)
    return system.decoder_norm(y) @ system.target_embedding.table.weight.T


@EACH_NORM
@pytest.mark.parametrize("context_layers", [1, 2])
@torch.no_grad()
def test_the_document_transformer_is_that_of_zhang_et_al(norm, context_layers):
    system = make(document_transformer(norm=norm, context_layers=context_layers))
    first, second, third = documents([4], [2], [5])
    packed = batch(first, with_context(second, 3, 6), with_context(third, 2))
    context = packed.source.context
    rows = context.tokens.split(context.instances.host_lengths.tolist())
    expected = [
        zhang(system, alone(packed.source, k), alone(packed.target, k), row)
        for k, row in enumerate(rows)
    ]
    assert [len(row) for row in rows] == [0, 13, 4]
    assert_close(system(packed), torch.cat(expected), atol=2e-5, rtol=1e-4)


# --- Tan et al. 2019 ------------------------------------------------------------------------------


def waves(count, d):
    """Sinusoids of positions from 2."""
    rates = 10000.0 ** (-torch.arange(d // 2) / (d // 2 - 1))
    angles = torch.arange(2, count + 2)[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=1)


def shares_of(attention, h):
    """α of Eq. 5 as docmt reads it: in each head, a word's share of its sentence, (H, n)."""
    q, k = (heads_of(f(h), attention.heads) for f in (attention.query, attention.key))
    scores = torch.stack([(q[j] * k[j]).sum(dim=1) for j in range(len(h))], dim=1)
    return (scores / q.shape[2] ** 0.5).softmax(dim=1)


def document_encoder(encoder, x):
    """DocEnc of Eq. 4 over sentence vectors: self-attention, or a recurrent network."""
    if hasattr(encoder, "network"):
        return encoder.network(x)[0]
    x = x + waves(*x.shape)
    for layer in encoder.layers:
        x = feed_forward(layer, self_attention(layer, x))
    return encoder.norm(x)


def with_document(system, sentences):
    """h_ctx of a document, given as the states of the words of its sentences: Eq. 2-7."""
    hierarchy = system.hierarchy
    own = hierarchy.sentence_attention
    x = torch.stack([dense_attention(own, h, h).sum(dim=0) for h in sentences])
    x = document_encoder(hierarchy.document_encoder, x)
    attention = hierarchy.context_attention.attention
    found = []
    for h, vector in zip(sentences, x, strict=True):
        value = heads_of(attention.value(vector), attention.heads)  # (H, D)
        spread = torch.einsum("hn,hd->nhd", shares_of(attention, h), value).flatten(1)
        found.append(h + attention.output(spread))
    return found


def tan(system, target, sentence, document):
    """The logits of a sentence: with Eq. 8-10, where the decoder reads the document."""
    y = embedded(system.target_embedding, target)
    for layer in system.decoder:
        y = self_attention(layer, y, causal(target))
        part = layer["cross_attention"]

        def cross(t, part=part):
            e = dense_attention(part.sublayer.attention, t, sentence)
            if document is None:
                return e
            return e + dense_attention(part.sublayer.document_attention, t, document)

        y = feed_forward(layer, around(part, y, cross))
    return system.decoder_norm(y) @ system.target_embedding.table.weight.T


@EACH_NORM
@pytest.mark.parametrize("integration", ["encoder", "decoder", "both"])
@torch.no_grad()
def test_hm_gdc_is_that_of_tan_et_al(integration, norm):
    system = make(hm_gdc(integration=integration, norm=norm, document_layers=2))
    packed = batch(*documents([4, 1, 3], [2], [3, 5]))
    count = len(packed.source.sentences)
    states = [encode_alone(system, alone(packed.source, k)) for k in range(count)]
    expected, sentence = [], 0
    for document in of_documents(torch.cat(states), packed.source):
        enriched = with_document(system, document)
        words = torch.cat(enriched) if integration != "encoder" else None
        for h in document if integration == "decoder" else enriched:
            expected.append(tan(system, alone(packed.target, sentence), h, words))
            sentence += 1
    assert_close(system(packed), torch.cat(expected), atol=5e-5, rtol=1e-4)


# --- on RNNSearch ---------------------------------------------------------------------------------


def written(system, target, h, summary=None):
    """The logits of a sentence by the decoder of RNNSearch over the states h of its source, with
    the summary D of Wang et al. 2017."""
    decoder = system.decoder
    start = decoder.initial_state.weight @ h[0, h.shape[1] // 2 :] + decoder.initial_state.bias
    if summary is not None and decoder.summary_start is not None:
        start = start + decoder.summary_start.weight @ summary
    states = list(torch.tanh(start).chunk(len(decoder.cells)))
    logits = []
    for token in target:
        y, top = system.target_embedding.table.weight[token] * h.shape[1] ** 0.5, states[-1]
        c = attend(decoder.attention, top, h)
        inputs = decoder.token.weight @ y + decoder.token.bias + decoder.found.weight @ c
        if summary is not None and decoder.summary_read is not None:
            gate = 1
            if decoder.summary_gate is not None:
                gate = torch.sigmoid(decoder.summary_gate.weight @ torch.cat([top, y, c]))
            inputs = inputs + decoder.summary_read.weight @ (gate * summary)
        states = next_states(decoder, inputs, states)
        logits.append(system.output_weight @ readout(decoder, [states[-1], y, c]))
    return torch.stack(logits)


@pytest.mark.parametrize("share_encoders", [True, False])
@torch.no_grad()
def test_hm_gdc_on_rnnsearch_is_that_of_tan_et_al(share_encoders):
    system = make(hm_gdc_rnnsearch(share_encoders=share_encoders, heads=4))
    packed = batch(*documents([4, 1, 3], [2], [3, 5]))
    table = system.source_embedding.table.weight
    count = len(packed.source.sentences)
    states = [read(system.encoder, table, [alone(packed.source, k)]) for k in range(count)]
    expected = []
    for document in of_documents(torch.cat(states), packed.source):
        for h in with_document(system, document):
            expected.append(written(system, alone(packed.target, len(expected)), h))
    assert_close(system(packed), torch.cat(expected), atol=5e-5, rtol=1e-4)


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"auxiliary": "plain"},
        {"auxiliary": "none"},
        {"initialize_encoder": False, "initialize_decoder": False},
    ],
)
@torch.no_grad()
def test_the_cross_sentence_rnn_is_that_of_wang_et_al(keys):
    system = make(cross_sentence_rnn(**keys))
    first, second = documents([4], [2])
    packed = batch(with_context(first, 3, 6, 1), with_context(second, 2))
    context = packed.source.context
    network, table = system.encoder.network, system.source_embedding.table.weight
    scale, expected = table.shape[1] ** 0.5, []
    rows = [alone(context, k) for k in range(len(context.sentences))]
    for instance, before in enumerate((rows[:3], rows[3:])):
        # S_k is the last state over the words of a sentence, D the last one over the sentences.
        sentences = [system.summary.sentences.network(table[row] * scale)[1][-1] for row in before]
        summary = system.summary.document.network(torch.stack(sentences))[1][-1]
        begin = torch.zeros(2 * network.num_layers, network.hidden_size)
        if system.summary_start is not None:
            begin = torch.tanh(system.summary_start.weight @ summary).view_as(begin)
        h = network(table[alone(packed.source, instance)] * scale, begin)[0]
        expected.append(written(system, alone(packed.target, instance), h, summary))
    assert_close(system(packed), torch.cat(expected), atol=2e-5, rtol=1e-4)
