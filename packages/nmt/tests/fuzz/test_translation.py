"""What holds for a translation of any document: every sentence is translated, twice the same, alone
as together with others."""

import random

import pytest
import torch

from docmt_files.base.documents import Document
from docmt_nmt import corpora
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.training import train
from fuzz.mutations import mutate
from toy import toy_recipe, write_real_corpus

LONGEST = 40


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A G-Transformer over bytes and subwords, with weights that make it write something."""
    folder = write_real_corpus(tmp_path_factory.mktemp("fuzz") / "corpus", documents=4)
    recipe = toy_recipe(
        folder,
        text={"subword": "unigram", "vocabulary_size": 400},
        instances={"kind": "tokens", "max_tokens": 128},
        system={"name": "g-transformer", "layers": 2},
        training={"max_steps": 1, "validate_every": 1, "batch_tokens": 512},
        search={"max_length_factor": 0.8, "max_length_offset": 4},
    )
    run = train(recipe, folder / "run", progress=False)
    noise = torch.Generator().manual_seed(1)
    system = run.system()
    with torch.no_grad():
        for weights in system.parameters():
            weights += 0.2 * torch.randn(weights.shape, generator=noise)
    run.save_weights(system.state_dict())
    return run


def damaged_documents(seeds):
    """Real documents with damaged sentences; some are empty."""
    kept = [document.source for document in corpora.read(corpus_file("dev.en.xz"))]
    for seed in seeds:
        draw = random.Random(seed)
        source = draw.choice(kept)[: draw.randint(1, 3)]
        yield Document(f"d{seed}", tuple(damaged(sentence, draw) for sentence in source))


def damaged(sentence, draw):
    """A sentence with mutations, as one line of text."""
    data = mutate(sentence.encode(), draw) if draw.random() < 0.7 else sentence.encode()
    return " ".join(data.decode("utf-8", "ignore").replace("\0", "").split())[:LONGEST]


def check(run, seeds):
    documents = list(damaged_documents(seeds))
    beam = BeamSearchTranslator.load(run.directory, device="cpu", beam_size=2)
    together, again = beam.translate(documents), beam.translate(documents)
    for number, document in enumerate(documents):
        translation = together[number]
        assert len(translation.document.target) == len(document)
        for sentence, translated in zip(document.source, translation.document.target, strict=True):
            assert not translated.splitlines()[1:]
            assert sentence or not translated, "what is empty stays empty"
        assert again[number] == translation
        (alone,) = beam.translate([document])
        assert alone.document == translation.document


def test_any_document_is_translated_whole_and_always_the_same(run):
    check(run, range(5))


@pytest.mark.slow
def test_many_documents_are_translated_whole_and_always_the_same(run):
    check(run, range(1000, 1200))
