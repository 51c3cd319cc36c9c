"""A run that begins with the encoder of another: `initialize.load: encoder`."""

from __future__ import annotations

import torch

from docmt_nmt.runs.system_run import SystemRun
from toy import toy_recipe


def test_the_source_side_is_the_other_runs_and_the_target_side_is_fitted(
    tiny_run, tinier_corpus, tmp_path
):
    from docmt_nmt.training import train

    recipe = toy_recipe(
        tinier_corpus,
        text={"subword": "unigram", "vocabulary_size": 280, "joint": False},
        system={"share_embeddings": False, "norm": "pre"},
        training={"max_steps": 2, "validate_every": 2},
        initialize={"run": str(tiny_run.directory), "load": "encoder", "freeze": ["loaded"]},
    )
    run = train(recipe, tmp_path / "run", progress=False)
    state, start = run.state(), tiny_run.state()
    loaded = {n for n in start if n.startswith(("encoder.", "encoder_norm.", "source_embedding."))}
    assert loaded and all(torch.equal(state[name], start[name]) for name in loaded)
    pipeline, theirs = SystemRun.load(run.directory).pipeline, tiny_run.pipeline
    assert pipeline.source_vocabulary.tokens == theirs.source_vocabulary.tokens
    assert pipeline.encode_sentence("one two") == theirs.encode_sentence("one two")
    assert len(pipeline.target_vocabulary) == 280
    text = "drei vier"
    assert pipeline.decode_sentence(pipeline.encode_sentence(text, "target")) == text
