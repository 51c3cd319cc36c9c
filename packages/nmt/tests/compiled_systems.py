"""A compiled system whose graphs are the traced modules themselves, run by PyTorch: search over
compiled steps without the time that an exporter takes."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import torch

from docmt_nmt.compiling.graphs import Graphs
from docmt_nmt.decoding.compiled_system import CompiledSystem
from docmt_nmt.decoding.tables import Table
from docmt_nmt.runs.compiled_files import FORMAT, Manifest


class _Session:
    def __init__(self, module: torch.nn.Module, inputs: dict[str, Any], outputs: Sequence[str]):
        self._module = module
        self._inputs = [SimpleNamespace(name=n, shape=list(x.shape)) for n, x in inputs.items()]
        self._outputs = [SimpleNamespace(name=name) for name in outputs]

    def get_inputs(self) -> list[SimpleNamespace]:
        return self._inputs

    def get_outputs(self) -> list[SimpleNamespace]:
        return self._outputs

    def run(self, names: Sequence[str], inputs: dict[str, Any]) -> list[Any]:
        with torch.inference_mode():
            tensors = {name: torch.from_numpy(array.copy()) for name, array in inputs.items()}
            found = self._module(tensors)
        return [found[name].numpy().copy() for name in names]


def traced_only(system: Any, aligning: Sequence[int] = ()) -> CompiledSystem:
    """The system as if it were compiled."""
    graphs = Graphs(system, aligning)
    encoder, step = graphs.encoder_part(), graphs.decoder_part()
    manifest = Manifest(
        format=FORMAT, precision="fp32", system="", weights="", text="", files={}, versions={},
        opset=0, count_from=system.count_positions, max_positions=None,
        alignment=tuple(graphs.aligning), checked_sentences=0,
    )  # fmt: skip
    tables = [
        Table(embedding.table.weight.detach().numpy())
        for embedding in (system.source_embedding, system.target_embedding)
    ]
    return CompiledSystem(
        manifest,
        _Session(encoder.module, encoder.inputs, encoder.outputs),
        _Session(step.module, step.inputs, step.outputs),
        *tables,
    )
