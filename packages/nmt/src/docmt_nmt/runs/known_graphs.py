"""`compile_known`: the compiled form of a run whose system has a known shape, without torch and
without tracing. The graphs come with docmt, and lack only the weights, which are put into them.

known/NAME/shape.json         settings of the system, and the weights that the graphs lack
known/NAME/encoder.onnx.xz    the graphs, made by `benchmarks/make_known_graphs.py`
known/NAME/step.onnx.xz

Known are the three architectures with which Firefox translates, in eight bits, and the bundled
model.
"""

from __future__ import annotations

import lzma
from base64 import b64decode
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from docmt_files.base.errors import InputError
from docmt_files.storage.files import COPY_AGAIN, whole_directory
from docmt_files.storage.json_files import parse_json
from docmt_nmt.base.settings import Settings
from docmt_nmt.runs.attention_choice import aligning_layers
from docmt_nmt.runs.compiled_files import CompiledPrecision, compiled_folder, keep_recipe
from docmt_nmt.runs.compiled_forms import manifest_of, sealed, write_table
from docmt_nmt.runs.graph_bytes import with_node, with_weight
from docmt_nmt.runs.trained_run import TrainedRun
from docmt_nmt.runs.weight_arrays import read_weight_arrays
from docmt_nmt.runs.weight_codes import codes_by_blocks, codes_by_rows, multiplies_bytes_exactly
from docmt_nmt.text import SIDES

SHAPE, WEIGHTS, OUTPUT = "shape.json", "system.", "N"
"""The file of a shape, the beginning of the name of a weight in a graph, and the attribute with the
size of the vocabulary."""

Form = Literal["plain", "rows", "blocks"]
"""The form of a weight in a graph; see `docmt_nmt.runs.weight_codes`."""

_HALF_CODES = 63
"""The largest code of a weight on processors that saturate pairs of products."""


class KnownShape(Settings):
    """Graphs without weights, and what they lack."""

    precision: CompiledPrecision
    """Number format of the products."""

    system: dict[str, Any]
    """The settings of a system that change its graphs, where they differ from the defaults."""

    defaults: dict[str, Any]
    """The other settings that change graphs, which a recipe may leave out."""

    opset: int
    """Version of the operators."""

    count_from: Literal["instance", "sentence"]
    """Beginning of the count of positions."""

    alignment: tuple[str, ...]
    """The attentions whose weights a step can put out."""

    weights: dict[str, dict[str, Form]]
    """For each graph the weights, by name, and the form of each."""

    output: dict[str, str]
    """For a graph, the output layer without the size of the vocabulary, in base64."""

    def fits(self, system: Mapping[str, Any], aligning: list[int]) -> bool:
        """Return whether a system of these settings and aligning layers has the graphs."""
        names = tuple(f"decoder.{n}.cross_attention.sublayer.attention" for n in aligning)
        return (
            all(system.get(key) == value for key, value in self.system.items())
            and all(system.get(key, value) == value for key, value in self.defaults.items())
            and self.alignment == names
        )


@cache
def _shapes() -> dict[Path, KnownShape]:
    """The known shapes by folder."""
    root = Path(str(files("docmt_nmt.runs"))) / "known"
    found = sorted(root.glob(f"*/{SHAPE}"))
    return {
        path.parent: KnownShape.read(parse_json(path.read_text("utf-8")), path=path)
        for path in found
    }


def known_shape(run: TrainedRun, precision: CompiledPrecision | None = None) -> Path | None:
    """The folder of the graphs that a run can have; None if the shape is not known.

    Args:
        precision: the number format; None takes any.
    """
    system = run.recipe.system
    values = system if isinstance(system, dict) else system.model_dump(mode="json")
    aligning = aligning_layers(run, int(values.get("decoder_layers") or values.get("layers") or 0))
    for folder, shape in _shapes().items():
        if precision in (None, shape.precision) and shape.fits(values, aligning):
            return folder
    return None


def compile_known(run: TrainedRun, known: Path) -> Path:
    """Make the compiled form of a run from graphs that come with docmt.

    Args:
        run: the run, on a disk that can be written.
        known: the folder from `known_shape`.

    Returns:
        The folder of the compiled form, which replaces an earlier one.

    Raises:
        InputError: a weight is missing, or the run cannot be read or written.
    """
    shape = _shapes()[known]
    folder = compiled_folder(run.directory, shape.precision)
    weights = read_weight_arrays(run.weights)
    limit = 127 if multiplies_bytes_exactly() else _HALF_CODES
    with whole_directory(folder) as part:
        for name in shape.weights:
            content = b"".join(_graph(known, name, shape, weights, limit, run.weights))
            (part / f"{name}.onnx").write_bytes(content)
        eight_bits = shape.precision == "int8"
        source, target = (weights[f"{side}_embedding.table.weight"] for side in SIDES)
        write_table(part, "source", source, eight_bits=eight_bits)
        if source is not target:
            write_table(part, "target", target, eight_bits=eight_bits)
        manifest = manifest_of(
            run,
            precision=shape.precision,
            weight_code_limit=limit if eight_bits else None,
            opset=shape.opset,
            count_from=shape.count_from,
            alignment=shape.alignment,
            checked_sentences=0,
        )
        sealed(part, manifest)
    keep_recipe(run.directory)
    return folder


def _graph(
    known: Path,
    name: str,
    shape: KnownShape,
    weights: Mapping[str, NDArray[np.float32]],
    limit: int,
    path: Path,
) -> Iterator[bytes]:
    """The bytes of a graph with weights."""
    yield lzma.decompress((known / f"{name}.onnx.xz").read_bytes())
    for weight, form in shape.weights[name].items():
        if weight not in weights:
            raise InputError(f"lacks the weight {weight}", path=path, cure=COPY_AGAIN)
        array = weights[weight]
        if form == "plain":
            yield with_weight(WEIGHTS + weight, array)
            continue
        codes, scales = codes_by_rows(array, limit) if form == "rows" else codes_by_blocks(array)
        yield with_weight(f"{WEIGHTS}{weight}.codes", codes)
        yield with_weight(f"{WEIGHTS}{weight}.scales", scales)
    if name in shape.output:
        size = len(weights["target_embedding.table.weight"])
        yield with_node(b64decode(shape.output[name]), [(OUTPUT, size)])
