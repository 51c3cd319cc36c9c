"""A graph with the products of linear layers in eight bits.

Weights are rounded once, inputs in each call, and no row of inputs depends on another: with the
usual scale for a whole tensor of inputs, the translation of a sentence would depend on the other
sentences of the batch. Two forms:

- `ByRows`, for many rows, as in an encoder: integer products with a scale for each row of inputs
  and for each output, as in `docmt_nmt.nn.quantization`. Inputs from a rectifier have all 256
  codes.
- `ByBlocks`, for few rows, as in a step of search: one operator of ONNX Runtime, `MatMulNBits`,
  with a scale for each block of inputs. It takes half the time for one row, and more for sixteen.

Shapes: N rows, K inputs, M outputs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from docmt_nmt.runs.weight_codes import BLOCK, ZERO_CODE, codes_by_blocks, codes_by_rows

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

_SMALLEST = 1e-30

_DOMAIN = "com.microsoft"
"""The operators that ONNX Runtime has beside those of ONNX."""


class _Form(ABC):
    """Replaces the products with weights in a graph, in place."""

    def __init__(self, model: ModelProto) -> None:
        self._model = model
        self._weights = {each.name: each for each in model.graph.initializer}
        self._nodes: list[NodeProto] = []

    def apply(self) -> ModelProto:
        """Replace all linear layers.

        Returns:
            The same graph.
        """
        from onnx import helper, numpy_helper

        self._model.opset_import.append(helper.make_opsetid(_DOMAIN, 1))
        graph = self._model.graph
        for node in graph.node:
            if node.op_type != "Gemm" or node.input[1] not in self._weights:
                self._nodes.append(node)
                continue
            weight = numpy_helper.to_array(self._weights[node.input[1]])
            is_transposed = any(each.name == "transB" and each.i for each in node.attribute)
            bias = [name for name in node.input[2:] if name]
            self.product(node, weight if is_transposed else weight.T, bias)
        del graph.node[:]
        graph.node.extend(self._nodes)
        used = {name for node in graph.node for name in node.input}
        kept = [each for each in graph.initializer if each.name in used]
        del graph.initializer[:]
        graph.initializer.extend(kept)
        return self._model

    @abstractmethod
    def product(self, node: NodeProto, weight: NDArray[np.float32], bias: list[str]) -> None:
        """Add the operators of a linear layer, y = x Wᵀ + b.

        Args:
            node: the layer.
            weight: W, (M, K).
            bias: the name of b, if there is one.
        """

    def add(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> None:
        """Add an operator."""
        from onnx import helper

        self._nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))

    def constant(self, name: str, values: NDArray[Any] | np.generic) -> str:
        """Add a constant, unless there is one of this name: the name."""
        from onnx import numpy_helper

        if name not in self._weights:
            self._weights[name] = made = numpy_helper.from_array(np.asarray(values), name)
            self._model.graph.initializer.append(made)
        return name


class ByRows(_Form):
    """Products with a scale for each row of inputs and each output.

    Args:
        code_limit: the largest magnitude of the code of a weight.
    """

    def __init__(self, model: ModelProto, code_limit: int) -> None:
        super().__init__(model)
        self._limit = code_limit
        self._rounded: dict[str, tuple[str, str, str]] = {}
        self._positive = {n.output[0] for n in model.graph.node if n.op_type == "Relu"}

    def product(self, node: NodeProto, weight: NDArray[np.float32], bias: list[str]) -> None:
        codes, scales = codes_by_rows(weight, self._limit)
        name, out = node.output[0], f"{node.output[0]}.eight_bits"
        codes_of_inputs, steps, zero = self._input_codes(node.input[0])
        inputs = [
            codes_of_inputs,
            self.constant(f"{node.input[1]}.codes", codes),
            self.constant("eight_bits.one", np.float32(1)),
            self.constant(f"{node.input[1]}.scales", scales),
            zero,
        ]
        # The operator takes one scale for all inputs, so the scales of rows follow.
        self.add("MatMulIntegerToFloat", inputs, f"{out}.unscaled", domain=_DOMAIN)
        self.add("Mul", [f"{out}.unscaled", steps], f"{out}.scaled" if bias else name)
        if bias:
            self.add("Add", [f"{out}.scaled", bias[0]], name)

    def _input_codes(self, name: str) -> tuple[str, str, str]:
        """The codes of an input, (N, K), the scale of each row, (N, 1), and the code of zero."""
        if name not in self._rounded:
            out = f"{name}.rounded"
            axis = self.constant("eight_bits.axis", np.array([-1], np.int64))
            smallest = self.constant("eight_bits.smallest", np.float32(_SMALLEST))
            if name in self._positive:
                magnitudes, kind, zero_code = name, "positive", 0
            else:
                magnitudes, kind, zero_code = f"{out}.magnitudes", "signed", ZERO_CODE
                self.add("Abs", [name], magnitudes)
            largest_code = np.float32(255 - zero_code)
            code = self.constant(f"eight_bits.{kind}.code", 1 / largest_code)
            zero = self.constant(f"eight_bits.{kind}.zero", np.uint8(zero_code))
            self.add("ReduceMax", [magnitudes, axis], f"{out}.maxima", keepdims=1)
            self.add("Max", [f"{out}.maxima", smallest], f"{out}.largest")
            self.add("Mul", [f"{out}.largest", code], f"{out}.steps")
            self.add("Squeeze", [f"{out}.steps", axis], f"{out}.scales")
            self.add("Shape", [f"{out}.scales"], f"{out}.rows")
            self.add("Expand", [zero, f"{out}.rows"], f"{out}.zeros")
            inputs = [name, f"{out}.scales", f"{out}.zeros"]
            # With signed codes, ONNX Runtime 1.32 takes twenty times as long.
            self.add("QuantizeLinear", inputs, f"{out}.codes", axis=0)
            self._rounded[name] = f"{out}.codes", f"{out}.steps", zero
        return self._rounded[name]


class ByBlocks(_Form):
    """Products with a scale for each block of inputs, of a row as of an output."""

    def product(self, node: NodeProto, weight: NDArray[np.float32], bias: list[str]) -> None:
        outputs, inputs = weight.shape
        codes, scales = codes_by_blocks(weight)
        names = [
            self.constant(f"{node.input[1]}.codes", codes),
            self.constant(f"{node.input[1]}.scales", scales),
        ]
        self.add(
            "MatMulNBits",
            [node.input[0], *names, *(["", "", bias[0]] if bias else [])],
            node.output[0],
            domain=_DOMAIN,
            K=inputs,
            N=outputs,
            bits=8,
            block_size=BLOCK,
            accuracy_level=4,  # Inputs are rounded to eight bits, too.
        )
