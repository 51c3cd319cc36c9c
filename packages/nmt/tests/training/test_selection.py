"""Selection of the best checkpoint by BLEU, against one reference or several."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path

import pytest
from sacrebleu import BLEU

import docmt_nmt
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.evaluation import evaluate
from docmt_nmt.training import validation
from toy import log_lines, trained


@pytest.mark.parametrize("metric", [pytest.param("s-bleu", marks=pytest.mark.slow), "d-bleu"])
def test_selection_by_bleu_translates_the_validation_split(tinier_corpus, tmp_path, metric):
    run = trained(
        tinier_corpus,
        tmp_path / "run",
        training={"max_steps": 80, "validate_every": 40, "best_checkpoint_metric": metric},
    )
    scores = [line["bleu"] for line in log_lines(run, "valid")]
    assert log_lines(run, "end")[0]["bleu"] == max(scores)
    # What the run's weights translate has the score by which they were selected.
    texts = list(corpora.read(tinier_corpus / "valid.en", tinier_corpus / "valid.de"))
    pairs = [
        (t.document.target, text.target)
        for t, text in zip(docmt_nmt.load(run.directory).translate(texts), texts, strict=True)
    ]
    if metric == "d-bleu":
        pairs = [([" ".join(side)] for side in pair) for pair in pairs]
    ours, theirs = (list(chain.from_iterable(side)) for side in zip(*pairs, strict=True))
    expected = BLEU().corpus_score(ours, [theirs]).score
    assert max(scores) == pytest.approx(expected, rel=1e-6)
    assert expected > 1
    state = (run.checkpoints / "000080" / "state.json").read_text()
    assert json.loads(state)["history"][0]["bleu_name"].lower() == metric


def test_selection_by_bleu_knows_several_references(tiny_run, tmp_path, monkeypatch):
    corpus = Path(tiny_run.recipe.data.train.source).parent
    target = (corpus / "valid.de").read_text(encoding="utf-8")
    second = tmp_path / "second.de"
    second.write_text(target.replace("eins", "ein"), encoding="utf-8")
    seen = []

    def scored(hypotheses, references, settings):
        seen.append((references, settings.metrics))
        return evaluate(hypotheses, references, settings)

    monkeypatch.setattr(validation, "evaluate", scored)
    valid = {"references": [str(second)]}
    training = {"max_steps": 1, "best_checkpoint_metric": "s-bleu"}
    # The prepared corpus is the same whatever the references.
    data = {"prepared": str(tiny_run.directory / "data"), "valid": valid}
    trained(corpus, tmp_path / "run", data=data, training=training)
    (((own, other), metrics),) = seen
    assert metrics == ("s-bleu",)
    assert [len(document) for document in own] == [len(document) for document in other]
    own_words, other_words = (
        [word for document in side for s in document.target for word in s.split()]
        for side in (own, other)
    )
    assert [word.replace("eins", "ein") for word in own_words] == other_words != own_words

    seen.clear()
    data["valid"] = valid | {"score_target": False}
    trained(corpus, tmp_path / "alone", data=data, training=training)
    (((alone,), _),) = seen
    assert [document.target for document in alone] == [document.target for document in other]

    second.write_text("<d>\neins\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"second\.de: does not fit data\.valid: .*documents"):
        trained(corpus, tmp_path / "other", data=data, training=training)
    assert not (tmp_path / "other" / "log.jsonl").exists()
