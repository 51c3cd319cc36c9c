"""Models of Marian whose files are missing, damaged, hostile or of another kind are refused."""

from __future__ import annotations

import re
import struct
import zipfile

import numpy as np
import pytest

import marian_models
from docmt.interop import import_marian
from docmt_files.base.errors import InputError

MODEL, VOCABULARY = "model.ende.intgemm.alphas.bin", "vocab.ende.spm"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "model").mkdir()
    marian_models.make_firefox(tmp_path / "model")
    return tmp_path / "model"


def _refused(folder, **keys):
    """The message of a refusal, which leaves nothing."""
    run = folder.parent / "run"
    with pytest.raises(InputError) as error:
        import_marian(folder, run, **keys)
    assert not run.exists()
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [(MODEL, "has no file that could be a model"), (VOCABULARY, "could be a vocabulary")],
)
def test_a_missing_file_is_named(folder, name, message):
    (folder / name).unlink()
    assert message in _refused(folder)


@pytest.mark.parametrize("share", [0, 0.001, 0.05, 0.5, 0.999])
def test_a_model_that_was_cut_off_is_refused(folder, share):
    path = folder / MODEL
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    assert "is not a whole model of Marian" in _refused(folder)


@pytest.mark.parametrize("offset", [8, 16, 32, 40])
def test_sizes_that_lie_allocate_nothing(folder, offset):
    path = folder / MODEL
    content = bytearray(path.read_bytes())
    content[offset : offset + 8] = struct.pack("<Q", 1 << 62)
    path.write_bytes(content)
    message = _refused(folder)
    assert "is not a whole model of Marian" in message or "does not read" in message


def test_a_shortlist_in_the_place_of_the_model_is_named(folder):
    (folder / MODEL).write_bytes(struct.pack("<Q", 0xF11A48D5013417F5) + bytes(100))
    assert "is a lexical shortlist, not a model" in _refused(folder)


def test_the_vocabulary_of_another_model_is_refused(folder):
    (folder / VOCABULARY).write_bytes(marian_models.spm(300))
    assert "has 300 tokens, but model.ende.intgemm.alphas.bin has embeddings of 200" in _refused(
        folder
    )
    (folder / VOCABULARY).write_bytes(b"not a model")
    assert "is not a valid sentencepiece model" in _refused(folder)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"type": "s2s"}, "type 's2s' is not supported"),
        (
            {"transformer-decoder-autoreg": "average-attention"},
            "transformer-decoder-autoreg 'average-attention' is not supported",
        ),
        ({"dec-cell": "gru"}, "dec-cell 'gru' is not supported"),
        ({"transformer-ffn-activation": "gated"}, "transformer-ffn-activation 'gated'"),
        ({"transformer-tied-layers": "[1, 1]"}, "transformer-tied-layers [1, 1]"),
        ({"lemma-dim-emb": "64"}, "lemma-dim-emb 64"),
        ({"input-types": "[sequence, class]"}, "input-types"),
        ({"transformer-train-position-embeddings": "true"}, "transformer-train-position"),
        ({"transformer-preprocess": "n"}, "normalized twice"),
        ({"transformer-heads": "5"}, "heads 5 must divide d_model 16"),
        ({"enc-depth": "3"}, "missing: encoder.2, but enc-depth is 3"),
        ({"dim-emb": "32"}, "dim-emb is 32"),
        ({"enc-depth": "a lot"}, "layers"),
    ],
)
def test_what_docmt_does_not_have_is_refused_by_name(folder, changes, message):
    made, scales = marian_models.rounded(marian_models.weights())
    settings = marian_models.SETTINGS | changes
    marian_models.write_bin(folder / MODEL, made, settings, scales=scales)
    assert message in _refused(folder)


@pytest.mark.parametrize("change", ["lacks", "has", "nan", "scale", "type", "shape"])
def test_tensors_that_are_not_those_of_the_model_are_refused(folder, change):
    made, scales = marian_models.rounded(marian_models.weights())
    message = {
        "lacks": "missing: decoder.1.recurrence.sublayer.forget.weight",
        "has": "has a tensor 'decoder_l1_self_Ws'",
        "nan": "holds NaN or infinity",
        "scale": "the codes of Wemb are scaled by",
        "type": "has float64, which docmt does not read",
        "shape": "different shapes: decoder.0.feed_forward.sublayer.inner.bias",
    }[change]
    if change == "lacks":
        del made["decoder_l2_rnn_Wf"]
    elif change == "has":
        made["decoder_l1_self_Ws"] = made["decoder_l1_rnn_bf"]
    elif change == "nan":
        made["decoder_ff_logit_out_b"][0, 0] = np.nan
    elif change == "shape":
        made["decoder_l1_ffn_b1"] = made["decoder_l1_ffn_b2"]
    marian_models.write_bin(folder / MODEL, made, scales=scales)
    content = (folder / MODEL).read_bytes()
    if change == "scale":
        old = struct.pack("<f", scales["Wemb"])
        (folder / MODEL).write_bytes(content.replace(old, struct.pack("<f", float("nan")), 1))
    elif change == "type":
        plain, wide = struct.pack("<2Q", 23, 0x0404), struct.pack("<2Q", 23, 0x0408)
        assert plain in content  # the name of decoder_ff_logit_out_b
        (folder / MODEL).write_bytes(content.replace(plain, wide, 1))
    assert message in _refused(folder)


def test_languages_that_nothing_names_are_asked_for(folder):
    (folder / MODEL).rename(folder / "model.bin")
    (folder / VOCABULARY).rename(folder / "vocab.spm")
    (folder / "config.intgemm8bitalpha.yml").unlink()
    assert "do not name the source and the target language" in _refused(folder)
    run = import_marian(folder, folder.parent / "run", languages=("en", "de"))
    assert run.pipeline.languages == ("en", "de")


def test_an_npz_of_pickles_or_of_terabytes_is_refused(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    marian_models.make_opus(folder)
    path = folder / "opus.transformer-align.model1.npz"
    np.savez(path, Wemb=np.array([{"a": 1}], dtype=object))
    assert "is not a whole model of Marian" in _refused(folder, languages=("en", "de"))
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,), }"
    with zipfile.ZipFile(path, "w") as archive:
        start = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header) + 1) + header + b"\n"
        archive.writestr("Wemb.npy", start + bytes(100))
    assert "is not a whole model of Marian" in _refused(folder, languages=("en", "de"))


def test_a_language_that_a_model_of_several_does_not_have_is_named(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    marian_models.make_opus(folder, languages=("deu", "fra"))
    message = _refused(folder, languages=("en", "de"))
    assert re.search(r"does not translate into 'de'.*Known are deu, fra", message)
