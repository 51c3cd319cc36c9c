"""New attention over a real model of Firefox: where nothing lies before, the model is itself."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
import torch

from docmt.in_context.context_option import CONTEXT
from docmt.in_context.context_switch import ContextSwitch
from docmt.interop import import_marian
from docmt_files.base.documents import Document
from docmt_nmt.compiling.compile_anywhere import install_compiled
from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.runs.adapter_names import ADAPTER
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.translators.requests import TranslationRequest
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


@pytest.mark.slow
def test_single_sentences_have_the_translations_of_the_model(folder):
    base = BeamSearchTranslator.load(folder / "base")
    switch = ContextSwitch.load(folder / "base", folder / "adapter.safetensors")
    singles = [Document(str(n), (sentence,)) for n, sentence in enumerate(SENTENCES)]
    expected = [t.document.target for t in base.translate(singles)]
    assert [t.document.target for t in switch.in_context.translate(singles)] == expected
    assert [t.document.target for t in switch.translate(singles)] == expected
    (made,) = switch.translate([Document("d", SENTENCES)])
    assert made.document.target[0] == expected[0][0]


@pytest.fixture(scope="module")
def compiled(folder):
    """The model, compiled, with an adapter beside it that names a cue."""
    run = shutil.copytree(folder / "base", folder / "compiled")
    assert install_compiled(run)
    cues = ["english-final-auxiliary"]
    make_adapter(SystemRun.load(run), run / ADAPTER, threshold=0, cues=cues)
    return run


TORCH_WHERE_NEEDED = """
import sys
from docmt_nmt import Document, load
from docmt.in_context.context_option import CONTEXT
translator = CONTEXT.load("auto")(load(sys.argv[1]))
for sentences in (["I see.", "It is late."], ["Yes, I did."], ["I see.", "Yes, I did."]):
    translator.translate([Document("d", tuple(sentences))])
    print("torch" in sys.modules)
"""


@pytest.mark.slow
def test_a_compiled_model_needs_torch_only_where_a_later_sentence_has_a_cue(compiled):
    command = [sys.executable, "-c", TORCH_WHERE_NEEDED, str(compiled)]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    assert ran.stdout.split() == ["False", "False", "True"]


@pytest.mark.slow
def test_an_adapter_that_is_loaded_late_gives_what_one_loaded_at_once_gives(compiled):
    base = BeamSearchTranslator.load(compiled)
    late = CONTEXT.load("auto")(base)
    at_once = CONTEXT.load(str(compiled / ADAPTER))(base)
    assert not isinstance(late, ContextSwitch)
    assert isinstance(at_once, ContextSwitch)
    documents = [Document("d", SENTENCES)]
    made = late.translate(documents)
    assert made == at_once.translate(documents)
    assert made != base.translate(documents)
    request = TranslationRequest(documents)
    assert late.notes(request, made) == at_once.notes(request, made)
    assert late.fingerprint(request) != base.fingerprint(request)


@pytest.mark.slow
def test_an_adapter_of_another_model_that_is_loaded_late_changes_nothing(compiled, tmp_path):
    run = shutil.copytree(compiled, tmp_path / "run")
    other = import_marian(FOLDERS["pten"], tmp_path / "other")
    make_adapter(other, run / ADAPTER, threshold=0)
    base = BeamSearchTranslator.load(run)
    documents = [Document("d", SENTENCES)]
    assert CONTEXT.load("auto")(base).translate(documents) == base.translate(documents)
