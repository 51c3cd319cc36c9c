"""Runs for CTranslate2: that program computes the log-probabilities and writes the tokens of docmt;
what it cannot express is refused on one line."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

import marian_models
from cases import make, transformer
from docmt.cli import main
from docmt.interop import import_marian
from docmt.interop.ctranslate2_export import export_ctranslate2, never_written
from docmt_files.base.errors import InputError
from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate
from docmt_nmt.decoding import search
from docmt_nmt.recipes import Recipe
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.text import Pipeline, TextSettings

WORDS = list("abcdefghijklmnopqrs")
"""With the special tokens, as many as a system of `cases` has tokens."""

FORMS = {
    "post-norm": {},
    "pre-norm": {"norm": "pre"},
    "own embeddings": {"share_embeddings": False},
    "learned positions": {
        "decoder_layers": 2,
        "activation": "gelu",
        "positions": "learned",
        "max_positions": 64,
        "scale_embeddings": False,
        "normalize_embeddings": True,
        "share_output": False,
        "output_bias": True,
    },
    "positions from 0": {"activation": "swish", "positions": "sinusoidal-from-0"},
}


def _run(folder, instances=None, **form):
    """A run with random weights."""
    settings = transformer(**form)
    text = {"subword": "words", "vocabulary_size": 23, "joint": True}
    pipeline = Pipeline.fit(
        TextSettings.read(text), lambda: WORDS, lambda: WORDS, languages=("en", "de")
    )
    assert len(pipeline.target_vocabulary) == 23
    recipe = Recipe.read(
        {
            "data": {"source_language": "en", "target_language": "de"},
            "text": text,
            "instances": instances or {"kind": "sentence"},
            "system": settings.model_dump(mode="json"),
        }
    )
    state = make(settings).state_dict()
    return SystemRun.create_whole(folder, recipe, pipeline, state)


def _instances(run):
    """Sentences of random tokens, with translations."""
    draw = random.Random(1)
    tokens = range(4, len(run.pipeline.target_vocabulary))
    sides = [[draw.choices(tokens, k=draw.randint(2, 9)) for _ in range(2)] for _ in range(4)]
    return [Instance(str(i), 0, [source], [target]) for i, (source, target) in enumerate(sides)]


def _names(run, side, ids):
    return [run.pipeline.vocabulary(side).tokens[i] for i in ids]


def _log_probabilities(run, system, instance):
    """Of the target, by docmt, among the tokens that it writes."""
    with torch.no_grad():
        logits = system(collate([instance], run.pipeline.special_tokens))
    logits[:, sorted(never_written(run.pipeline))] = -torch.inf
    tokens = [*instance.target[0], run.pipeline.special_tokens.target_end]
    return torch.log_softmax(logits, 1)[range(len(tokens)), tokens].numpy()


def _check(run, folder, beam_size=1):
    """Compare what CTranslate2 computes with what docmt does. Its search of several hypotheses ends
    by other rules, so near-ties of random weights are compared by greedy search."""
    ctranslate2 = pytest.importorskip("ctranslate2", reason="compares with CTranslate2 itself")
    export_ctranslate2(run, folder, "fp32")
    theirs = ctranslate2.Translator(str(folder), intra_threads=1, compute_type="float32")
    special, system = run.pipeline.special_tokens, run.system()
    banned = sorted(never_written(run.pipeline))
    for instance in _instances(run):
        source = _names(run, "source", instance.source[0])
        target = _names(run, "target", instance.target[0])
        (scored,) = theirs.score_batch([source], [target])
        ours = _log_probabilities(run, system, instance)
        np.testing.assert_allclose(np.array(scored.log_probs), ours, atol=2e-4)
        packed = collate([instance], special).source
        with torch.inference_mode():
            ((best, *_),) = search(
                system, packed, special, beam_size=beam_size, max_lengths=[12], banned=banned
            )
        (result,) = theirs.translate_batch([source], beam_size=beam_size, max_decoding_length=12)
        assert result.hypotheses[0] == _names(run, "target", best.sentences[0])
    assert Pipeline.load(folder / "text").special_tokens == special


@pytest.mark.by_default(3)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_ctranslate2_computes_the_log_probabilities_and_writes_the_tokens_of_docmt(tmp_path, form):
    _check(_run(tmp_path / "run", **form), tmp_path / "exported")


def test_a_model_of_opus_goes_on_to_ctranslate2(tmp_path):
    (tmp_path / "model").mkdir()
    marian_models.make_opus(tmp_path / "model")
    _check(import_marian(tmp_path / "model", tmp_path / "run"), tmp_path / "exported", 4)


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"decoder_recurrence": "ssru"}, "recurrence ssru"),
        ({"norm": "output"}, "the output of sublayers"),
        ({"segment_embeddings": True}, "embeddings of segments"),
        ({"instances": {"kind": "window"}}, "instances of kind window"),
    ],
)
def test_a_run_that_ctranslate2_cannot_express_is_refused(tmp_path, keys, reason):
    run = _run(tmp_path / "run", **keys)
    with pytest.raises(InputError, match=reason) as caught:
        export_ctranslate2(run, tmp_path / "exported")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "exported").exists()


def test_a_context_system_is_refused_by_the_command(tmp_path):
    arguments = [
        "export",
        "--run",
        "bundled:en-de",
        "--to",
        "ctranslate2",
        "-o",
        str(tmp_path / "a"),
    ]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert "it has no system g-transformer" in result.stderr and result.stderr.count("\n") == 1
