"""Linear layers in eight bits: close to those in fp32, and no row depends on another."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from docmt_nmt.compiling.eight_bits import ByBlocks, ByRows
from docmt_nmt.runs.weight_codes import row_codes

onnx = pytest.importorskip("onnx", reason="compiling needs onnx")
onnxruntime = pytest.importorskip("onnxruntime", reason="compiled runs need onnxruntime")

FORMS = {"rows": lambda model: ByRows(model, 127), "blocks": ByBlocks}


def layers(weights, biases, form):
    """A session of y = W₂ relu(W₁ x + b₁) + b₂, with the products in a form."""
    from onnx import TensorProto, helper, numpy_helper

    tensors = {"w1": weights[0], "w2": weights[1], "b1": biases[0], "b2": biases[1]}
    graph = helper.make_graph(
        [
            helper.make_node("Gemm", ["x", "w1", "b1"], ["inner"], transB=1),
            helper.make_node("Relu", ["inner"], ["positive"]),
            helper.make_node("Gemm", ["positive", "w2", "b2"], ["y"], transB=1),
        ],
        "layers",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", weights[0].shape[1]])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", weights[1].shape[0]])],
        [numpy_helper.from_array(array, name) for name, array in tensors.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    content = FORMS[form](model).apply().SerializeToString()
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def of_size(inputs, inner, form):
    random = np.random.default_rng(5)
    shapes = (inner, inputs), (inputs, inner)
    weights = [random.standard_normal(shape, np.float32) / shape[1] ** 0.5 for shape in shapes]
    biases = [random.standard_normal(shape[0], np.float32) for shape in shapes]
    x = random.standard_normal((70, inputs), np.float32)
    (found,) = (session := layers(weights, biases, form)).run(None, {"x": x})
    expected = np.maximum(x @ weights[0].T + biases[0], 0) @ weights[1].T + biases[1]
    return session, x, found, expected


# The sizes of Firefox's models and of OPUS-MT's, and one that is no multiple of a block.
@pytest.mark.parametrize("sizes", [(256, 1536), (512, 2048), (72, 100)])
@pytest.mark.parametrize("form", FORMS)
def test_a_row_is_the_same_alone_and_among_others(sizes, form):
    session, x, together, _ = of_size(*sizes, form)
    for first, end in ((0, 1), (3, 4), (5, 8), (10, 26), (0, 33)):
        (some,) = session.run(None, {"x": x[first:end]})
        assert np.array_equal(some, together[first:end])


@pytest.mark.parametrize("form", FORMS)
def test_products_are_close_to_those_in_fp32(form):
    _, _, found, expected = of_size(256, 1536, form)
    error = np.linalg.norm(found - expected, axis=1) / np.linalg.norm(expected, axis=1)
    assert error.max() < 0.015


def test_rows_of_zeros_give_the_bias():
    session, x, _, _ = of_size(72, 100, "rows")
    (found,) = session.run(None, {"x": np.zeros_like(x[:2])})
    assert np.isfinite(found).all()


@given(
    arrays(np.int8, (4, 6), elements=st.integers(-127, 127)), st.floats(2.0**-20, 2.0**10, width=32)
)
def test_weights_that_were_rounded_before_are_not_rounded_again(codes, scale):
    codes[0, 0] = 127
    table = codes.astype(np.float32) * np.float32(scale)
    found, scales = row_codes(table)
    assert np.array_equal(found, codes)
    assert found * scales[:, None] == pytest.approx(table, rel=1e-6)


@given(
    arrays(np.float32, (4, 6), elements=st.floats(-1e3, 1e3, width=32)), st.sampled_from([63, 127])
)
def test_a_weight_is_rounded_by_half_a_code_at_most(table, limit):
    codes, scales = row_codes(table, limit)
    assert np.abs(codes.astype(int)).max() <= limit
    largest = np.abs(table).max(axis=1)
    errors = np.abs(codes * scales[:, None] - table).max(axis=1)
    assert (errors <= 0.502 * largest / limit + np.finfo(np.float32).tiny).all()
