"""Make the graphs of known shapes, `docmt/runs/known/*`, for `docmt_nmt.runs.known_graphs`:

    python benchmarks/make_known_graphs.py FOLDER

They are traced as those of a run are, from random systems. Each is made twice, from other weights
and for another vocabulary, and both must give the same graph: so nothing of the weights is in it.
"""

from __future__ import annotations

import lzma
import sys
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import nn

from docmt_nmt.compiling.eight_bits import ByBlocks, ByRows
from docmt_nmt.compiling.graphs import OPSET, Graphs
from docmt_nmt.recipes import load
from docmt_nmt.runs.bundled import resolve
from docmt_nmt.runs.known_graphs import OUTPUT, SHAPE, WEIGHTS, Form, KnownShape
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.systems import build

if TYPE_CHECKING:
    from onnx import ModelProto, TensorProto

    from docmt_nmt.runs.compiled_files import CompiledPrecision

FIREFOX = {"tiny": (256, 2, 1536), "base-memory": (384, 4, 1536), "base": (512, 2, 2048)}
"""The width, the number of decoder layers and the width of feed-forward layers of each architecture
with which Firefox translates."""

_VOCABULARIES = 101, 127
"""Sizes of vocabularies of the example; no other size of a graph is one of them."""

_OWN = ("share_embeddings", "preset", "dropout", "attention_dropout")
"""Settings that do not change a graph: an output layer that is shared with the source is the output
layer that is shared with the target."""


def make(folder: Path, architecture: str) -> None:
    """Write the graphs of an architecture of Firefox, or `bundled`, into a folder.

    Args:
        folder: the folder, which is made.
        architecture: the name.
    """
    if architecture == "bundled":
        bundled = SystemRun.load(resolve("bundled:en-de")).recipe.system
        _write(folder, bundled, "fp32", [1, 0])
        return
    width, layers, ffn = FIREFOX[architecture]
    sizes = {"d_model": width, "decoder_layers": layers, "ffn_dim": ffn}
    overrides = [f"system.{key}={value}" for key, value in sizes.items()]
    recipe = load("sentence-firefox", [*overrides, "system.share_embeddings=false"])
    _write(folder, recipe.system, "int8", [layers - 1])


def _write(folder: Path, settings: Any, precision: CompiledPrecision, aligning: list[int]) -> None:
    """Write the graphs of systems with these settings."""
    folder.mkdir(parents=True)
    made = [_made(settings, size, precision, aligning) for size in _VOCABULARIES]
    assert made[0] == made[1], f"{folder.name}: something of the weights is in a graph"
    graphs, shape = made[0]
    for name, content in graphs.items():
        (folder / f"{name}.onnx.xz").write_bytes(lzma.compress(content))
    (folder / SHAPE).write_text(shape.to_json() + "\n", "utf-8")


def _made(
    settings: Any, vocabulary: int, precision: CompiledPrecision, aligning: list[int]
) -> tuple[dict[str, bytes], KnownShape]:
    """The graphs without weights, and the description of what they lack."""
    system = build(settings, vocabulary, vocabulary, seed=vocabulary)
    for parameter in system.parameters():
        nn.init.normal_(parameter)  # The exporter takes weights with the same numbers for one.
    graphs = Graphs(system, aligning)
    models = {"encoder": graphs.encoder(), "step": graphs.step()}
    if precision == "int8":
        models["encoder"] = ByRows(models["encoder"], 127).apply()
        models["step"] = ByBlocks(models["step"]).apply()
    weights, output = {}, {}
    for name, model in models.items():
        if node := _without_output(model, vocabulary):
            output[name] = node
        weights[name] = _without_weights(model)
        _clean(model, vocabulary)
    used = {name for of_graph in weights.values() for name in of_graph}
    unused = {name for name, _ in system.named_parameters()} - used
    assert all("embedding.table" in name for name in unused), unused
    fields = type(settings).model_fields
    values = {k: v for k, v in settings.model_dump(mode="json").items() if k not in _OWN}
    defaults = {k: v for k, v in values.items() if k != "name" and v == fields[k].default}
    shape = KnownShape(
        precision=precision,
        system={key: value for key, value in values.items() if key not in defaults},
        defaults=defaults,
        opset=OPSET,
        count_from=graphs.system.count_positions,
        alignment=tuple(graphs.aligning),
        weights=weights,
        output=output,
    )
    return {name: model.SerializeToString() for name, model in models.items()}, shape


def _without_weights(model: ModelProto) -> dict[str, Form]:
    """Take the weights out of a graph: the form of each, by name."""
    forms: dict[str, Form] = {}
    kept = []
    for tensor in model.graph.initializer:
        if tensor.name.startswith(WEIGHTS):
            forms[tensor.name.removeprefix(WEIGHTS).removesuffix(".codes")] = _form(tensor)
        else:
            kept.append(tensor)
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
    return {name: form for name, form in forms.items() if not name.endswith(".scales")}


def _form(tensor: TensorProto) -> Form:
    """The form in which a weight is stored."""
    if not tensor.name.endswith(".codes"):
        return "plain"
    return "rows" if len(tensor.dims) == 2 else "blocks"


def _without_output(model: ModelProto, vocabulary: int) -> str | None:
    """Take out the operator that has the size of the vocabulary as an attribute, if there is one:
    the bytes without the attribute, in base64."""
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.name == OUTPUT and attribute.i == vocabulary:
                model.graph.node.remove(node)
                node.attribute.remove(attribute)
                node.ClearField("metadata_props")
                return b64encode(node.SerializeToString()).decode()
    return None


def _clean(model: ModelProto, vocabulary: int) -> None:
    """Leave out what the exporter notes beside a graph, and the size of the vocabulary."""
    graph = model.graph
    graph.ClearField("value_info")
    for part in (model, graph, *graph.node, *graph.input, *graph.output):
        part.ClearField("metadata_props")
        part.ClearField("doc_string")
    for output in graph.output:
        for dimension in output.type.tensor_type.shape.dim:
            if dimension.dim_value == vocabulary:
                dimension.dim_param = "V"


if __name__ == "__main__":
    for name in (*FIREFOX, "bundled"):
        make(Path(sys.argv[1]) / name, name)
