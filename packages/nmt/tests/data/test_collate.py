from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from docmt_files.base.errors import InputError
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.data import Instance, InstanceSettings, cut, sliding_windows
from docmt_nmt.data.collate import collate, collate_source
from docmt_nmt.nn.batch import IGNORED
from docmt_nmt.nn.spans import Spans
from docmt_nmt.text import EncodedDocument

SPECIAL_TOKENS = SpecialTokens((0,), (2,), 0, 2)

sentences = st.lists(st.lists(st.integers(4, 9), min_size=1, max_size=12), min_size=1, max_size=20)
settings = st.one_of(
    st.builds(InstanceSettings, kind=st.sampled_from(["sentence", "whole"])),
    st.builds(InstanceSettings, kind=st.just("window"), window=st.integers(1, 5)),
    st.builds(InstanceSettings, kind=st.just("tokens"), max_tokens=st.integers(1, 40)),
)


def test_a_packed_batch_looks_as_written_by_hand():
    batch = collate(
        [Instance("a", 0, [[5, 6], [7]], [[8], [9, 4]]), Instance("b", 3, [[4]], [[5]])],
        SPECIAL_TOKENS,
    )
    assert batch.source.tokens.tolist() == [0, 5, 6, 2, 0, 7, 2, 0, 4, 2]
    assert batch.source.sentences.offsets.tolist() == [0, 4, 7, 10]
    assert batch.source.instances.offsets.tolist() == [0, 7, 10]
    assert batch.source.positions.tolist() == [0, 1, 2, 3, 4, 5, 6, 0, 1, 2]
    assert batch.source.sentences.index.tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert batch.source.first_sentences.tolist() == [0, 2, 3]
    assert batch.target.tokens.tolist() == [0, 8, 2, 0, 9, 4, 2, 0, 5, 2]
    # EOS is followed by BOS or by nothing: neither is predicted.
    assert batch.labels.tolist() == [8, 2, IGNORED, 9, 4, 2, IGNORED, 5, 2, IGNORED]


def test_what_opens_a_target_sentence_is_given_and_not_predicted():
    special_tokens = SpecialTokens((30,), (2,), 2, 2, (31,))
    batch = collate([Instance("a", 0, [[5, 6], [7]], [[8], [9, 4]])], special_tokens)
    assert batch.source.tokens.tolist() == [30, 5, 6, 2, 30, 7, 2]
    assert batch.target.tokens.tolist() == [2, 31, 8, 2, 2, 31, 9, 4, 2]
    assert batch.labels.tolist() == [IGNORED, 8, 2, IGNORED, IGNORED, 9, 4, 2, IGNORED]


@given(sentences, settings)
def test_every_sentence_is_in_exactly_one_instance_in_order(source, cutting):
    target = [s[::-1] for s in source]
    instances = cut(EncodedDocument("d", source, target), cutting, SPECIAL_TOKENS)
    assert [s for instance in instances for s in instance.source] == source
    assert [s for instance in instances for s in instance.target] == target
    assert [i.first for i in instances] == [
        sum(len(j.source) for j in instances[:n]) for n in range(len(instances))
    ]


@given(sentences, st.integers(1, 40))
def test_an_instance_has_at_most_so_many_tokens_and_a_longer_sentence_stands_alone(source, limit):
    settings = InstanceSettings(kind="tokens", max_tokens=limit)
    instances = cut(EncodedDocument("d", source), settings, SPECIAL_TOKENS)
    sizes = [[len(s) + 2 for s in instance.source] for instance in instances]
    assert all(sum(size) <= limit or len(size) == 1 for size in sizes)
    # No instance could have taken the next sentence as well.
    assert all(sum(a) + b[0] > limit for a, b in pairwise(sizes))


def test_the_longer_side_counts():
    document = EncodedDocument("d", [[4], [4], [4]], [[4] * 8, [4] * 8, [4]])
    instances = cut(document, InstanceSettings(kind="tokens", max_tokens=14), SPECIAL_TOKENS)
    assert [len(i.source) for i in instances] == [1, 2]


def test_windows_and_whole_documents():
    document = EncodedDocument("d", [[4]] * 5)
    window = cut(document, InstanceSettings(kind="window", window=2), SPECIAL_TOKENS)
    assert [(i.first, len(i.source)) for i in window] == [(0, 2), (2, 2), (4, 1)]
    whole = cut(document, InstanceSettings(kind="whole"), SPECIAL_TOKENS)
    assert [len(i.source) for i in whole] == [5]
    single = cut(document, InstanceSettings(kind="sentence"), SPECIAL_TOKENS)
    assert [len(i.source) for i in single] == [1] * 5


def spans(instances):
    return [(i.first, i.first + len(i.source)) for i in instances]


@given(st.integers(1, 12), st.integers(1, 5), st.integers(1, 5))
def test_windows_with_a_stride_are_whole_and_leave_no_sentence_out(sentences, window, stride):
    document = EncodedDocument("d", [[4]] * sentences)
    stride = min(window, stride)
    settings = InstanceSettings(kind="window", window=window, stride=stride)
    found = spans(cut(document, settings, SPECIAL_TOKENS))
    assert [first for first, _ in found] == [stride * index for index in range(len(found))]
    assert all(end - first == window for first, end in found[:-1])
    assert found[-1][1] == sentences


def test_a_stride_of_one_slides_the_window_over_the_document():
    sliding = InstanceSettings(kind="window", window=3, stride=1)
    for sentences, expected in ((5, [(0, 3), (1, 4), (2, 5)]), (3, [(0, 3)]), (2, [(0, 2)])):
        document = EncodedDocument("d", [[4]] * sentences)
        assert spans(cut(document, sliding, SPECIAL_TOKENS)) == expected
        assert spans(cut(document, sliding.disjoint, SPECIAL_TOKENS)) == [
            (first, min(first + 3, sentences)) for first in range(0, sentences, 3)
        ]


def test_a_sliding_window_begins_with_every_sentence_in_turn():
    document = EncodedDocument("d", [[n] for n in range(4)])
    windows = sliding_windows(
        document, InstanceSettings(kind="window", window=3, previous_sentences=1)
    )
    assert [i.source for i in windows] == [[[0], [1], [2]], [[1], [2], [3]], [[2], [3]], [[3]]]
    assert [i.context for i in windows] == [[], [[0]], [[1]], [[2]]]
    assert sliding_windows(EncodedDocument("d", []), InstanceSettings(kind="window")) == []


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"kind": "window", "window": 2, "stride": 3}, "stride 3 is more than window 2"),
        ({"kind": "tokens", "stride": 1}, "stride: 1 has no effect with kind: tokens"),
        ({"kind": "window", "window": 0}, "'window': Input should be greater than or equal to 1"),
    ],
)
def test_windows_that_make_no_sense_are_errors_that_name_the_keys(keys, message):
    with pytest.raises(InputError, match=message):
        InstanceSettings.read(keys)


def test_copied_sentences_are_read_and_have_no_loss():
    batch = collate([Instance("a", 0, [[5], [6]], [[7], [8, 9]], copied=1)], SPECIAL_TOKENS)
    assert batch.target.tokens.tolist() == [0, 7, 2, 0, 8, 9, 2]
    assert batch.labels.tolist() == [*[IGNORED] * 3, 8, 9, 2, IGNORED]


def test_the_sentences_before_an_instance_are_its_context():
    source = [[4], [5, 5], [6], [7]]
    cutting = InstanceSettings(kind="sentence", previous_sentences=2)
    instances = cut(EncodedDocument("d", source, source), cutting, SPECIAL_TOKENS)
    assert [i.context for i in instances] == [[], [[4]], [[4], [5, 5]], [[5, 5], [6]]]
    context = collate_source(instances[:3], SPECIAL_TOKENS).context
    assert context.tokens.tolist() == [0, 4, 2, 0, 4, 2, 0, 5, 5, 2]
    assert context.sentences.offsets.tolist() == [0, 3, 6, 10]
    assert context.instances.offsets.tolist() == [0, 0, 3, 10]
    assert context.first_sentences.tolist() == [0, 0, 1, 3]


def test_the_context_may_end_with_the_instance_itself():
    source = [[4], [5, 5], [6], [7]]
    cutting = InstanceSettings(kind="sentence", previous_sentences=1, current_in_context=True)
    instances = cut(EncodedDocument("d", source, source), cutting, SPECIAL_TOKENS)
    assert [i.source for i in instances] == [[s] for s in source]
    assert [i.context for i in instances] == [[[4]], [[4], [5, 5]], [[5, 5], [6]], [[6], [7]]]


def test_the_context_may_have_the_sentences_after_the_instance():
    source = [[4], [5, 5], [6], [7]]
    cutting = InstanceSettings(kind="sentence", previous_sentences=1, next_sentences=2)
    instances = cut(EncodedDocument("d", source, source), cutting, SPECIAL_TOKENS)
    assert [i.context for i in instances] == [[[5, 5], [6]], [[4], [6], [7]], [[5, 5], [7]], [[6]]]
    assert [i.following for i in instances] == [2, 2, 1, 0]
    packed = collate_source(instances, SPECIAL_TOKENS)
    assert list(packed.to("cpu").following) == [2, 2, 1, 0]
    assert len(collate_source(instances[3:], SPECIAL_TOKENS).following) == 0


def test_spans_know_their_lengths_and_positions():
    spans = Spans.of([2, 0, 3])
    assert spans.lengths.tolist() == [2, 0, 3]
    assert spans.longest == 3
    assert spans.index.tolist() == [0, 0, 2, 2, 2]
    assert spans.positions.tolist() == [0, 1, 0, 1, 2]


def test_a_source_needs_no_target():
    packed = collate_source([Instance("a", 0, [[5]])], SPECIAL_TOKENS)
    assert torch.equal(packed.tokens, torch.tensor([0, 5, 2]))
