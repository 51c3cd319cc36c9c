"""A place to look that a package brings, in sequences that share their beginnings."""

import torch
from torch.testing import assert_close

from docmt_nmt.nn import FullPass, Memory, MultiHeadAttention, Packed, Spans
from docmt_research.nn.shared_prefixes import PrefixTree, SharedPrefixes
from nn.test_new_reach import FirstSentence


@torch.no_grad()
def test_shared_prefixes_look_there_too():
    torch.manual_seed(1)
    attention = MultiHeadAttention(8, 2)
    sequences = [[[0, 5, 2], [0, 6, 2]], [[0, 5, 2], [0, 7, 2]]]
    tree = PrefixTree.of([sequences])
    nodes = torch.randn(len(tree.nodes.tokens), 8)
    memory = Memory(Packed(torch.arange(4), Spans.of([2, 2]), Spans.of([4])), torch.randn(4, 8))
    shared = SharedPrefixes(tree, memory).look(FirstSentence(), nodes)
    on_paths = nodes[torch.from_numpy(tree.node_of)]
    expected = attention(on_paths, FullPass(tree.paths, memory).look(FirstSentence(), on_paths))
    assert_close(attention(nodes, shared), expected[torch.from_numpy(tree.path_of)])
