"""A system without a network, whose translations can be worked out by hand."""

import torch

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate_source
from docmt_nmt.decoding import search
from docmt_nmt.nn import Memory
from docmt_nmt.systems.system import System

BEGIN, PAD, END, A, B = range(5)
SPECIAL_TOKENS = SpecialTokens((BEGIN,), (END,), BEGIN, END)


class Table(System):
    """A system whose next token depends on the last one alone, by a table of probabilities."""

    def __init__(self, table):
        super().__init__()
        self.table = torch.tensor(table).log()

    def encode(self, source):
        return Memory(source, torch.zeros(len(source.tokens), 1))

    def target_states(self, tokens, view):  # noqa: ARG002
        raise AssertionError("search reads tokens one by one")

    @property
    def output_weight(self):
        raise AssertionError("search asks for logits")

    def step(self, tokens, state):
        state.advance(tokens)
        return self.table[torch.as_tensor(tokens)]


def source(*instances, special_tokens=SPECIAL_TOKENS):
    return collate_source([Instance(str(i), 0, s) for i, s in enumerate(instances)], special_tokens)


def find(system, packed, longest=5, beam_size=1, special_tokens=SPECIAL_TOKENS, **keys):
    limits = torch.full((len(packed.sentences),), longest)
    return search(
        system,
        packed,
        special_tokens,
        beam_size=beam_size,
        max_lengths=limits,
        banned=[PAD],
        **keys,
    )


# From a begin mark A is likelier, but B leads to the likelier whole.
GARDEN_PATH = [
    [0.0, 0.0, 0.0, 0.6, 0.4],
    [0.2, 0.2, 0.2, 0.2, 0.2],
    [0.2, 0.2, 0.2, 0.2, 0.2],
    [0.0, 0.0, 0.3, 0.4, 0.3],
    [0.0, 0.0, 0.9, 0.05, 0.05],
]
