"""Tokenizers and models from elsewhere that are damaged."""

import json

import pytest

from docmt.errors import InputError
from docmt.text.pretrained import load_tokenizer


@pytest.mark.parametrize(
    "state",
    [
        b"",
        b"\xff",
        b"{}",
        # The library panics at this one.
        json.dumps(
            {"version": "1.0", "model": {"type": "BPE", "vocab": {}, "merges": []},
             "normalizer": {"type": "Precompiled", "precompiled_charsmap": "a=b"}}
        ).encode(),
    ],
)  # fmt: skip
def test_a_damaged_tokenizer_is_an_error(state):
    with pytest.raises(InputError, match="is not a valid tokenizer, or only part of one"):
        load_tokenizer(state)
