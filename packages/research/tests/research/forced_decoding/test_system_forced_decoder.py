"""Log-probabilities of given translations are those of search, and of each candidate alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.nn.batch import IGNORED
from docmt_nmt.training import train
from docmt_research.forced_decoding.forced_decoder import Candidates
from docmt_research.forced_decoding.system_forced_decoder import SystemForcedDecoder
from forced_decoders import SYSTEMS, TOKENS, forced_decoder_of
from toy import log_lines, toy_recipe


@pytest.fixture(params=SYSTEMS)
def forced_decoder(request, tiny_run) -> SystemForcedDecoder:
    """A system with random weights."""
    system, instances = SYSTEMS[request.param]
    return forced_decoder_of(tiny_run, system, instances)


@pytest.fixture(scope="module")
def documents(tiny_corpus) -> list[Document]:
    return list(corpora.read(tiny_corpus / "test.en", tiny_corpus / "test.de"))[:3]


def sums(sentences: Any) -> list[Any]:
    return [None if sentence is None else sentence.log_probability for sentence in sentences]


@pytest.mark.by_default(4)
def test_a_translation_has_the_log_probability_that_search_gave_it(forced_decoder, documents):
    sources = [Document(d.id, ("", *d.source)) for d in documents]
    sources[0] = Document("one", documents[0].source[:1])
    translations = forced_decoder.translator.translate(sources)
    if forced_decoder.translator.instances.join_sentences:
        pytest.skip("a translated instance has no sentences")
    found = forced_decoder.log_probabilities([t.document for t in translations])
    assert [len(own) for own in found] == [len(d) for d in sources]
    for translation, own in zip(translations, found, strict=True):
        for text, mean, cut_off, sentence in zip(
            translation.document.target,
            translation.log_probabilities,
            [i in translation.truncated for i in range(len(own))],
            own,
            strict=True,
        ):
            if sentence is None:
                assert text == ""
            elif not cut_off:
                assert np.mean(sentence.log_probabilities) == pytest.approx(mean, abs=1e-4)
                assert sentence.tokens[-1] == "</s>"
                assert len(sentence.tokens) == len(sentence.log_probabilities)


def test_they_are_the_log_probabilities_that_validation_sums_up(tinier_corpus, tmp_path):
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
        decoded = SystemForcedDecoder.load(run.directory, precision="fp32").log_probabilities(
            list(corpora.read(tinier_corpus / "valid.en", tinier_corpus / "valid.de"))
        )
        values = [x for own in decoded for sentence in own for x in sentence.log_probabilities]
        assert -np.mean(values) == pytest.approx(log_lines(run, "valid")[-1]["loss"], rel=1e-5)


@torch.inference_mode()
def test_a_batch_has_the_given_labels(forced_decoder, documents):
    found = [s for own in forced_decoder.log_probabilities(documents) for s in own if s is not None]
    instances = [one for own in forced_decoder.instances(documents) for one in own]
    batch = forced_decoder.batch(instances)
    system = forced_decoder.translator.system.eval()
    log_p = system(batch).log_softmax(1)
    given = batch.labels != IGNORED
    values = log_p[given].gather(1, batch.labels[given, None])
    if system.draft_system is None:  # the first sentence is that of the draft
        expected = sum(sentence.log_probability for sentence in found)
        assert float(values.sum()) == pytest.approx(expected, rel=1e-4)


@pytest.mark.by_default(4)
def test_the_last_sentence_of_a_document_is_as_probable_as_the_same_candidate(
    forced_decoder, documents
):
    size = {
        "whole": 9,
        "tokens": 9,
        "window": forced_decoder.translator.instances.window,
        "sentence": 9,
    }
    cut = [
        Document(d.id, d.source[-k:], d.target[-k:])
        for d in documents
        for k in [min(len(d), size[forced_decoder.translator.instances.kind])]
    ]
    candidates = [Candidates(d, (d.target[-1], "drei", "")) for d in cut]
    expected = [sums(own)[-1] for own in forced_decoder.log_probabilities(cut)]
    found = forced_decoder.candidate_log_probabilities(candidates)
    assert [own[0].log_probability for own in found] == pytest.approx(expected, abs=1e-4)
    for case, own in zip(candidates, found, strict=True):
        alone = [
            forced_decoder.candidate_log_probabilities([replace(case, targets=(target,))])[0][
                0
            ].log_probability
            for target in case.targets
        ]
        assert sums(own) == pytest.approx(alone, abs=1e-4)
    assert len(found[0][2].tokens) == 1


def test_only_what_the_system_reads_changes_the_probability_of_the_last_sentence(
    forced_decoder, documents
):
    document = max(documents, key=len)
    log_probability = of_last_sentence(forced_decoder)
    other = ("null null",) * (len(document) - 1) + document.target[-1:]
    changed = log_probability(replace(document, target=other))
    assert (
        changed == pytest.approx(log_probability(document), abs=1e-5)
    ) != forced_decoder.reads_target


def of_last_sentence(forced_decoder: SystemForcedDecoder) -> Callable[[Document], float]:
    def log_probability(document: Document) -> float:
        case = Candidates(document, (document.target[-1],))
        return forced_decoder.candidate_log_probabilities([case])[0][0].log_probability

    return log_probability


def test_all_candidates_have_the_context_of_the_longest(tiny_run):
    instances = {"kind": "tokens", "max_tokens": 12}
    forced_decoder = forced_decoder_of(tiny_run, {"name": "transformer"}, instances)
    document = Document("d", ("one two", "three"), ("eins zwei", "drei"))
    short, long = "drei", "drei drei drei drei drei drei drei"
    together = forced_decoder.candidate_log_probabilities([Candidates(document, (short, long))])[0]
    alone = forced_decoder.candidate_log_probabilities([Candidates(document, (short,))])[0]
    without = forced_decoder.candidate_log_probabilities(
        [Candidates(Document("d", ("three",)), (short,))]
    )[0]
    assert together[0].log_probability == pytest.approx(without[0].log_probability, abs=1e-5)
    assert alone[0].log_probability != pytest.approx(without[0].log_probability, abs=1e-5)


def test_what_has_no_log_probability_is_an_error(tiny_run):
    forced_decoder = forced_decoder_of(tiny_run, *SYSTEMS["windows"])
    with pytest.raises(InputError, match="document 'd' has no translation"):
        forced_decoder.log_probabilities([Document("d", ("one",))])
    with pytest.raises(InputError, match="'d' has no translation of the context, which this"):
        forced_decoder.candidate_log_probabilities(
            [Candidates(Document("d", ("one", "two")), ("zwei",))]
        )
    with pytest.raises(InputError, match="'d': the sentence to translate is empty"):
        forced_decoder.candidate_log_probabilities(
            [Candidates(Document("d", ("one", "")), ("zwei",))]
        )
