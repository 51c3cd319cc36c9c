"""The probability of texts after others: with prefix caches, batches and padding as without."""

from __future__ import annotations

import pytest
import torch

from docmt_files.base.errors import InputError
from docmt_llm.in_process.text_model import TextGroup
from docmt_llm.in_process.text_probabilities import CausalTextModel

GROUPS = [
    TextGroup(("Open the file.", "It is long."), ("It is open.", "It is closed now.", "It")),
    TextGroup((), ("It is open.", "He")),
    TextGroup(("Save.",) * 9, ("It is saved.", "Nobody knows.")),
    TextGroup((), ("Yes",)),
]


@pytest.fixture(scope="module")
def text_model(causal_folder):
    return CausalTextModel.load(str(causal_folder), device="cpu")


def naive(model, group, text):
    """The log-probability by one pass over the whole text."""
    prefix = model._ids("\n".join([*group.context, ""]) or "\n")
    ids = [*prefix, *model._ids(text)]
    with torch.inference_mode():
        logits = model._model(torch.tensor([ids])).logits[0].log_softmax(-1)
    positions = range(len(prefix), len(ids))
    return sum(float(logits[i - 1, ids[i]]) for i in positions), len(positions)


def test_texts_have_the_probabilities_of_one_pass_over_each(text_model):
    found = text_model.log_probabilities(GROUPS)
    for group, results in zip(GROUPS, found.groups, strict=True):
        for text, (log_probability, tokens) in zip(group.texts, results, strict=True):
            expected, length = naive(text_model, group, text)
            assert log_probability == pytest.approx(expected, abs=1e-3)
            assert tokens == length


def test_what_texts_begin_with_is_read_once(text_model):
    one, two = (
        text_model.log_probabilities([TextGroup(("a b c",), texts)]).tokens
        for texts in (("It is open.",), ("It is open.", "It is open!"))
    )
    assert two == one + 1


def test_a_context_too_long_is_an_error(text_model):
    with pytest.raises(InputError, match="more than the 2,048"):
        text_model.log_probabilities([TextGroup(("word " * 2048,), ("It",))])
