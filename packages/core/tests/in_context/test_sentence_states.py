import pytest
import torch
from torch.testing import assert_close

from cases import batch, documents, g_transformer, make
from docmt.in_context import sentence_states
from docmt.in_context.sentence_states import SentenceStates, keeping_states
from docmt_nmt.nn import Packed, Spans
from docmt_nmt.systems.g_transformer import lower_states


def packed(*sentences):
    spans = Spans.of([len(sentence) for sentence in sentences])
    tokens = torch.tensor([token for sentence in sentences for token in sentence])
    return Packed(tokens, spans, spans)


class Doubling:
    """A system whose states are twice the tokens."""

    def __init__(self):
        self.computed = []

    def lower_states(self, source):
        self.computed.append(source.tokens.tolist())
        return 2.0 * source.tokens[:, None]


@pytest.fixture
def system():
    return Doubling()


def test_states_are_collected_from_whole_batches_and_then_only_unknown_ones_computed(system):
    states = SentenceStates(system)
    states(system, packed([1, 2], [3]))
    states(system, packed([3], [4]))
    assert system.computed == [[1, 2, 3], [3, 4]]
    states.reads = True
    found = states(system, packed([4], [5, 6], [1, 2], [5, 6], [3]))
    assert system.computed[2:] == [[5, 6]]
    assert found.squeeze(1).tolist() == [8, 10, 12, 2, 4, 10, 12, 6]
    assert states(system, packed([5, 6], [3])).squeeze(1).tolist() == [10, 12, 6]
    assert len(system.computed) == 3


def test_no_more_states_are_kept_than_there_is_room_for(system, monkeypatch):
    monkeypatch.setattr(sentence_states, "_MOST_TOKENS", 3)
    states = SentenceStates(system)
    states(system, packed([1, 2], [3, 4], [5]))
    states.reads = True
    assert states(system, packed([5], [3, 4], [1, 2])).squeeze(1).tolist() == [10, 6, 8, 2, 4]
    assert system.computed[1:] == [[3, 4]]


def test_another_system_computes_its_own(system):
    states = SentenceStates(Doubling())
    states.reads = True
    for _ in range(2):
        assert states(system, packed([1])).item() == 2
    assert system.computed == [[1], [1]]


def test_states_are_kept_within_their_context_alone(system):
    with keeping_states(system) as states:
        assert lower_states.get() is states
    assert lower_states.get() is None


@pytest.mark.parametrize("count_positions", ["sentence", "instance"])
@torch.no_grad()
def test_kept_states_give_the_states_of_a_document_that_is_computed_whole(
    count_positions, monkeypatch
):
    system = make(g_transformer(count_positions=count_positions)).eval()
    first, second, document = documents([4], [6], [3, 4, 6])
    # The same sentences alone, and after another one.
    document.source[1:] = [*first.source, *second.source]
    alone, together = batch(first, second).source, batch(document).source
    before, expected = system.encode(alone).states, system.encode(together).states
    computed = []
    lower = system.lower_states
    with keeping_states(system) as states:
        assert torch.equal(system.encode(alone).states, before)
        states.reads = True
        monkeypatch.setattr(
            system, "lower_states", lambda x: computed.append(len(x.tokens)) or lower(x)
        )
        assert_close(system.encode(together).states, expected)
        assert_close(system.encode(alone).states, before)
    # With positions of the instance, no state is that of the sentence alone.
    first_alone = [int(together.sentences.host_lengths[0])]
    assert computed == (first_alone if count_positions == "sentence" else [])
