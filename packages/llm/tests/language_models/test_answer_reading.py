"""Answers are read tolerantly, but for ids."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt_llm.answers.answer_reading import read_object, read_string

SOURCES = {"s1": "One.", "s2": "Two."}


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ('"Guten Tag."', "Guten Tag."),
        (' \n"Guten Tag."\n', "Guten Tag."),
        ('```json\n"Guten Tag."\n```', "Guten Tag."),
        ('Here it is:\n"Guten Tag."\nAnything else?', "Guten Tag."),
        ('<think>"Hello" is\n"Guten Tag".</think>\n\n"Guten Tag."', "Guten Tag."),
        ('{"translation": "Guten Tag."}', "Guten Tag."),
        ('["Guten Tag."]', "Guten Tag."),
        ("Guten Tag.", "Guten Tag."),
        ('Er sagte: "Guten Tag."', 'Er sagte: "Guten Tag."'),
        ('"Er sagte: "Guten Tag.""', 'Er sagte: "Guten Tag."'),
        ('"Er sagte: \\"Guten Tag.\\""', 'Er sagte: "Guten Tag."'),
        ('"a\nb"', "a\nb"),
        ('"C:\\new "folder""', None),
        ("", None),
        ('"Guten Tag.', None),
        ('Guten Tag."', None),
        ('"Guten"\n"Tag"', None),
        ('"Guten Tag."\n"Guten Tag."', "Guten Tag."),
        ("Guten\nTag.", None),
        ('{"a": "Guten", "b": "Tag"}', None),
        ("{Guten Tag", None),
        ("[1, 2]", None),
        ("3", None),
        ("<think>Hello is", None),
    ],
)
def test_one_string_is_found(answer, text):
    assert read_string(answer) == text


def test_text_that_was_cut_off_counts_only_as_a_whole_string():
    assert read_string("Guten Ta", is_complete=False) is None
    assert read_string('"Guten Tag."', is_complete=False) == "Guten Tag."


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ('{"s1": "Eins.", "s2": "Zwei."}', {"s1": "Eins.", "s2": "Zwei."}),
        ('{"s2": "Zwei.", "s1": "Eins."}', {"s1": "Eins.", "s2": "Zwei."}),
        ('Sure!\n```json\n{"s1": "Eins."}\n```\nDone.', {"s1": "Eins."}),
        ('{"translations": {"s1": "Eins."}}', {"s1": "Eins."}),
        ('[{"id": "s2", "translation": "Zwei."}]', {"s2": "Zwei."}),
        ('{"list": [{"id": "s2", "text": "Zwei."}]}', {"s2": "Zwei."}),
        ('[{"s1": "Eins."}, {"s2": "Zwei."}]', {"s1": "Eins.", "s2": "Zwei."}),
        # Cut off, or damaged later on.
        ('{"s1": "Eins.", "s2": "Zw', {"s1": "Eins."}),
        ('{"s1": "Eins.", "s2" "Zwei."}', {"s1": "Eins."}),
        # The same id twice.
        ('{"s1": "Eins.", "s1": "Uno."}', {}),
        ('{"s1": "Eins."} {"s1": "Uno.", "s2": "Zwei."}', {"s2": "Zwei."}),
        ('{"s1": "Eins.", "s1": "Eins."}', {"s1": "Eins."}),
        # The request, and then the answer.
        ('{"sentences": {"s1": "One.", "s2": "Two."}}\n{"s1": "Eins."}',
         {"s1": "Eins.", "s2": "Two."}),
        # Other ids, no texts, no ids.
        ('{"1": "Eins.", "s3": "Drei."}', {}),
        ('{"s1": 1, "s2": null}', {}),
        ('{"s1": ["Eins."]}', {}),
        ('{"id": "s1", "a": "Eins.", "b": "Uno."}', {}),
        ("{}", {}),
        ('["Eins.", "Zwei."]', None),
        ("Eins. Zwei.", None),
        ("", None),
    ],
)  # fmt: skip
def test_texts_are_found_by_their_ids_and_never_by_their_order(answer, texts):
    assert read_object(answer, SOURCES) == texts


@settings(max_examples=50)
@given(st.dictionaries(st.sampled_from(("s1", "s2", "s3")), st.text()), st.text(), st.text())
def test_an_object_is_found_in_other_text_with_all_its_texts(texts, before, after):
    before, after = (text.translate(dict.fromkeys(map(ord, "{}<`"))) for text in (before, after))
    sources = dict.fromkeys(texts, "not in there") | {"s1": "not in there"}
    assert read_object(before + json.dumps(texts) + after, sources) == texts


@given(st.text(alphabet='{}[]":,\\s12 \n<think>`j\ud800\x00', max_size=200))
def test_whatever_an_answer_is_it_can_be_read(answer):
    assert read_string(answer) is None or isinstance(read_string(answer), str)
    assert set(read_object(answer, SOURCES) or ()) <= set(SOURCES)


@pytest.mark.parametrize(
    "answer", ["[" * 10**6, '{"a":' * 200_000, "{" * 10**6, '{"s1": "' * 10**5, '{"s1":[' * 10**5]
)
def test_hostile_answers_take_little_time(answer):
    start = time.process_time()
    assert not read_object(answer, SOURCES)
    assert read_string(answer) is None
    assert time.process_time() - start < 2


def test_a_truncated_answer_that_goes_on_after_the_string_has_the_string():
    rambling = '"Guten Tag."\n"Guten Morgen."\nThis is the translation of the sent'
    assert read_string(rambling, is_complete=False) == "Guten Tag."
    assert read_string(rambling) is None
    assert read_string('"Guten', is_complete=False) is None
