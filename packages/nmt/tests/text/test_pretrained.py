"""Tokenizers and models from elsewhere that are damaged."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, pre_tokenizers, trainers
from tokenizers.models import BPE

from docmt_files.base.errors import InputError
from docmt_nmt.text.pretrained import PretrainedTokenizer, PretrainedVocabulary, load_tokenizer


@pytest.mark.parametrize(
    "state",
    [
        b"",
        b"\xff",
        b"{}",
        # The library panics at this one.
        json.dumps(
            {
                "version": "1.0",
                "model": {"type": "BPE", "vocab": {}, "merges": []},
                "normalizer": {"type": "Precompiled", "precompiled_charsmap": "a=b"},
            }
        ).encode(),
    ],
)
def test_a_damaged_tokenizer_is_an_error(state):
    with pytest.raises(InputError, match="is not a valid tokenizer, or only part of one"):
        load_tokenizer(state)


@pytest.fixture(scope="module")
def byte_level():
    """A tokenizer of bytes, as BART and mT5 have them."""
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(["the dog sees the dog", "он не знал"] * 5, trainer)
    names = sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().get)
    vocabulary = PretrainedVocabulary([*names, "<unk>"], [], len(names))
    return PretrainedTokenizer(tokenizer.to_str().encode(), vocabulary)


def test_byte_level_subwords_have_the_characters_that_they_stand_for(byte_level):
    text = "the dog знал é"
    assert byte_level.split(text)[:2] == ["the", "Ġdog"]
    spans = byte_level.spans(text)
    assert spans[:2] == [(0, 3), (4, 7)]
    assert text[spans[-1][0] :] == "é"


def test_bytes_of_a_character_are_parts_of_it(byte_level):
    parts = [byte_level.is_partial(subword) for subword in byte_level.split("the é")]
    assert parts == [False, True, True] or parts == [False, False, True, True]


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_any_text_is_covered_by_byte_level_subwords(byte_level, text):
    spans = byte_level.spans(text)
    assert len(spans) == len(byte_level.encode([text])[0])
    covered = {i for start, end in spans for i in range(start, end)}
    assert covered >= {i for i, character in enumerate(text) if not character.isspace()}
