"""Search over a lexical shortlist: only listed words are written, in each instance those of its own
source."""

import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import integers

from cases import CASES, SPECIAL_TOKENS, VOCABULARY
from compiled_systems import traced_only
from docmt_files.base.errors import InputError
from docmt_nmt.decoding import Sampling, TermConstraint, TermConstraints, WordEdges
from docmt_nmt.decoding.compiled_search import search_compiled
from docmt_nmt.decoding.shortlist import ListedOutput, Shortlist
from docmt_nmt.decoding.tables import Table
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.systems import build

INSTANCES = [[[3, 4, 5], [6, 7]], [[8, 9, 10, 11]], [[4], [5, 6, 7, 8], [9, 10]]]
ITSELF_AND_NEXT = {token: [token, (token + 1) % VOCABULARY] for token in range(VOCABULARY)}


def content(first, words, *, vocabulary=VOCABULARY):
    """A file of Marian, with the words of some source tokens."""
    lists = [words.get(token, []) for token in range(vocabulary)]
    offsets = [0, *np.cumsum([len(each) for each in lists])]
    flat = [word for each in lists for word in each]
    head = struct.pack("<6Q", 0xF11A48D5013417F5, 0, first, 1, len(offsets), len(flat))
    return head + struct.pack(f"<{len(offsets)}Q{len(flat)}I", *offsets, *flat)


@pytest.fixture
def shortlist(tmp_path):
    def read(first, words):
        path = tmp_path / "lex.bin"
        path.write_bytes(content(first, words))
        return Shortlist.read(path, VOCABULARY, VOCABULARY)

    return read


@pytest.fixture(scope="module", params=["transformer", "g-transformer"])
def compiled(request):
    return with_output(build(CASES[request.param], VOCABULARY, VOCABULARY, seed=3).eval())


def with_output(system):
    compiled = traced_only(system)
    table = Table(system.output_weight.detach().numpy())
    bias = None if system.output_bias is None else system.output_bias.detach().numpy()
    compiled.listed = ListedOutput(compiled._step, None, table, bias, shares=False)
    return compiled


def searched(compiled, shortlist, instances=INSTANCES, **keys):
    """The sentences and log-probabilities of the best hypotheses."""
    if shortlist is not None:
        old = compiled.listed
        compiled.listed = replace(old, shortlist=shortlist)
    lengths = [len(sentence) for instance in instances for sentence in instance]
    keys = {"beam_size": 3, "max_lengths": np.array(lengths) + 3, "banned": [1]} | keys
    found = search_compiled(
        compiled, instances, SPECIAL_TOKENS, shortlist=shortlist is not None, **keys
    )
    return [(best[0].sentences, best[0].log_probabilities) for best in found]


def allowed(instance):
    """What `ITSELF_AND_NEXT` lists for an instance."""
    source = set(SPECIAL_TOKENS.source_end).union(*instance)
    return source | {token + 1 for token in source}


def test_a_shortlist_of_all_words_changes_nothing(compiled, shortlist):
    expected = searched(compiled, None)
    found = searched(compiled, shortlist(VOCABULARY, {}))
    assert [sentences for sentences, _ in found] == [sentences for sentences, _ in expected]
    for (_, one), (_, other) in zip(found, expected, strict=True):
        assert one == pytest.approx(other, abs=1e-4)


def test_an_instance_has_the_words_of_its_own_source_in_every_batch(compiled, shortlist):
    words = shortlist(0, ITSELF_AND_NEXT)
    together = searched(compiled, words)
    for instance, (sentences, log_probabilities) in zip(INSTANCES, together, strict=True):
        assert {token for sentence in sentences for token in sentence} <= allowed(instance)
        ((alone, alone_log_probabilities),) = searched(compiled, words, [instance])
        assert alone == sentences
        assert alone_log_probabilities == pytest.approx(log_probabilities, abs=1e-4)


def test_the_words_of_terms_are_listed(compiled, shortlist):
    edges = WordEdges(np.ones(VOCABULARY, bool), np.zeros(VOCABULARY, bool))
    terms = TermConstraints([[], [TermConstraint(((12, 13),))], [], [], [], []], edges)
    ((_, second), _), *_ = searched(compiled, shortlist(0, ITSELF_AND_NEXT), terms=terms)
    assert "12, 13" in str(second)


def test_given_sentences_need_no_listed_words(compiled, shortlist):
    given = [[[20, 21]], [], []]
    ((first, _), *_) = searched(compiled, shortlist(0, ITSELF_AND_NEXT), given=given)
    assert first[0] == (20, 21)


def test_samples_are_drawn_from_listed_words(compiled, shortlist):
    sampling = Sampling([(1, index) for index in range(3)], temperature=2.0)
    words = shortlist(0, ITSELF_AND_NEXT)
    for instance, (sentences, _) in zip(
        INSTANCES, searched(compiled, words, sampling=sampling), strict=True
    ):
        assert {token for sentence in sentences for token in sentence} <= allowed(instance)


def test_source_words_are_listed_where_both_sides_share_a_vocabulary(shortlist):
    table = Table(np.zeros((VOCABULARY, 2), np.float32))
    found = [
        ListedOutput(None, shortlist(2, {7: [9]}), table, None, shares).words({7}, {3}).ids.tolist()
        for shares in (False, True)
    ]
    assert found == [[0, 1, 3, 9], [0, 1, 3, 7, 9]]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (b"", "is not a lexical shortlist of Marian"),
        (b"\0" * 100, "is not a lexical shortlist of Marian"),
        (content(3, {4: [5]})[:-1], "is not a whole lexical shortlist"),
        (content(2**63, {4: [5]}), "is not a shortlist of words of this vocabulary"),
        (content(3, {4: [VOCABULARY]}), "is not a shortlist of words of this vocabulary"),
        (content(3, {}, vocabulary=30), "lists words for 30 source tokens"),
    ],
)
def test_what_is_no_shortlist_of_the_model_is_refused(tmp_path, wrong, message):
    path = tmp_path / "lex.bin"
    path.write_bytes(wrong)
    with pytest.raises(InputError, match=message) as caught:
        Shortlist.read(path, VOCABULARY, VOCABULARY)
    assert caught.value.path == path


def test_tokens_that_a_run_has_added_have_no_words(tmp_path):
    path = tmp_path / "lex.bin"
    path.write_bytes(content(1, {4: [5]}, vocabulary=VOCABULARY - 1))
    shortlist = Shortlist.read(path, VOCABULARY, VOCABULARY)
    assert shortlist.of([4, VOCABULARY - 1], [7]).tolist() == [0, 5, 7]


@given(place=integers(0, 300), value=integers(0, 255))
def test_a_damaged_file_is_refused_or_lists_words_of_the_vocabulary(damaged, place, value):
    whole = bytearray(content(3, ITSELF_AND_NEXT))
    whole[place % len(whole)] = value
    damaged.write_bytes(whole)
    try:
        shortlist = Shortlist.read(damaged, VOCABULARY, VOCABULARY)
    except InputError:
        return
    assert set(shortlist.of(range(VOCABULARY), ()).tolist()) <= set(range(VOCABULARY))


@pytest.fixture(scope="module")
def damaged(tmp_path_factory):
    return tmp_path_factory.mktemp("damaged") / "lex.bin"


def test_a_shortlist_is_not_combined_with_pytorch():
    with pytest.raises(ValueError, match="compiled: never excludes it"):
        SearchSettings(shortlist=True, compiled="never")
