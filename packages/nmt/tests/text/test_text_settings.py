"""Settings of the text pipeline that do not fit each other are named, both of them."""

from __future__ import annotations

import pytest

from docmt_files.base.errors import InputError
from docmt_nmt.text import TextSettings


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"case": "truecase"}, "case: truecase needs tokenize: moses"),
        ({"normalize": "nfkd", "tokenize": "moses"}, "normalize: nfkd needs tokenize: none"),
        ({"quotes": "directional", "tokenize": "moses"}, "quotes: directional needs tokenize"),
        ({"character_coverage": 0.5}, "character_coverage"),
        ({"vocabulary_size": 200}, "subword: unigram needs vocabulary_size: 261"),
        ({"subword": "sentencepiece-bpe", "vocabulary_size": 260}, "needs vocabulary_size: 261"),
        ({"tokenise": "moses"}, "did you mean 'tokenize'"),
    ],
)
def test_keys_that_do_not_fit_are_named(values, named):
    with pytest.raises(InputError, match=named):
        TextSettings.read(values)


def test_the_recipe_of_the_papers_is_valid():
    TextSettings.read({"tokenize": "moses", "case": "truecase", "subword": "bpe"})
    TextSettings.read({"subword": "words", "vocabulary_size": 100})
