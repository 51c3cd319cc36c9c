"""Instances that begin with the last sentences of the one before and their translations
(`search.overlap`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import CASES, SPECIAL_TOKENS, documents, hm_gdc, make, one_of_each_system
from docmt_files.base.documents import Document, Sentence
from docmt_files.base.errors import InputError
from docmt_nmt.data import Instance, InstanceSettings, overlapping
from docmt_nmt.data.collate import collate_source
from docmt_nmt.decoding import BeamSearchTranslator, Sampling, search
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.systems import system_class
from docmt_nmt.text import EncodedDocument
from docmt_nmt.translators.glossary import Glossary, Term
from docmt_nmt.translators.requests import TranslationRequest
from docmt_nmt.translators.term_uses import count_terms
from table_system import BEGIN, END, GARDEN_PATH, A, B, Table, find, source


def in_one_pass(cases):
    return {n: c for n, c in cases.items() if system_class(c.name).writing_order.in_one_pass}


one_pass = one_of_each_system(in_one_pass(CASES), name="one_pass")
LINES = (
    "one two",
    "three",
    "four five six",
    "seven",
    "eight nine",
    "two",
    "three four",
    "five",
    "six",
)


# Cutting


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(1, 30), min_size=1, max_size=20),
    st.integers(0, 4),
    st.integers(4, 40),
    st.booleans(),
)
def test_every_sentence_is_an_own_one_once(lengths, overlap, limit, of_tokens):
    kind: dict[str, Any] = {"kind": "window", "window": 5}
    if of_tokens:
        kind = {"kind": "tokens", "max_tokens": limit}
    source = [[index] * length for index, length in enumerate(lengths)]
    document = EncodedDocument("d", source, None)
    found = overlapping(document, InstanceSettings(**kind), SPECIAL_TOKENS, overlap)
    assert [s for i in found for s in i.own.source] == source
    assert found[0].given == 0
    for instance in found:
        assert len(instance.own.source) >= 1
        assert instance.given <= overlap
        assert instance.source == source[instance.first :][: len(instance.source)]
        size = sum(map(len, instance.source)) + 2 * len(instance.source)
        if instance.given:
            assert size <= limit if of_tokens else len(instance.source) <= 5
    if not of_tokens:
        assert all(instance.given == overlap for instance in found[1:])


def test_without_an_overlap_it_is_cut_as_ever():
    document = EncodedDocument("d", [[1] * n for n in (3, 5, 2, 8, 1, 1)], None)
    instances = overlapping(document, InstanceSettings(max_tokens=12), SPECIAL_TOKENS, 0)
    assert [(i.first, len(i.source)) for i in instances] == [(0, 2), (2, 1), (3, 1), (4, 2)]


# Search


@pytest.mark.by_default(2)
@pytest.mark.parametrize("count", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_what_is_given_goes_on_as_it_would_have(one_pass, count):
    system = make(one_pass, seed=3)
    packed = collate_source(documents((4, 3, 5), (2, 6, 3), (5,)), SPECIAL_TOKENS)
    keys = {"beam_size": 1, "max_lengths": np.full(7, 6), "banned": [1]}
    drawn = Sampling([(1,), (2,), (3,)])
    for more in ({}, {"beam_size": 3, "sampling": drawn}):
        whole = [h[0] for h in search(system, packed, SPECIAL_TOKENS, **keys | more)]
        prefixes = [whole[0].sentences[:count], whole[1].sentences[:1], ()]
        found = search(system, packed, SPECIAL_TOKENS, given=prefixes, **keys | more)
        for prefix, expected, hypotheses in zip(prefixes, whole, found, strict=True):
            best, given = hypotheses[0], len(prefix)
            assert best.sentences == expected.sentences
            assert best.log_probabilities[:given] == (0.0,) * given
            np.testing.assert_allclose(
                best.log_probabilities[given:], expected.log_probabilities[given:], atol=1e-4
            )
            own = sum(len(sentence) + 2 for sentence in best.sentences[given:]) - 1
            assert best.score == pytest.approx(sum(best.log_probabilities) / own, abs=1e-5)


def test_a_beam_is_the_same_after_what_is_given():
    # The table knows the last token alone, which is BOS in either case.
    packed = source([[A], [A]])
    ((best, *_),) = find(Table(GARDEN_PATH), packed, beam_size=2, given=[[(A, A, A)]])
    ((alone, *_),) = find(Table(GARDEN_PATH), source([[A]]), beam_size=2)
    assert best.sentences == ((A, A, A), (B,))
    assert best.without_first(1).sentences == alone.sentences == ((B,),)
    assert best.score == pytest.approx(alone.score)
    assert best.without_first(0) is best
    assert (BEGIN, END) == (0, 2)


# Documents


def translator(run, *, overlap: int, window: int = 3, **search: Any) -> BeamSearchTranslator:
    instances = InstanceSettings(kind="window", window=window)
    search_settings = SearchSettings(**{"beam_size": 2, "overlap": overlap, **search})
    return BeamSearchTranslator.build(run.system(), run.pipeline, instances, search_settings)


def by_hand(run, sentences: Sequence[str], overlap: int, window: int, **keys: Any) -> list[Any]:
    """A document translated instance by instance, each alone."""
    pipeline, system = run.pipeline, run.system()
    special_tokens = pipeline.special_tokens
    ids = [pipeline.encode_sentence(sentence) for sentence in sentences]
    found: list[tuple[int, ...]] = []
    while len(found) < len(ids):
        first = max(len(found) - overlap, 0)
        instance = Instance("d", first, ids[first : first + window])
        packed = collate_source([instance], special_tokens)
        given = found[first:]
        lengths = [int(1.5 * len(s) + 10) for s in instance.source]
        allowed = {special_tokens.target_begin, special_tokens.target_end}
        ((best, *_),) = search(
            system.eval(),
            packed,
            special_tokens,
            max_lengths=lengths,
            given=[given],
            banned=sorted(pipeline.target_vocabulary.special_ids - allowed),
            **keys,
        )
        found += best.sentences[len(given) :]
    return [pipeline.decode_sentence(sentence) for sentence in found]


@pytest.mark.by_default(2)
@pytest.mark.parametrize("overlap", [1, 2])
@pytest.mark.parametrize("beam_size", [1, 3])
def test_each_instance_is_given_the_translations_of_the_one_before(
    tiny_run, overlap: int, beam_size: int
) -> None:
    made = translator(tiny_run, overlap=overlap, beam_size=beam_size)
    (found,) = made.translate([Document("d", LINES)])
    assert list(found.document.target or ()) == by_hand(
        tiny_run, LINES, overlap, 3, beam_size=beam_size
    )
    assert len(found.log_probabilities) == len(LINES)
    assert found.chunks[:2] == (3, 3 - overlap)
    assert sum(found.chunks) == len(LINES)


@pytest.mark.by_default(2)
@pytest.mark.parametrize("search", [{}, {"beam_size": 1}, {"method": "sampling"}])
def test_a_document_is_translated_alike_alone_and_among_others(
    tiny_run, search: dict[str, Any]
) -> None:
    documents = [
        Document("a", LINES),
        Document("b", LINES[::-1]),
        Document("c", LINES[:2]),
        Document("e", ("", *LINES[:4], "", "one")),
    ]
    together = translator(tiny_run, overlap=1, **search).translate(documents)
    few = translator(tiny_run, overlap=1, max_hypotheses=2, **search)
    apart = [few.translate([document])[0] for document in documents]
    assert [t.document for t in together] == [t.document for t in apart]
    assert [t.chunks for t in together] == [t.chunks for t in apart]


def test_terms_are_written_once_each(tiny_run) -> None:
    made = translator(tiny_run, overlap=2, beam_size=4)
    glossary = Glossary([Term(("three",), ("sieben",)), Term(("six",), ("null",))])
    (found,) = made.translate(TranslationRequest([Document("d", LINES)], glossary))
    assert count_terms(glossary, tuple(map(Sentence, found.source)), found.target) == (4, 4, 4)


def test_a_document_of_one_instance_is_translated_as_ever(tiny_run) -> None:
    documents = [Document("d", LINES[:3]), Document("e", LINES[:1])]
    with_overlap = translator(tiny_run, overlap=2).translate(documents)
    assert with_overlap == translator(tiny_run, overlap=0).translate(documents)


REFUSED = [
    ({"kind": "sentence"}, "search.overlap needs instances.kind tokens or window, not sentence"),
    ({"kind": "whole"}, "search.overlap needs instances.kind tokens or window, not whole"),
    ({"kind": "window", "window": 2}, "search.overlap 2 leaves nothing of instances.window 2"),
    ({"join_sentences": True}, "with instances.join_sentences no sentence has one"),
]


@pytest.mark.parametrize(("instances", "message"), REFUSED)
def test_what_cannot_overlap_is_refused(tiny_run, instances: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        BeamSearchTranslator.build(
            tiny_run.system(),
            tiny_run.pipeline,
            InstanceSettings(**instances),
            SearchSettings(overlap=2),
        )


def test_systems_that_write_each_sentence_on_its_own_refuse_it(tiny_run) -> None:
    with pytest.raises(InputError, match="translates each sentence separately; set it to 0"):
        BeamSearchTranslator.build(
            make(hm_gdc()), tiny_run.pipeline, InstanceSettings(), SearchSettings(overlap=1)
        )


def test_sliding_windows_have_no_overlap() -> None:
    with pytest.raises(InputError, match="overlap: 1 has no effect with windows: sliding"):
        SearchSettings.read({"overlap": 1, "windows": "sliding"})


def test_the_key_is_an_override(tiny_run) -> None:
    assert BeamSearchTranslator.load(tiny_run.directory, overlap=1).search.overlap == 1
