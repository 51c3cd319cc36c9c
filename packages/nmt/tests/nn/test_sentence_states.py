import pytest
import torch

from docmt_nmt.nn import Packed, Spans, sentence_states
from docmt_nmt.nn.sentence_states import SentenceStates, active_states, keeping_states


def packed(*sentences):
    spans = Spans.of([len(sentence) for sentence in sentences])
    tokens = torch.tensor([token for sentence in sentences for token in sentence])
    return Packed(tokens, spans, spans)


class Doubling:
    """States that are twice the tokens, and the tokens that were computed."""

    def __init__(self):
        self.computed = []

    def __call__(self, batch):
        self.computed.append(batch.tokens.tolist())
        return 2.0 * batch.tokens[:, None]


@pytest.fixture
def compute():
    return Doubling()


def test_states_are_collected_from_whole_batches_and_then_only_unknown_ones_computed(compute):
    states = SentenceStates(None)
    states.of(packed([1, 2], [3]), compute)
    states.of(packed([3], [4]), compute)
    assert compute.computed == [[1, 2, 3], [3, 4]]
    states.reads = True
    found = states.of(packed([4], [5, 6], [1, 2], [5, 6], [3]), compute)
    assert compute.computed[2:] == [[5, 6]]
    assert found.squeeze(1).tolist() == [8, 10, 12, 2, 4, 10, 12, 6]
    assert states.of(packed([5, 6], [3]), compute).squeeze(1).tolist() == [10, 12, 6]
    assert len(compute.computed) == 3


def test_no_more_states_are_kept_than_there_is_room_for(compute, monkeypatch):
    monkeypatch.setattr(sentence_states, "_MOST_TOKENS", 3)
    states = SentenceStates(None)
    states.of(packed([1, 2], [3, 4], [5]), compute)
    states.reads = True
    assert states.of(packed([5], [3, 4], [1, 2]), compute).squeeze(1).tolist() == [10, 6, 8, 2, 4]
    assert compute.computed[1:] == [[3, 4]]


def test_states_are_kept_within_their_context_alone():
    with keeping_states("owner") as states:
        assert active_states.get() is states
    assert active_states.get() is None
