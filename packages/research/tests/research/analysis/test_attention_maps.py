"""Maps of a document's attention, and what is measured over documents."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from docmt.cli import main
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.nn import FullPass
from docmt_nmt.nn.kernels.attend import dense_weights
from docmt_nmt.nn.layers import Layer
from docmt_research.analysis.attention_maps import map_attention, measure_attention
from docmt_research.forced_decoding.system_forced_decoder import SystemForcedDecoder
from forced_decoders import SYSTEMS, forced_decoder_of
from toy import log_lines, trained, write_toy_corpus

TWO = Document("two", ("one two three", "four five"), ("eins zwei drei", "vier fünf"))
LONG = Document("long", ("one two",) * 5, ("eins zwei",) * 5)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    corpus = tmp_path_factory.mktemp("corpus")
    write_toy_corpus(corpus, documents=20)
    return trained(
        corpus,
        tmp_path_factory.mktemp("runs") / "run",
        system={
            "name": "g-transformer",
            "layers": 2,
            "encoder_context_layers": 1,
            "decoder_context_layers": 1,
            "cross_context_layers": 1,
        },
        training={"max_steps": 3, "validate_every": 1, "log_attention": True},
    )


@pytest.fixture(scope="module")
def forced_decoder(run) -> SystemForcedDecoder:
    return SystemForcedDecoder.load(run.directory)


def test_a_map_is_the_dense_attention(forced_decoder):
    found = map_attention(forced_decoder, TWO)
    maps = {one.key: one for one in found.maps}
    assert set(maps) == {
        "encoder.0.group",
        "encoder.1.group",
        "encoder.1.global",
        "decoder.0.group",
        "decoder.1.group",
        "decoder.1.global",
        "cross.0.group",
        "cross.1.group",
        "cross.1.global",
    }
    # The first layer of the encoder by hand: pre-norm, so that its input is normalized.
    (forced,) = forced_decoder.instances([TWO])[0]
    batch = forced_decoder.batch([forced])
    system = forced_decoder.translator.system
    layer = system.encoder[0]
    assert isinstance(layer, Layer)
    residual = layer["self_attention"]
    attention = residual.sublayer.attention
    with torch.inference_mode():
        view = FullPass(batch.source)
        positions = view.positions(system.count_positions)
        x = residual.norm(system.embed(system.source_embedding, batch.source.tokens, positions))
        q, (k, _) = attention.split(attention.query(x)), attention.keys_and_values(x)
        spans = batch.source.sentences
        expected = dense_weights(q, k, spans, spans).mean(0)
    np.testing.assert_allclose(maps["encoder.0.group"].weights, expected, atol=1e-6)
    assert found.source.tokens == (
        "<s>",
        *["one", "two", "three"],
        "</s>",
        "<s>",
        "four",
        "five",
        "</s>",
    )
    assert found.source.offsets == (0, 5, 9)
    assert found.target.tokens[:4] == ("<s>", "eins", "zwei", "drei")


def test_every_query_gives_weights_that_add_up_to_one(forced_decoder):
    found = map_attention(forced_decoder, TWO)
    for one in found.maps:
        sides = found.side(one.queries), found.side(one.keys)
        assert one.weights.shape == tuple(len(side.tokens) for side in sides)
        np.testing.assert_allclose(one.weights.sum(1), 1, atol=1e-5)
        if one.kind == "decoder":
            assert not np.triu(one.weights, 1).any()
        if one.scope == "group":
            rows, columns = sides[0].offsets[1], sides[1].offsets[1]
            assert not one.weights[:rows, columns:].any()
            assert not one.weights[rows:, :columns].any()


def test_heads_are_those_of_the_mean(forced_decoder):
    mean = map_attention(forced_decoder, TWO).maps
    heads = [map_attention(forced_decoder, TWO, head=head).maps for head in (0, 1)]
    for one, a, b in zip(mean, *heads, strict=True):
        np.testing.assert_allclose(one.weights, (a.weights + b.weights) / 2, atol=1e-6)
        assert not np.allclose(a.weights, b.weights)


def test_a_layer_and_an_instance_can_be_chosen(forced_decoder):
    found = map_attention(forced_decoder, LONG, instance=2, layers=[0])
    assert {one.layer for one in found.maps} == {0}
    assert found.first_sentence == 3  # the window is of two sentences
    assert found.source.tokens == ("<s>", "one", "two", "</s>") * 2


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"instance": 4}, "'long' has 3 instances, and no 4. Choose one from 1 to 3"),
        ({"head": 2}, "has 2 heads, and no head 2. They are counted from 0"),
        ({"layers": [7]}, "there is no attention to draw in layer 7. Layers are counted from 0"),
    ],
)
def test_what_is_not_there_is_an_error(forced_decoder, keys, message):
    with pytest.raises(InputError) as error:
        map_attention(forced_decoder, LONG, **keys)
    assert message in str(error.value)


def test_an_instance_that_is_too_long_for_a_map_is_an_error(forced_decoder, monkeypatch):
    monkeypatch.setattr("docmt_research.analysis.attention_maps.MAX_CELLS", 80)
    with pytest.raises(InputError, match="too long for a map"):
        map_attention(forced_decoder, TWO)


def test_the_entropy_over_documents_is_that_of_their_maps(forced_decoder):
    statistics = measure_attention(forced_decoder, [TWO, TWO])
    entropies = {one.key: one for one in statistics.entropies}
    bits = {key: [] for key in entropies}
    for head in (0, 1):
        for one in map_attention(forced_decoder, TWO, head=head).maps:
            weights = one.weights.astype(np.float64)
            logs = np.log2(np.where(weights > 0, weights, 1))
            bits[one.key].append(-(weights * logs).sum(1).mean())
    for key, one in entropies.items():
        assert one.bits == pytest.approx(np.mean(bits[key]), rel=1e-5)
        assert one.queries == 2 * len(
            map_attention(forced_decoder, TWO)
            .side("source" if one.kind == "encoder" else "target")
            .tokens
        )
    assert [gate.layer for gate in statistics.gates] == [1, 1, 1]


def test_a_finished_run_has_what_its_last_validation_logged(run, forced_decoder):
    valid = run.recipe.data.valid
    statistics = measure_attention(forced_decoder, list(corpora.read(valid.source, valid.target)))
    (end,) = log_lines(run, "end")
    assert {one.key: one.bits for one in statistics.entropies} == pytest.approx(
        end["attention_entropy"], rel=1e-5
    )
    assert {one.key: one.context_share for one in statistics.gates} == pytest.approx(
        end["context_share"], rel=1e-5
    )


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_can_be_looked_into(name, tiny_run, tiny_corpus):
    forced_decoder = forced_decoder_of(tiny_run, *SYSTEMS[name])
    documents = list(corpora.read(tiny_corpus / "test.en", tiny_corpus / "test.de"))[:2]
    statistics = measure_attention(forced_decoder, documents)
    keys = [one.key for one in statistics.entropies]
    assert len(set(keys)) == len(keys) > 0
    gated = {
        "g-transformer",
        "document-transformer",
        "han",
        "cache-transformer",
        "cross-sentence-rnn",
    }
    assert bool(statistics.gates) == (name in gated)
    found = map_attention(forced_decoder, documents[0])
    # What is drawn of CADec is its own decoder, and its own part has no encoder.
    assert {one.kind for one in found.maps} >= ({"decoder"} if name == "cadec" else {"cross"})
    for one in found.maps:
        np.testing.assert_allclose(one.weights.sum(1), 1, atol=1e-4)


def attention(*arguments):
    return CliRunner().invoke(main, ["attention", *map(str, arguments)])


@pytest.fixture
def files(tmp_path):
    """The options of a source and a target of two documents."""
    (tmp_path / "a.en").write_text("<d>\none two three\nfour five\n<d>\nsix\n")
    (tmp_path / "a.de").write_text("<d>\neins zwei drei\nvier fünf\n<d>\nsechs\n")
    return "--source", tmp_path / "a.en", "--target", tmp_path / "a.de"


def test_the_command_writes_plots_and_numbers(run, files, tmp_path):
    out = tmp_path / "out"
    result = attention("--run", run.directory, *files, "-o", out)
    assert result.exit_code == 0, result.output
    names = {path.name for path in out.iterdir()}
    kinds = [
        f"{kind}-{scope}"
        for kind in ("encoder", "decoder", "cross")
        for scope in ("group", "global")
    ]
    assert names == {
        "attention.json",
        "maps.json",
        "entropy.png",
        "gates.png",
        *(f"map-{kind}.png" for kind in kinds),
    }
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in out.glob("*.png"))
    assert "Entropy of attention" in result.stdout
    assert "decoder.1.cross_attention" in result.stdout
    values = json.loads((out / "attention.json").read_text())
    assert {one["key"] for one in values["entropies"]} > {"cross.1.global"}
    assert len(values["gates"]) == 3
    maps = json.loads((out / "maps.json").read_text())
    assert maps["source"]["tokens"][:2] == ["<s>", "one"]
    for one in maps["maps"]:
        for first, weights in one["rows"]:
            assert sum(weights) == pytest.approx(1, abs=0.01)
            assert first + len(weights) <= len(maps[one["keys"]]["tokens"])


@pytest.mark.slow
def test_the_same_command_writes_the_same_files(run, files, tmp_path):
    contents = []
    for name in ("a", "b"):
        options = ("-o", tmp_path / name, "--format", "svg", "--layer", 0, "--document", "2")
        result = attention("--run", run.directory, *files, *options)
        assert result.exit_code == 0, result.output
        contents.append({p.name: p.read_bytes() for p in (tmp_path / name).iterdir()})
    assert contents[0] == contents[1]
    assert b"sechs" in contents[0]["maps.json"]
    assert contents[0]["map-cross-group.svg"].startswith(b"<?xml")


def test_numbers_load_no_matplotlib(run, files, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    out = tmp_path / "out"
    result = attention("--run", run.directory, *files, "-o", out, "--format", "json")
    assert result.exit_code == 0, result.output
    assert {p.name for p in out.iterdir()} == {"attention.json", "maps.json"}


def test_an_unknown_document_is_an_error(run, files, tmp_path):
    out = tmp_path / "out"
    result = attention(
        "--run", run.directory, *files, "-o", out, "--format", "json", "--document", "x"
    )
    assert result.exit_code == 2
    assert "there is no document 'x'" in result.stderr
    assert not out.exists()
