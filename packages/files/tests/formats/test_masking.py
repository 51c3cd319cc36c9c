"""Words come back in the place of their stand-ins, each once."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from docmt_files.core.placement.words import words_pattern
from docmt_files.core.protection.masking import Span, mask, unmask

STAND_INS = {"£5": "{0}", "£6": "{0}", "é": "{1}"}
"""Of two words the stand-in is the same."""

WORDS = st.lists(st.sampled_from(["one", "5", *STAND_INS]), min_size=1, max_size=12)


def spans_of(words: list[str]) -> list[Span]:
    starts = [sum(len(word) + 1 for word in words[:index]) for index in range(len(words))]
    return [(a, a + len(w)) for a, w in zip(starts, words, strict=True) if w in STAND_INS]


def restored(words: list[str], target: str) -> str | None:
    """A translation of a sentence of words, with the words in the place of stand-ins."""
    stand_ins = [(STAND_INS[word], word) for word in words if word in STAND_INS]
    divided = unmask([target], words_pattern(STAND_INS.values()), stand_ins)
    return None if divided is None else "".join(*divided)


def with_stand_ins(words: list[str]) -> str:
    return " ".join(STAND_INS.get(word, word) for word in words)


@given(WORDS)
def test_a_sentence_comes_back_whatever_the_order_of_equal_stand_ins(words: list[str]) -> None:
    assert not any(word in with_stand_ins(words) for word in STAND_INS)
    assert restored(words, with_stand_ins(words)) == " ".join(words)


@given(WORDS, st.randoms(use_true_random=False))
def test_in_another_order_no_word_is_lost_or_doubled(
    words: list[str], shuffler: random.Random
) -> None:
    target = with_stand_ins(words).split(" ")
    shuffler.shuffle(target)
    text = restored(words, " ".join(target))
    assert text is not None
    assert sorted(text.split(" ")) == sorted(words)


@given(WORDS, st.sampled_from(sorted(STAND_INS)), st.data())
def test_with_a_stand_in_lost_or_doubled_nothing_is_put_back(
    words: list[str], word: str, data: st.DataObject
) -> None:
    words = [*words, word]
    target = with_stand_ins(words).split(" ")
    places = [index for index, each in enumerate(target) if each in STAND_INS.values()]
    index = data.draw(st.sampled_from(places))
    assert restored(words, " ".join(target[:index] + target[index + 1 :])) is None
    assert restored(words, " ".join([*target, target[index]])) is None


@given(WORDS)
def test_words_that_are_taken_out_are_codes_between_the_others(words: list[str]) -> None:
    sentence = mask(" ".join(words), spans_of(words))
    assert sentence.text.split() == [word for word in words if word not in STAND_INS]
    assert [(code.start, code.end) for _, code in sentence.codes] == spans_of(words)
