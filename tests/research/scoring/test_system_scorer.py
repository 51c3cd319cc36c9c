"""Log-probabilities of given translations are those of search, and of each candidate alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from docmt import corpora
from docmt.ground.documents import Document
from docmt.ground.errors import InputError
from docmt.nn.batch import IGNORED
from docmt.training import train
from docmt_research.scoring.scorer import Candidates
from docmt_research.scoring.system_scorer import SystemScorer
from scorers import SYSTEMS, TOKENS, scorer_of
from toy import log_lines, toy_recipe


@pytest.fixture(params=SYSTEMS)
def scorer(request, tiny_run) -> SystemScorer:
    """A system with random weights."""
    system, instances = SYSTEMS[request.param]
    return scorer_of(tiny_run, system, instances)


@pytest.fixture(scope="module")
def documents(tiny_corpus) -> list[Document]:
    return list(corpora.read(tiny_corpus / "test.en", tiny_corpus / "test.de"))[:3]


def sums(scores: Any) -> list[Any]:
    return [None if score is None else score.log_probability for score in scores]


def test_a_translation_has_the_log_probability_that_search_gave_it(scorer, documents):
    sources = [Document(d.id, ("", *d.source)) for d in documents]
    sources[0] = Document("one", documents[0].source[:1])
    translations = scorer.translator.translate(sources)
    if scorer.translator.instances.join_sentences:
        pytest.skip("a translated instance has no sentences")
    scores = scorer.score([t.document for t in translations])
    assert [len(own) for own in scores] == [len(d) for d in sources]
    for translation, own in zip(translations, scores, strict=True):
        for text, mean, cut_off, score in zip(
            translation.document.target,
            translation.scores,
            [i in translation.truncated for i in range(len(own))],
            own,
            strict=True,
        ):
            if score is None:
                assert text == ""
            elif not cut_off:
                assert np.mean(score.log_probabilities) == pytest.approx(mean, abs=1e-4)
                assert score.tokens[-1] == "</s>"
                assert len(score.tokens) == len(score.log_probabilities)


def test_scores_are_those_that_validation_sums_up(tinier_corpus, tmp_path):
    for join in (False, True):
        run = train(
            toy_recipe(
                tinier_corpus,
                instances={**TOKENS, "join_sentences": join},
                training={"max_steps": 2, "validate_every": 2},
                evaluation={"metrics": ["d-bleu"]},
            ),
            tmp_path / str(join),
            progress=False,
        )
        scored = SystemScorer.load(run.directory, precision="fp32").score(
            list(corpora.read(tinier_corpus / "valid.en", tinier_corpus / "valid.de"))
        )
        values = [x for own in scored for score in own for x in score.log_probabilities]
        assert -np.mean(values) == pytest.approx(log_lines(run, "valid")[-1]["loss"], rel=1e-5)


@torch.inference_mode()
def test_a_batch_is_what_is_scored(scorer, documents):
    scores = [score for own in scorer.score(documents) for score in own if score is not None]
    instances = [one for own in scorer.instances(documents) for one in own]
    batch = scorer.batch(instances)
    system = scorer.translator.system.eval()
    log_p = system(batch).log_softmax(1)
    scored = batch.labels != IGNORED
    values = log_p[scored].gather(1, batch.labels[scored, None])
    if system.draft_system is None:  # the first sentence is that of the draft
        expected = sum(score.log_probability for score in scores)
        assert float(values.sum()) == pytest.approx(expected, rel=1e-4)


def test_the_last_sentence_of_a_document_is_scored_like_a_candidate(scorer, documents):
    size = {"whole": 9, "tokens": 9, "window": scorer.translator.instances.window, "sentence": 9}
    cut = [
        Document(d.id, d.source[-k:], d.target[-k:])
        for d in documents
        for k in [min(len(d), size[scorer.translator.instances.kind])]
    ]
    candidates = [Candidates(d, (d.target[-1], "drei", "")) for d in cut]
    expected = [sums(own)[-1] for own in scorer.score(cut)]
    found = scorer.score_candidates(candidates)
    assert [own[0].log_probability for own in found] == pytest.approx(expected, abs=1e-4)
    for case, own in zip(candidates, found, strict=True):
        alone = [
            scorer.score_candidates([replace(case, targets=(target,))])[0][0].log_probability
            for target in case.targets
        ]
        assert sums(own) == pytest.approx(alone, abs=1e-4)
    assert len(found[0][2].tokens) == 1


def test_only_what_the_system_reads_changes_the_score_of_the_last_sentence(scorer, documents):
    document = max(documents, key=len)
    score = score_last(scorer)
    other = ("null null",) * (len(document) - 1) + document.target[-1:]
    changed = score(replace(document, target=other))
    assert (changed == pytest.approx(score(document), abs=1e-5)) != scorer.reads_target


def score_last(scorer: SystemScorer) -> Callable[[Document], float]:
    def score(document: Document) -> float:
        case = Candidates(document, (document.target[-1],))
        return scorer.score_candidates([case])[0][0].log_probability

    return score


def test_all_candidates_have_the_context_of_the_longest(tiny_run):
    instances = {"kind": "tokens", "max_tokens": 12}
    scorer = scorer_of(tiny_run, {"name": "transformer"}, instances)
    document = Document("d", ("one two", "three"), ("eins zwei", "drei"))
    short, long = "drei", "drei drei drei drei drei drei drei"
    together = scorer.score_candidates([Candidates(document, (short, long))])[0]
    alone = scorer.score_candidates([Candidates(document, (short,))])[0]
    without = scorer.score_candidates([Candidates(Document("d", ("three",)), (short,))])[0]
    assert together[0].log_probability == pytest.approx(without[0].log_probability, abs=1e-5)
    assert alone[0].log_probability != pytest.approx(without[0].log_probability, abs=1e-5)


def test_what_cannot_be_scored_is_an_error(tiny_run):
    scorer = scorer_of(tiny_run, *SYSTEMS["windows"])
    with pytest.raises(InputError, match="document 'd' has no translation to score"):
        scorer.score([Document("d", ("one",))])
    with pytest.raises(InputError, match="'d' has no translation of the context, which this"):
        scorer.score_candidates([Candidates(Document("d", ("one", "two")), ("zwei",))])
    with pytest.raises(InputError, match="'d': the sentence to translate is empty"):
        scorer.score_candidates([Candidates(Document("d", ("one", "")), ("zwei",))])
