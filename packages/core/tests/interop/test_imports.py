from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest
import torch

from docmt.interop import import_fairseq, import_huggingface
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.decoding import BeamSearchTranslator

GOLDEN = Path(__file__).parents[3] / "nmt" / "tests" / "golden" / "g_transformer"
CHECKPOINT, DICTIONARY = GOLDEN / "checkpoint.pt", GOLDEN / "dict.en.txt"
BEGIN, ENGLISH, GERMAN = 0, 64, 65


def sentences(tokens, vocabulary):
    """The sentences of a published document, as text."""
    text = " ".join(vocabulary[t] for t in tokens.tolist() if t not in (BEGIN, GERMAN))
    return tuple(text.removesuffix(" </s>").split(" </s> "))


@pytest.mark.parametrize("document", [0, 1])
def test_an_imported_run_translates_as_the_published_code_does(tmp_path, document):
    expected = np.load(GOLDEN / "expected.npz")
    run = import_fairseq(CHECKPOINT, DICTIONARY, tmp_path / "run", languages=("en", "de"))
    vocabulary = run.pipeline.source_vocabulary.tokens
    source = sentences(expected[f"source_{document}"], vocabulary)
    translator = BeamSearchTranslator.load(run.directory, beam_size=1)
    (translation,) = translator.translate([Document("d", source)])
    assert translation.document.target == sentences(expected[f"greedy_{document}"], vocabulary)
    assert translation.chunks == (len(source),)


def test_language_tokens_are_never_words(tmp_path):
    # The published search picks [en] as a word of the first document's best hypothesis.
    expected = np.load(GOLDEN / "expected.npz")
    assert ENGLISH in expected["beam5_0"]
    run = import_fairseq(CHECKPOINT, DICTIONARY, tmp_path / "run", languages=("en", "de"))
    source = sentences(expected["source_0"], run.pipeline.source_vocabulary.tokens)
    (translation,) = BeamSearchTranslator.load(run.directory).translate([Document("d", source)])
    assert "[en]" not in " ".join(translation.document.target)


def test_a_dictionary_of_another_checkpoint_is_an_error_and_nothing_is_written(tmp_path):
    dictionary = tmp_path / "dict.txt"
    dictionary.write_text("".join(DICTIONARY.read_text().splitlines(True)[:-1]))
    with pytest.raises(
        InputError,
        match="vocabulary of 66 tokens, special tokens included, but the checkpoint has 67",
    ):
        import_fairseq(CHECKPOINT, dictionary, tmp_path / "run", languages=("en", "de"))
    assert not (tmp_path / "run").exists()


def test_a_checkpoint_without_a_tensor_is_an_error_and_nothing_is_written(tmp_path):
    with torch.serialization.safe_globals([Namespace]):
        checkpoint = torch.load(CHECKPOINT, weights_only=True)
    del checkpoint["model"]["decoder.layers.0.fc1.bias"]
    torch.save(checkpoint, tmp_path / "lacking.pt")
    with pytest.raises(InputError, match=r"missing: decoder\.0\.feed_forward\..*inner\.bias"):
        import_fairseq(
            tmp_path / "lacking.pt", DICTIONARY, tmp_path / "run", languages=("en", "de")
        )
    assert not (tmp_path / "run").exists()


def test_a_directory_that_is_a_run_is_refused_before_anything_is_read(tmp_path):
    (tmp_path / "recipe.yaml").touch()
    with pytest.raises(InputError, match="is already a run directory"):
        import_fairseq("missing.pt", "missing.txt", tmp_path, languages=("en", "de"))
    with pytest.raises(InputError, match="is already a run directory"):
        import_huggingface("missing", tmp_path)


def test_absurd_sizes_in_a_checkpoint_are_refused_before_a_system_of_them_is_built(tmp_path):
    with torch.serialization.safe_globals([Namespace]):
        checkpoint = torch.load(CHECKPOINT, weights_only=True)
    checkpoint["args"].encoder_embed_dim = checkpoint["args"].decoder_embed_dim = 10**6
    torch.save(checkpoint, tmp_path / "absurd.pt")
    with pytest.raises(InputError, match=r"do not fit `args` .*but encoder_embed_dim is"):
        import_fairseq(tmp_path / "absurd.pt", DICTIONARY, tmp_path / "run", languages=("en", "de"))
    assert not (tmp_path / "run").exists()
