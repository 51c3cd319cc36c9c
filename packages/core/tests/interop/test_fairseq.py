"""The published G-Transformer code's own numbers, from a tiny random model."""

import argparse
import itertools
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import torch

from docmt.interop import import_fairseq
from docmt.interop.fairseq_checkpoints import read_checkpoint, rename, system_settings
from docmt_files.base.errors import InputError
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.data.collate import pack_sentences
from docmt_nmt.decoding import search
from docmt_nmt.nn.batch import IGNORED, Batch
from docmt_nmt.systems import build

GOLDEN = Path(__file__).parents[3] / "nmt" / "tests" / "golden" / "g_transformer"
CHECKPOINT, DICTIONARY = GOLDEN / "checkpoint.pt", GOLDEN / "dict.en.txt"
SPECIAL_TOKENS = SpecialTokens((0,), (2,), 0, 2)
PAD, GERMAN = 1, 65


@pytest.fixture(scope="module")
def expected():
    return np.load(GOLDEN / "expected.npz")


@pytest.fixture(scope="module")
def system():
    arguments, weights = read_checkpoint(CHECKPOINT)
    system = build(system_settings(arguments, path=CHECKPOINT), 67, 67)
    system.load_state_dict(rename(weights, shared=True, path=CHECKPOINT), strict=True)
    return system.eval()


def packed(tokens):
    """A document as it is published, one sequence of tokens with BOS before each sentence."""
    starts = [*np.flatnonzero(tokens == SPECIAL_TOKENS.target_begin), len(tokens)]
    sentences = [tokens[a:b].tolist() for a, b in itertools.pairwise(starts)]
    return pack_sentences([sentences])


@pytest.mark.parametrize("document", [0, 1])
@torch.no_grad()
def test_encoder_states_and_logits_are_those_of_the_published_code(system, expected, document):
    source, target = (packed(expected[f"{side}_{document}"]) for side in ("source", "target"))
    labels = torch.full_like(target.tokens, IGNORED)
    states, logits = system.encode(source).states, system(Batch(source, target, labels))
    np.testing.assert_allclose(states, expected[f"encoder_{document}"], atol=1e-5, rtol=0)
    np.testing.assert_allclose(logits, expected[f"logits_{document}"], atol=1e-5, rtol=0)


@pytest.mark.by_default(2)
@pytest.mark.parametrize("document", [0, 1])
@pytest.mark.parametrize(("beam", "name"), [(1, "greedy"), (5, "beam5")])
def test_search_finds_what_the_published_code_finds(system, expected, document, beam, name):
    source = packed(expected[f"source_{document}"])
    longest = (1.2 * (source.sentences.lengths - 3) + 10).long()
    best = search(
        system, source, SPECIAL_TOKENS, beam_size=beam, max_lengths=longest, banned=[PAD]
    )[0][0]
    found = [
        t
        for s in best.sentences
        for t in (*s, SPECIAL_TOKENS.target_end, SPECIAL_TOKENS.target_begin)
    ]
    # There a language token follows the last EOS and counts in the length.
    found[-1] = GERMAN
    assert found == expected[f"{name}_{document}"].tolist()
    score = sum(best.log_probabilities) / len(found)
    assert score == pytest.approx(float(expected[f"{name}_score_{document}"]), abs=1e-5)


class Payload:
    def __reduce__(self):
        return (print, ("code in a checkpoint was run",))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            {"args": argparse.Namespace(arch="transformer"), "model": Payload()},
            r"plain values \(it holds",
        ),
        ({"model": {}}, "not a fairseq checkpoint"),
        ({"args": argparse.Namespace(), "model": {"a": 1}}, "of a supported version"),
        ([1, 2], "not a fairseq checkpoint"),
    ],
)
def test_a_file_that_is_not_a_checkpoint_is_refused_and_nothing_in_it_runs(
    tmp_path, capsys, content, message
):
    path = tmp_path / "checkpoint.pt"
    torch.save(content, path)
    with pytest.raises(InputError, match=message) as caught:
        read_checkpoint(path)
    assert "weights_only" not in str(caught.value)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("kept", [0, 1, 3, 60, 1000, 100_000])
def test_a_damaged_checkpoint_is_refused(tmp_path, kept):
    path = tmp_path / "checkpoint.pt"
    path.write_bytes(CHECKPOINT.read_bytes()[:kept])
    with pytest.raises(InputError, match="cannot be read as a checkpoint"):
        read_checkpoint(path)


@pytest.mark.parametrize("seed", range(20))
def test_a_checkpoint_with_wrong_bytes_is_read_or_refused(tmp_path, seed):
    draw = random.Random(seed)
    content = bytearray(CHECKPOINT.read_bytes())
    for _ in range(50):  # the pickle lies before the tensors
        content[draw.randrange(6000)] = draw.randrange(256)
    (tmp_path / "checkpoint.pt").write_bytes(content)
    with suppress(InputError):
        read_checkpoint(tmp_path / "checkpoint.pt")


class Broken(NamedTuple):
    name: str
    tensor: Callable[[torch.Tensor], torch.Tensor]
    message: str


BROKEN = [
    Broken("decoder.layers.0.self_attn.zzz.weight", lambda t: t, "unknown tensor"),
    Broken("decoder.layers.0.self_attn_local.zzz.weight", lambda t: t, "unknown tensor"),
    Broken("decoder.layers.0.fc1.weight", lambda t: t.to_sparse(), "is not a dense tensor"),
    Broken("decoder.layers.0.fc1.weight", lambda t: t.to("meta"), "is not a dense tensor"),
    Broken(
        "decoder.layers.0.fc1.weight",
        lambda t: torch.quantize_per_tensor(t, 0.1, 0, torch.qint8),
        "is not a dense tensor",
    ),
    Broken("decoder.layers.0.fc1.weight", lambda t: t + 1j, "is not a dense tensor"),
    Broken(
        "decoder.layers.0.fc1.weight",
        lambda t: t[:1, :1].clone().expand(10**9, 10**9),
        "has fewer numbers than its shape",
    ),
    Broken("decoder.layers.0.fc1.bias", lambda t: t * float("nan"), "fc1.bias holds NaN"),
    Broken("decoder.layers.0.fc1.bias", lambda t: t / 0.0, "fc1.bias holds NaN or infinity"),
    Broken("encoder.embed_tokens.weight", lambda t: t[0, 0], "not that of embeddings"),
    Broken("decoder.embed_tokens.weight", lambda t: t.flatten(), "not that of embeddings"),
    Broken("decoder.layers.0.fc1.weight", lambda t: t[0, 0], "different shapes"),
]


@pytest.mark.parametrize("broken", BROKEN, ids=[f"{b.name}: {b.message}" for b in BROKEN])
def test_tensors_that_are_no_weights_are_refused_by_name(tmp_path, broken):
    with torch.serialization.safe_globals([argparse.Namespace]):
        checkpoint = torch.load(CHECKPOINT, weights_only=True)
    like = checkpoint["model"].get(broken.name, torch.ones(2, 2))
    checkpoint["model"][broken.name] = broken.tensor(like)
    torch.save(checkpoint, tmp_path / "broken.pt")
    with pytest.raises(InputError, match=broken.message):
        import_fairseq(tmp_path / "broken.pt", DICTIONARY, tmp_path / "run", languages=("en", "de"))
    assert [path.name for path in tmp_path.iterdir()] == ["broken.pt"]


def test_a_checkpoint_without_embeddings_or_sizes_is_refused():
    arguments, weights = read_checkpoint(CHECKPOINT)
    weights = {name: tensor for name, tensor in weights.items() if "embed" not in name}
    weights.pop("decoder.output_projection.weight", None)
    with pytest.raises(InputError, match="no decoder embeddings"):
        rename(weights, shared=True, path=CHECKPOINT)
    sizes = ("encoder_embed_dim", "decoder_embed_dim", "cross_ctxlayers")
    lacking = {name: value for name, value in arguments.items() if name not in sizes}
    with pytest.raises(InputError, match="arguments lack encoder_embed_dim, cross_ctxlayers"):
        system_settings(lacking, path=CHECKPOINT)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arch": "fconv"}, "'fconv' is not supported"),
        ({"activation_fn": "gelu"}, "activation_fn 'gelu'"),
        ({"decoder_layers": 7}, "encoder_layers 4 differs from decoder_layers 7"),
        ({"task": "translation"}, "task 'translation'"),
        ({"doc_mode": "hybrid"}, "doc_mode 'hybrid'"),
    ],
)
def test_an_architecture_docmt_does_not_have_is_named(change, message):
    arguments, _ = read_checkpoint(CHECKPOINT)
    with pytest.raises(InputError, match=message):
        system_settings({**arguments, **change}, path=CHECKPOINT)
