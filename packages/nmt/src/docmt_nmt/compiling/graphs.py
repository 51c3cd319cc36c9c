"""Graphs of a system in ONNX, traced from the system's own modules: the encoder, with the keys and
values of all cross-attentions, and the step of search.

A graph takes embeddings, not token ids: the rows of the embedding tables are read from files that
are mapped into memory (`docmt_nmt.decoding.compiled_system`).

Shapes: I instances, padded to L tokens; U units with B hypotheses each; S slots of written tokens.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Collection, Mapping
from contextlib import contextmanager, redirect_stdout
from copy import deepcopy
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, nn

from docmt_files.base.errors import InputError
from docmt_nmt.nn.attention import MultiHeadAttention
from docmt_nmt.nn.traced_view import NotTraceableError, TracedSource, TracedStep, give_names
from docmt_nmt.systems import EncoderDecoder, System

if TYPE_CHECKING:
    from collections.abc import Iterator

    from onnx import ModelProto

OPSET = 20
"""The version of the operators in a graph."""

_SIZES = {"I": 2, "U": 2, "B": 3, "L": 5, "S": 7, "T": 11}
"""Sizes of the example. All but I and U differ, so no dimension is taken for another."""


class Graphs:
    """Traces the graphs of a system.

    Args:
        system: a system in fp32 with plain layers, which stays as it is.
        aligning: the decoder layers whose cross-attention weights are outputs of the step.

    Raises:
        InputError: the system cannot be traced; the message names the reason.
    """

    def __init__(self, system: System, aligning: Collection[int] = ()) -> None:
        check_traceable(system)
        copied = deepcopy(system).eval().requires_grad_(False)
        assert isinstance(copied, EncoderDecoder)
        self.system: EncoderDecoder = copied
        give_names(self.system)
        tables: dict[nn.Module, nn.Module] = {}
        for embedding in (self.system.source_embedding, self.system.target_embedding):
            table = embedding.table
            embedding._modules["table"] = tables.setdefault(table, _GivenRows(table.weight))
        self.aligning = [f"decoder.{n}.cross_attention.sublayer.attention" for n in aligning]
        self._inputs: dict[str, Tensor] = _Examples(self.system)
        try:
            with torch.inference_mode():
                self._step_outputs = list(_Step(self.system, self.aligning)(self._inputs))
        except NotTraceableError as error:
            raise _refusal(type(system), str(error)) from None
        self._inputs = {name: tensor.clone() for name, tensor in self._inputs.items()}

    def encoder(self) -> ModelProto:
        """The graph of the encoder: from `embedded`, (I, L, d), `positions` and `sentences`,
        (I, L), to the inputs `source.keys.NAME` and `source.values.NAME` of the step."""
        return _exported(self.encoder_part())

    def step(self) -> ModelProto:
        """The graph of a step; inputs and outputs as of `TracedStep`, with `embedded`, (U, B, d),
        `log_probabilities`, (U · B, V), and `states`, (U · B, d), before the output layer."""
        return _exported(self.decoder_part())

    def encoder_part(self) -> Part:
        """The module of `encoder`."""
        size, width = (_SIZES["I"], _SIZES["L"]), self.system.source_embedding.table.embedding_dim
        inputs = {
            "embedded": torch.randn(*size, width),
            "positions": torch.arange(size[1]).repeat(size[0], 1),
            "sentences": torch.tensor([[0, 0, 1, 1, 1], [0, 0, 0, -1, -1]]),
        }
        names = [name.split(".", 2)[2] for name in self._inputs if name.startswith("source.keys.")]
        outputs = [f"source.{part}.{name}" for name in names for part in ("keys", "values")]
        shapes = {name: {0: "I", 1: "L"} for name in inputs}
        return Part(_Encoder(self.system, names), inputs, shapes, outputs)

    def decoder_part(self) -> Part:
        """The module of `step`."""
        shapes = {name: _dynamic(name) for name in self._inputs}
        module = _Step(self.system, self.aligning)
        return Part(module, self._inputs, shapes, self._step_outputs)


class Part(NamedTuple):
    """A module to trace.

    Attributes:
        module: called with tensors by name, it gives tensors by name.
        inputs: example inputs.
        shapes: for each input the dimensions that differ from call to call, with their names.
        outputs: the names of the outputs.
    """

    module: nn.Module
    inputs: dict[str, Tensor]
    shapes: dict[str, dict[int, str]]
    outputs: list[str]


def check_traceable(system: System) -> None:
    """Check that the encoder and the decoder of a system can be traced.

    Raises:
        InputError: they cannot.
    """
    if not isinstance(system, EncoderDecoder):
        raise _refusal(type(system), "modules that are not an encoder and a decoder of layers")
    own = EncoderDecoder.encode, EncoderDecoder.decode, System.step
    if (type(system).encode, type(system).decode, type(system).step) != own:
        raise _refusal(type(system), "more than the layers of an encoder and a decoder")
    if not system.writing_order.in_one_pass or system.draft_system is not None:
        raise _refusal(type(system), "translations of other sentences")


def check_listable(system: EncoderDecoder) -> None:
    """Check that the scores of a system can be computed for some words alone.

    Raises:
        InputError: they cannot.
    """
    if type(system).scores is not EncoderDecoder.scores:
        name = type(system).settings_class.model_fields["name"].default
        raise InputError(
            f"the words of a {name} are not scored one by one, as a shortlist needs",
            cure="Compile the run without a shortlist",
        )


def _refusal(kind: type[System], reads: str) -> InputError:
    name = kind.settings_class.model_fields["name"].default
    return InputError(
        f"a {name} cannot be compiled, because a step reads {reads}",
        cure="Translate with the run as it is: without a compiled step, PyTorch computes",
    )


class _GivenRows(nn.Module):
    """An embedding table in a graph, called with the rows in place of token ids."""

    def __init__(self, weight: Tensor) -> None:
        super().__init__()
        self.weight, self.embedding_dim = weight, weight.shape[1]

    def forward(self, rows: Tensor) -> Tensor:
        return rows


class _Encoder(nn.Module):
    """The encoder, and the keys and values of cross-attentions of these names."""

    def __init__(self, system: EncoderDecoder, names: Collection[str]) -> None:
        super().__init__()
        self.system, self.names = system, names

    def forward(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        embedded = inputs["embedded"]
        view = TracedSource(inputs["positions"], inputs["sentences"])
        states = self.system.encode_tokens(embedded.flatten(0, 1), view)
        outputs = {}
        for name in self.names:
            attention = self.system.get_submodule(name)
            assert isinstance(attention, MultiHeadAttention)
            for part, y in zip(("keys", "values"), attention.keys_and_values(states), strict=True):
                by_instance = y.view(*embedded.shape[:2], *y.shape[1:])
                outputs[f"source.{part}.{name}"] = by_instance.transpose(1, 2)  # (I, H, L, D)
        return outputs


class _Step(nn.Module):
    """A step, with the outputs of `TracedStep`."""

    def __init__(self, system: System, aligning: Collection[str]) -> None:
        super().__init__()
        self.system, self.aligning = system, aligning

    def forward(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        view = TracedStep(inputs, self.aligning)
        x = self.system.target_states(inputs["embedded"].flatten(0, 1), view)
        scores = self.system.scores(x)
        return {"log_probabilities": scores.log_softmax(1), "states": x, **view.outputs}


def without_scores(step: ModelProto) -> ModelProto:
    """The graph of a step up to `states`, without the output layer and without weights; `states` is
    taken from the outputs of the step as it was."""
    from onnx.utils import Extractor

    outputs = [each.name for each in step.graph.output]
    kept = [n for n in outputs if n != "log_probabilities" and not n.startswith("weights.")]
    part: ModelProto = Extractor(step).extract_model([i.name for i in step.graph.input], kept)
    (states,) = (each for each in step.graph.output if each.name == "states")
    step.graph.output.remove(states)
    return part


def _dynamic(name: str) -> dict[int, str]:
    """The dimensions of an input of the step that differ from call to call."""
    kind, _, rest = name.partition(".")
    if kind in ("embedded", "positions") or kind.startswith("state"):
        return {0: "U", 1: "B"}
    length = {"own_sentence": "S", "own_instance": "T"}.get(kind, "L")
    if rest == "bias":
        return {0: "U", 2: "B", 3: length}
    return {0: "U", 2: length}


class _Examples(dict[str, Tensor]):
    """Inputs of the step, made when a view asks for them, each a tensor of its own: the exporter
    takes inputs with the same tensor for one input."""

    def __init__(self, system: EncoderDecoder) -> None:
        self._system = system
        self._width = system.target_embedding.table.weight.shape[1]
        super().__init__()
        self["embedded"] = self._made("embedded", self._width)
        self["positions"] = torch.arange(6).view(2, 3)

    def __missing__(self, name: str) -> Tensor:
        last: tuple[int, ...] = (self._width,)
        kind, _, rest = name.partition(".")
        if rest == "bias":
            last = ()
        elif not kind.startswith("state"):
            owner = self._system.get_submodule(rest.partition(".")[2])
            assert isinstance(owner, MultiHeadAttention)
            last = owner.heads, self._width // owner.heads
        self[name] = made = self._made(name, *last)
        return made

    @staticmethod
    def _made(name: str, *static: int) -> Tensor:
        """A random tensor: dynamic dimensions at their places, the others as given."""
        dynamic = {at: _SIZES[size] for at, size in _dynamic(name).items()}
        rest = list(static)
        shape = []
        for at in range(len(dynamic) + len(rest) + (name.endswith(".bias"))):
            shape.append(dynamic[at] if at in dynamic else rest.pop(0) if rest else 1)
        return torch.randn(shape)


def _exported(part: Part) -> ModelProto:
    """Trace a module."""
    with _quiet(), torch.inference_mode():
        program: Any = torch.onnx.export(
            part.module,
            kwargs={"inputs": {name: tensor.clone() for name, tensor in part.inputs.items()}},
            dynamo=True,
            opset_version=OPSET,
            dynamic_shapes={"inputs": part.shapes},
            input_names=list(part.inputs),
            output_names=part.outputs,
            optimize=True,
            verbose=False,
        )
    model: ModelProto = program.model_proto
    return model


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the exporter's progress and its advice on its own deprecated parts."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), redirect_stdout(StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
