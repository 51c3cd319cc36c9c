"""New attention over a real model of Firefox: where nothing lies before, the model is itself."""

from __future__ import annotations

import pytest
import torch

from docmt.interop import import_marian
from docmt_files.base.documents import Document
from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.decoding.context_switch import ContextSwitch
from firefox_models import FOLDERS, needs_firefox_models
from made_adapters import make_adapter

pytestmark = needs_firefox_models

SENTENCES = ("Did you know him?", "Yes, I did.", "The key is on the table.", "It is broken.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The model from English to Portuguese, and an adapter."""
    folder = tmp_path_factory.mktemp("firefox")
    base = import_marian(FOLDERS["enpt"], folder / "base")
    make_adapter(base, folder / "adapter.safetensors", threshold=0)
    return folder


@torch.no_grad()
def test_logits_of_first_and_single_sentences_are_those_of_the_model(folder):
    base = BeamSearchTranslator.load(folder / "base")
    switch = ContextSwitch.load(folder / "base", folder / "adapter.safetensors")
    pipeline = base.pipeline
    encoded = pipeline.encode(Document("d", SENTENCES, SENTENCES))
    alone = [
        Instance("d", n, [s], [t])
        for n, (s, t) in enumerate(zip(encoded.source, encoded.target, strict=True))
    ]
    batch = collate(alone, pipeline.special_tokens)
    assert torch.equal(base.eager(batch), switch.in_context.eager(batch))
    whole = collate([Instance("d", 0, encoded.source, encoded.target)], pipeline.special_tokens)
    ours = switch.in_context.eager(whole)
    first = whole.target.sentences.index == 0
    theirs = base.eager(collate(alone, pipeline.special_tokens))[: int(first.sum())]
    torch.testing.assert_close(ours[first], theirs, atol=1e-4, rtol=1e-4)
    assert not torch.isclose(ours[~first], base.eager(batch)[~first], atol=1e-3).all(1).all()


def test_single_sentences_have_the_translations_of_the_model(folder):
    base = BeamSearchTranslator.load(folder / "base")
    switch = ContextSwitch.load(folder / "base", folder / "adapter.safetensors")
    singles = [Document(str(n), (sentence,)) for n, sentence in enumerate(SENTENCES)]
    expected = [t.document.target for t in base.translate(singles)]
    assert [t.document.target for t in switch.in_context.translate(singles)] == expected
    assert [t.document.target for t in switch.translate(singles)] == expected
    (made,) = switch.translate([Document("d", SENTENCES)])
    assert made.document.target[0] == expected[0][0]
