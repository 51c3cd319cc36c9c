"""Keys of the text pipeline that do not fit each other are named, both of them."""

from __future__ import annotations

import pytest

from docmt.errors import InputError
from docmt.text.settings import TextSettings


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"case": "truecase"}, "case: truecase needs tokenise: moses"),
        ({"normalise": "nfkd", "tokenise": "moses"}, "normalise: nfkd needs tokenise: none"),
        ({"quotes": "directional", "tokenise": "moses"}, "quotes: directional needs tokenise"),
        ({"character_coverage": 0.5}, "character_coverage"),
        ({"vocabulary": 200}, "subword: unigram needs vocabulary: 261"),
        ({"subword": "sentencepiece-bpe", "vocabulary": 260}, "needs vocabulary: 261"),
        ({"tokenize": "moses"}, "did you mean 'tokenise'"),
    ],
)
def test_keys_that_do_not_fit_are_named(values, named):
    with pytest.raises(InputError, match=named):
        TextSettings.read(values)


def test_the_recipe_of_the_papers_is_valid():
    TextSettings.read({"tokenise": "moses", "case": "truecase", "subword": "bpe"})
    TextSettings.read({"subword": "words", "vocabulary": 100})
