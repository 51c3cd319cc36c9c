"""Recurrent networks and additive attention as loops over words, for tests of whole systems."""

import torch


def gru(inputs, state, cell):
    """One gated recurrent unit whose input is multiplied already, (3 · d,)."""
    r, z, n = inputs.chunk(3)
    u_r, u_z, u_n = (cell.state.weight @ state + cell.state.bias).chunk(3)
    r, z = torch.sigmoid(r + u_r), torch.sigmoid(z + u_z)
    return (1 - z) * torch.tanh(n + r * u_n) + z * state


def next_states(decoder, inputs, states):
    """The states of all layers after what the lowest one reads, (3 · d,)."""
    states = list(states)
    for k, cell in enumerate(decoder.cells):
        if k:
            below = decoder.below[k - 1]
            inputs = below.weight @ states[k - 1] + below.bias
        states[k] = gru(inputs, states[k], cell)
    return states


def attend(attention, state, h):
    """Additive attention of one state over h, word by word."""
    query = attention.query.weight @ state
    scores = torch.stack(
        [
            attention.score @ torch.tanh(query + attention.key.weight @ word + attention.key.bias)
            for word in h
        ]
    )
    weights = scores.exp() / scores.exp().sum()
    return sum(weight * word for weight, word in zip(weights, h, strict=True))


def readout(decoder, features):
    """What the vocabulary is scored against, given [s; y; c]."""
    return torch.tanh(decoder.readout.weight @ torch.cat(features) + decoder.readout.bias)


def read(encoder, table, sentences):
    """The states of sentences, each read on its own."""
    scale = table.shape[1] ** 0.5
    return torch.cat([encoder.network(table[tokens] * scale)[0] for tokens in sentences])


def sentences_of(packed):
    """The token ids of each sentence."""
    return packed.tokens.split(packed.sentences.host_lengths.tolist())
