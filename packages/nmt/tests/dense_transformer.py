"""The Transformer of Vaswani et al. 2017 over single sentences, with dense masks: what systems that
add to it are compared with."""

from itertools import pairwise

import torch


def heads_of(x, heads):
    return x.reshape(*x.shape[:-1], heads, -1)


def of_documents(states, packed):
    """States as documents of sentences."""
    sentences = states.split(packed.sentences.host_lengths.tolist())
    first = packed.first_sentences.tolist()
    return [sentences[a:b] for a, b in pairwise(first)]


def alone(side, k):
    """The tokens of a sentence."""
    begin, end = side.sentences.host_offsets[k : k + 2].tolist()
    return side.tokens[begin:end]


def load_sentence_weights(plain, system):
    """Give a sentence-level Transformer the weights of the one inside."""
    own = {name: w for name, w in system.state_dict().items() if name in plain.state_dict()}
    plain.load_state_dict(own)


def dense_attention(attention, x, y, mask=None):
    """MultiHead of x over y with a dense mask."""
    q, k, v = (
        heads_of(f(z), attention.heads).transpose(0, 1)
        for f, z in ((attention.query, x), (attention.key, y), (attention.value, y))
    )
    scores = q @ k.transpose(1, 2) / q.shape[2] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return attention.output((scores.softmax(-1) @ v).transpose(0, 1).flatten(1))


def around(residual, x, function):
    """Residual sum and normalization around a sublayer, in evaluation."""
    if residual.norm_order == "pre":
        return x + function(residual.norm(x))
    return residual.norm(x + function(x))


def feed_forward(layer, x):
    module = layer["feed_forward"].sublayer
    return around(layer["feed_forward"], x, lambda y: module.outer(torch.relu(module.inner(y))))


def embedded(embedding, tokens):
    """Token embeddings times √d plus sinusoids, with positions from 2."""
    d = embedding.table.weight.shape[1]
    position = torch.arange(2, len(tokens) + 2)[:, None]
    rate = 10000.0 ** (-torch.arange(d // 2) / (d // 2 - 1))
    waves = torch.cat([(position * rate).sin(), (position * rate).cos()], dim=1)
    return embedding.table.weight[tokens] * d**0.5 + waves


def encode_alone(plain, tokens):
    """The encoder of Vaswani et al. over one sentence."""
    x = embedded(plain.source_embedding, tokens)
    for layer in plain.encoder:
        own = layer["self_attention"].sublayer.attention
        x = around(layer["self_attention"], x, lambda y, own=own: dense_attention(own, y, y))
        x = feed_forward(layer, x)
    return plain.encoder_norm(x)


def decode_alone(plain, tokens, memory):
    """The decoder of Vaswani et al. over one sentence and its encoded source."""
    return decode_in_two_parts(plain, tokens, memory)[1]


def decode_in_two_parts(plain, tokens, memory):
    """What the last cross-attention and what the decoder give."""
    x = embedded(plain.target_embedding, tokens)
    causal = torch.ones(len(x), len(x), dtype=torch.bool).tril()
    for layer in plain.decoder:
        own = layer["self_attention"].sublayer.attention
        cross = layer["cross_attention"].sublayer.attention
        x = around(
            layer["self_attention"], x, lambda y, own=own: dense_attention(own, y, y, causal)
        )
        x = around(
            layer["cross_attention"], x, lambda y, cross=cross: dense_attention(cross, y, memory)
        )
        found, x = x, feed_forward(layer, x)
    return found, plain.decoder_norm(x)
