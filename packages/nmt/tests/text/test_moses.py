"""Moses' tokenization and truecasing invert as they promise."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacremoses import MosesDetruecaser, MosesTokenizer, MosesTruecaser

from docmt_files.base.errors import InputError
from docmt_nmt.text.casing import LowerCase, TrueCase
from docmt_nmt.text.normalization import collapse_whitespace
from docmt_nmt.text.tokenization import MosesTokenization

TEXT = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from(" .,'\"<&@-|DOTMULTI")
).map(collapse_whitespace)
LANGUAGES = ("en", "de-AT", "zh", "fr", "xx")
tokenization = cache(MosesTokenization)


def solid(text: str) -> str:
    """The text without white space and the control characters that Moses removes."""
    return re.sub(r"[\x00-\x1f\s]+", "", text)


def test_punctuation_becomes_words():
    step = tokenization("en")
    tokens = step.apply('Dr. Smith said, "It isn\'t mine."')
    assert tokens == 'Dr. Smith said , " It isn \'t mine . "'
    assert step.invert(tokens) == 'Dr. Smith said, "It isn\'t mine."'


def test_xml_escapes_are_for_systems_that_were_trained_so():
    step = tokenization("en", escape=True)
    assert step.apply("Tom's <b>") == "Tom &apos;s &lt; b &gt;"
    assert step.invert("Tom &apos;s &lt; b &gt;") == "Tom's < b >"


@given(TEXT)
@settings(deadline=None)
def test_tokenization_inverts_up_to_white_space(text):
    for step in [*map(tokenization, LANGUAGES), tokenization("en", escape=True)]:
        assert solid(step.invert(step.apply(text))) == solid(text)


def test_tokenization_of_real_text_inverts(unseen):
    step = tokenization("en", escape=True)
    for text in unseen:
        assert solid(step.invert(step.apply(text))) == solid(text)


def test_tokenization_of_any_script_inverts(any_script):
    for step in map(tokenization, LANGUAGES):
        assert solid(step.invert(step.apply(any_script))) == solid(any_script)


@pytest.fixture(scope="module")
def tokenized(german) -> list[str]:
    return [tokenization("de-AT").apply(text) for text in german]


@pytest.fixture(scope="module")
def case(tokenized) -> TrueCase:
    return TrueCase.learn(tokenized)


def test_a_sentence_begins_with_its_first_word_as_it_is_usually_written(case):
    assert case.apply("Und die Mönche : Was ?") == "und die Mönche : was ?"
    assert case.invert("und die Mönche : was ?") == "Und die Mönche : Was ?"
    assert case.apply('" Der UND Xyz') == '" der und Xyz'


def test_truecasing_is_that_of_moses(tokenized, case):
    moses = MosesTruecaser()
    moses.train([text.split() for text in tokenized])
    for text in tokenized[:1500]:
        assert case.apply(text) == moses.truecase(text, return_str=True, use_known=True)


def test_on_its_own_corpus_truecasing_changes_sentence_beginnings_alone(tokenized, case):
    for text in tokenized:
        words, back = text.split(), case.invert(case.apply(text)).split()
        for i, (word, other) in enumerate(zip(words, back, strict=True)):
            if word != other:
                assert word.lower() == other.lower()
                assert re.fullmatch(r"([^\w]+ )*", " ".join(words[:i][-1:]) + " " * (i > 0))


def test_a_truecasing_model_survives_its_file_and_is_read_by_sacremoses(case, tokenized, tmp_path):
    path = tmp_path / "truecase.txt"
    case.save(path)
    moses = MosesTruecaser(str(path))
    loaded = TrueCase.load(path)
    for text in tokenized[:500]:
        assert loaded.apply(text) == case.apply(text)
        assert moses.truecase(text, return_str=True, use_known=True) == case.apply(text)


@pytest.mark.parametrize("line", ["the", "the 5", "the (5/x) The (2)", "the (5/7) The", "the (a)"])
def test_a_line_that_is_not_of_a_truecasing_model_is_named(tmp_path, line):
    path = tmp_path / "model"
    path.write_text(f"the (120/150) The (30)\n{line}\n")
    with pytest.raises(InputError, match="model, line 2"):
        TrueCase.load(path)


HOSTILE = st.text(st.sampled_from(".DOTMUIL<>/ aA'()ı!?:ß"), max_size=30)
moses_tokenizer = cache(MosesTokenizer)


@given(TEXT | HOSTILE)
@settings(deadline=None)
def test_tokens_are_those_of_sacremoses(text):
    if "DOTMULTI" not in text:
        for code in ("en", "de", "fr", "zh", "ja"):
            expected = moses_tokenizer(code).tokenize(text, escape=False, return_str=True)
            assert tokenization(code).apply(text) == " ".join(expected.split())


def test_tokens_of_real_text_are_those_of_sacremoses(unseen):
    moses = MosesTokenizer("de")
    step = tokenization("de")
    for text in unseen:
        assert step.apply(text).split() == moses.tokenize(text, escape=False)


@given(st.lists(TEXT | HOSTILE, max_size=5))
@settings(deadline=None)
def test_truecasing_learns_what_moses_learns(sentences):
    weigh = MosesTruecaser().learn_truecase_weights
    counts = {}
    for sentence in sentences:
        for lower, word, weight in weigh(sentence.split()):
            counts.setdefault(lower, Counter())[word] += weight
    assert TrueCase.learn(sentences).counts == counts


@given(TEXT | HOSTILE)
def test_sentence_beginnings_are_capitalized_as_by_moses_but_for_letters_without_a_capital(text):
    expected = MosesDetruecaser().detruecase(text)
    for word, other in zip(TrueCase({}).invert(text).split(), expected, strict=True):
        assert word == other or word[:1].upper().lower() != word[:1].lower()


@pytest.mark.parametrize("text", ["ßa", "ı", "ŉ b", "ſ"])
def test_letters_without_a_capital_of_their_own_come_back_as_they_are(text):
    case = TrueCase({})
    assert case.invert(case.apply(text)) == text


def test_a_long_line_is_truecased_in_no_time(case):
    assert case.apply("Die Mönche | " * 50_000).startswith("die Mönche |")


def test_lowercasing_is_not_inverted():
    assert LowerCase().invert(LowerCase().apply("Der ÖKONOM")) == "der ökonom"
