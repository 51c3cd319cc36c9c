"""States of target sequences that begin alike, computed once for what they share."""

from dataclasses import replace

import pytest
import torch

from cases import CASES, SPECIAL_TOKENS, batch, documents, make
from docmt_nmt.data.collate import collate_source
from docmt_nmt.systems import EncoderDecoder, WritingOrder, system_class
from docmt_research.nn.shared_prefixes import PrefixTree, SharedPrefixes
from research_cases import RESEARCH_CASES

END = SPECIAL_TOKENS.target_end


def candidates(sentences):
    """Four translations: two that differ in the last sentence, one that is the beginning of
    another there, and one that differs before."""
    *context, last = sentences
    others = [[*context, last], [*context, [*last[:2], 9, 9]], [*context, last[:2]]]
    return [*others, [[5, *context[0]], *context[1:], last]]


def with_special(sentences):
    return [[*SPECIAL_TOKENS.target_opening, *s, END] for s in sentences]


def test_what_sequences_share_is_one_path():
    tree = PrefixTree.of([[[[1, 2], [3]], [[1, 2], [4, 5]], [[1, 6], [3]]], [[[1]]]])
    assert tree.nodes.tokens.tolist() == [1, 2, 6, 3, 4, 5, 3, 1]
    assert tree.nodes.sentences.host_lengths.tolist() == [3, 4, 1]
    assert tree.nodes.instances.host_lengths.tolist() == [7, 1]
    assert tree.paths.tokens.tolist() == [1, 2, 3, 1, 2, 4, 5, 1, 6, 3, 1]
    assert tree.paths.sentences.host_lengths.tolist() == [2, 1, 2, 2, 2, 1, 1]
    assert tree.node_of.tolist() == [0, 1, 3, 0, 1, 4, 5, 0, 2, 6, 7]
    assert tree.node_of[tree.path_of].tolist() == list(range(8))


def test_equal_sequences_are_one_path():
    tree = PrefixTree.of([[[[1, 2]], [[1, 2]]]])
    assert tree.nodes.tokens.tolist() == [1, 2]
    assert tree.node_of.tolist() == [0, 1, 0, 1]


@pytest.mark.by_default(28)
@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(settings, id=name)
        for name, settings in (CASES | RESEARCH_CASES).items()
        if issubclass(system_class(settings.name), EncoderDecoder)
    ],
)
def test_states_are_those_of_each_sequence_on_its_own(settings):
    system = make(settings)
    instances = documents((3, 5, 4), (2, 6))
    kinds = system.settings_class.instance_kinds
    if kinds == ("sentence",):
        instances = documents((4,), (6,))
    translations = [
        candidates(i.target) if len(i.source) > 1 else [i.target, [i.target[0][:1]]]
        for i in instances
    ]
    with torch.no_grad():
        apart = [
            replace(instance, target=target)
            for instance, own in zip(instances, translations, strict=True)
            for target in own
        ]
        expected = system.states(batch(*apart))
        tree = PrefixTree.of([[with_special(t) for t in own] for own in translations])
        memory = system.encode(collate_source(instances, SPECIAL_TOKENS))
        found = system.decode(tree.nodes.tokens, SharedPrefixes(tree, memory))
        found = system.readout(found)[torch.from_numpy(tree.node_of)]
    assert len(tree.nodes.tokens) < len(tree.paths.tokens)
    if system.writing_order is WritingOrder.AFTER_DRAFTS:
        # Sentences that read drafts of later ones are not the same in all sequences.
        spans, last = tree.paths.sentences, tree.paths.first_sentences[1:] - 1
        chosen = spans.tokens_of(last)
        found, expected = found[chosen], expected[chosen]
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
