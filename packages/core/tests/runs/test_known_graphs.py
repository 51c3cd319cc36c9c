"""Graphs that come with docmt: with weights put into them they compute what PyTorch computes."""

import lzma
import runpy
import shutil
from pathlib import Path

import numpy as np
import pytest

import docmt_nmt
from docmt_files.base.errors import InputError
from docmt_nmt.runs import compiled_files
from docmt_nmt.runs.bundled import resolve
from docmt_nmt.runs.compiled_files import file_hash
from docmt_nmt.runs.graph_bytes import with_node, with_weight
from docmt_nmt.runs.known_graphs import compile_known, known_shape
from docmt_nmt.runs.trained_run import open_translation_run
from docmt_nmt.runs.weight_arrays import read_weight_arrays, write_weight_arrays
from firefox_models import FOLDERS, needs_firefox_models


@pytest.fixture
def run(tmp_path) -> Path:
    """A copy of the bundled model."""
    shutil.copytree(resolve("bundled:en-de"), tmp_path / "run")
    return tmp_path / "run"


def compiled(directory: Path) -> Path:
    opened = open_translation_run(directory)
    known = known_shape(opened)
    assert known is not None
    return compile_known(opened, known)


def test_the_bundled_model_translates_as_by_pytorch(run):
    compiled(run)
    document = docmt_nmt.Document("one", ("Open the file.", "It is read-only."))
    expected, found = (
        docmt_nmt.load(run, compiled=use).translate([document])[0] for use in ("never", "always")
    )
    assert found.document.target == expected.document.target
    assert found.log_probabilities == pytest.approx(expected.log_probabilities, abs=1e-3)


def test_files_are_hashed_again_only_when_their_times_changed(run, monkeypatch):
    compiled(run)
    hashed = []
    monkeypatch.setattr(
        compiled_files, "file_hash", lambda path: hashed.append(path.name) or file_hash(path)
    )
    compiled_files.read_manifest(run, "fp32")
    assert not hashed
    (run / "weights.safetensors").touch()
    compiled_files.read_manifest(run, "fp32")
    assert {"weights.safetensors", "step.onnx"} <= set(hashed)


@pytest.mark.parametrize("name", ["alignment.json", "recipe.yaml"])
def test_a_run_of_another_shape_is_not_taken_for_a_known_one(run, name):
    if name == "recipe.yaml":
        text = (run / name).read_text("utf-8")
        (run / name).write_text(text.replace("ffn_dim: 768", "ffn_dim: 512"), "utf-8")
    else:
        (run / name).unlink()
    assert known_shape(open_translation_run(run)) is None


def test_a_missing_weight_is_named_and_nothing_is_left(run):
    path = run / "weights.safetensors"
    arrays = read_weight_arrays(path)
    del arrays["encoder.0.self_attention.norm.weight"]
    write_weight_arrays(path, arrays, {})
    with pytest.raises(
        InputError, match=r"lacks the weight encoder\.0\.self_attention\.norm\.weight"
    ):
        compiled(run)
    assert not (run / "compiled" / "fp32").exists()


def test_bytes_put_behind_a_graph_are_weights_and_operators_of_it():
    onnx = pytest.importorskip("onnx")
    node = onnx.helper.make_node("Foo", ["x"], ["y"]).SerializeToString()
    weight = np.arange(600, dtype=np.float32).reshape(2, 300)
    empty = onnx.ModelProto(ir_version=10).SerializeToString()
    content = empty + with_weight("w", weight) + with_node(node, [("N", 32001)])
    graph = onnx.ModelProto.FromString(content).graph
    assert np.array_equal(onnx.numpy_helper.to_array(graph.initializer[0]), weight)
    assert graph.initializer[0].name == "w"
    (attribute,) = graph.node[0].attribute
    assert (attribute.name, attribute.i, attribute.type) == ("N", 32001, attribute.INT)


@pytest.mark.slow
@needs_firefox_models
@pytest.mark.parametrize("pair", FOLDERS)
def test_models_of_firefox_translate_as_if_pytorch_had_compiled_them(tmp_path, pair):
    pytest.importorskip("onnxscript")
    from docmt.interop import import_marian
    from docmt_nmt.compiling.compile_run import compile_run
    from docmt_nmt.compiling.compiled_checks import documents_to_check
    from docmt_nmt.runs.system_run import SystemRun

    for name in ("known", "traced"):
        import_marian(FOLDERS[pair], tmp_path / name)
    compiled(tmp_path / "known")
    compile_run(SystemRun.load(tmp_path / "traced"), "int8")
    documents = documents_to_check("en")
    known, traced = (
        docmt_nmt.load(tmp_path / name, precision="int8", compiled="always").translate(documents)
        for name in ("known", "traced")
    )
    assert known == traced


@pytest.mark.slow
def test_the_graphs_are_those_that_the_exporter_makes(tmp_path):
    pytest.importorskip("onnxscript")
    from docmt_nmt.runs import known_graphs

    script = Path(__file__).parents[4] / "benchmarks" / "make_known_graphs.py"
    runpy.run_path(str(script))["make"](tmp_path / "tiny", "tiny")
    packaged = Path(known_graphs.__file__).parent / "known" / "tiny"
    assert (tmp_path / "tiny" / "shape.json").read_text() == (packaged / "shape.json").read_text()
    for name in ("encoder.onnx.xz", "step.onnx.xz"):
        made, kept = (
            lzma.decompress((folder / name).read_bytes())
            for folder in (tmp_path / "tiny", packaged)
        )
        assert made == kept
