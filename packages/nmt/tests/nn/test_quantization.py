"""Systems in bf16 and int8, and linear layers with prepacked weights: by the operators that the
processor has, and by their fallbacks everywhere."""

import copy
import pickle

import pytest
import torch

from cases import (
    CASES,
    SIZE,
    SPECIAL_TOKENS,
    batch,
    documents,
    make,
    one_of_each_system,
    transformer,
)
from docmt_nmt.data.collate import collate_source
from docmt_nmt.decoding import search
from docmt_nmt.nn import Embedding, SelfAttention, in_precision, prepack_weights, private_ops
from docmt_nmt.nn.quantization import PrepackedLinear, QuantizedLinear
from docmt_nmt.nn.views import Positions

SHAPES = ([4, 1, 7], [2], [9, 3, 3, 5])


@pytest.fixture
def no_operators(monkeypatch):
    """A processor or a PyTorch on which every probe fails."""
    monkeypatch.setattr(private_ops, "can_prepack", lambda _: False)
    monkeypatch.setattr(private_ops, "largest_weight_code", lambda: None)


@pytest.fixture(params=["as probed", "fallback"])
def operators(request):
    """What the processor has, then nothing but fallbacks."""
    if request.param == "fallback":
        request.getfixturevalue("no_operators")


each_system = one_of_each_system(CASES)


@pytest.fixture
def needs_prepacking():
    if not private_ops.can_prepack(torch.float32):
        pytest.skip("oneDNN does not prepack weights on this processor")


@pytest.mark.by_default(7)
@pytest.mark.parametrize("precision", [pytest.param("bf16", marks=pytest.mark.slow), "int8"])
@torch.no_grad()
def test_logits_stay_close(settings, precision):
    system, packed = make(settings), batch(*documents(*SHAPES))
    expected = system(packed)
    found = in_precision(system, precision)(packed).float()
    # Rounding adds up with every linear layer that states run through.
    assert (found - expected).norm() < 0.06 * expected.norm()
    assert torch.equal(system(packed), expected), "the system itself is left as it was"


@pytest.mark.by_default(10)
@pytest.mark.parametrize(
    "precision", ["fp32", pytest.param("bf16", marks=pytest.mark.slow), "int8"]
)
@torch.no_grad()
def test_prepacking_does_not_change_logits(settings, precision):
    packed = batch(*documents(*SHAPES))
    system = in_precision(make(settings), precision)
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    expected = system(packed).float()
    found = prepack_weights(system)(packed).float()
    if precision == "int8" or private_ops.can_prepack(dtype):
        assert not any(type(module) is torch.nn.Linear for module in system.modules())
    assert (found - expected).norm() <= (1e-5 if precision == "fp32" else 0.02) * expected.norm()


@pytest.mark.usefixtures("no_operators")
@pytest.mark.parametrize("name", ["transformer", "long-short"])
def test_without_the_operators_of_a_processor_it_computes_the_same(name):
    test_logits_stay_close(CASES[name], "int8")
    test_prepacking_does_not_change_logits(CASES[name], "fp32")
    test_prepacking_does_not_change_logits(CASES[name], "int8")


@pytest.mark.by_default(7)
@pytest.mark.parametrize("precision", [pytest.param("bf16", marks=pytest.mark.slow), "int8"])
def test_a_document_is_translated_whole_in_every_precision(settings, precision):
    system = in_precision(make(settings), precision)
    source = collate_source(documents([4, 1], [2], [3, 5]), SPECIAL_TOKENS)
    longest = torch.full((len(source.sentences),), 3)
    found = search(system, source, SPECIAL_TOKENS, beam_size=2, max_lengths=longest, banned=[1])
    assert [len(hypotheses[0].sentences) for hypotheses in found] == [2, 1, 2]


@pytest.mark.parametrize("precision", ["bf16", "int8"])
def test_a_system_can_be_trained_after_a_copy_in_another_precision(precision):
    system = make(transformer())
    other = in_precision(system, precision)
    system(batch(*documents(*SHAPES))).sum().backward()
    assert all(parameter.grad is not None for parameter in system.parameters())
    assert not any(parameter.requires_grad for parameter in other.parameters())
    assert not {id(p) for p in system.parameters()} & {id(p) for p in other.parameters()}


@pytest.mark.usefixtures("operators")
@torch.no_grad()
def test_a_prepacked_system_can_be_copied_pickled_and_put_in_another_precision():
    packed = batch(*documents(*SHAPES))
    system = prepack_weights(make(transformer(share_output=False)))
    expected = system(packed)
    copies = copy.deepcopy(system), pickle.loads(pickle.dumps(system))
    for other in copies:
        torch.testing.assert_close(other(packed), expected)
    found = in_precision(system, "bf16")(packed).float()
    assert (found - expected).norm() < 0.05 * expected.norm()
    assert system.output_weight.shape == (expected.shape[1], SIZE["d_model"])


@pytest.mark.usefixtures("needs_prepacking")
def test_a_linear_layer_with_two_names_is_prepacked_under_both():
    module = torch.nn.Module()
    module.one = module.other = torch.nn.Linear(4, 4)
    prepack_weights(module)
    assert isinstance(module.one, PrepackedLinear)
    assert module.one is module.other


@pytest.mark.usefixtures("needs_prepacking")
@torch.no_grad()
def test_a_table_that_computes_no_logits_is_not_prepacked():
    system = prepack_weights(make(transformer(share_embeddings=False)))
    system(batch(*documents(*SHAPES)))
    assert system.source_embedding.output_projection.linear is None
    assert isinstance(system.target_embedding.output_projection.linear, PrepackedLinear)


@pytest.mark.usefixtures("no_operators")
def test_without_the_operators_linear_layers_stay_plain():
    module = torch.nn.Sequential(torch.nn.Linear(4, 4))
    assert type(prepack_weights(module)[0]) is torch.nn.Linear


@pytest.mark.usefixtures("operators")
@pytest.mark.parametrize("spread", ["normal", "outliers"])
@torch.no_grad()
def test_what_eight_bits_make_of_a_row_does_not_depend_on_the_others(spread):
    torch.manual_seed(0)
    linear = torch.nn.Linear(64, 48)
    quantized = QuantizedLinear(linear.weight, linear.bias)
    x = torch.randn(7, 64) * torch.tensor([0.0, 1e-3, 1, 1, 1, 10, 1e4])[:, None]
    if spread == "outliers":  # many inputs at their largest code: products saturate 16 bits
        x = x.sign() * x.abs().amax(1, keepdim=True)
    together = quantized(x)
    for row in range(7):
        assert torch.equal(quantized(x[row : row + 1])[0], together[row])
    error = (together - linear(x)).norm(dim=1) / linear(x).norm(dim=1)
    assert error.max() < 0.02


@torch.no_grad()
def test_positions_stay_distinct_in_bf16():
    embedding = Embedding(4, 32)
    tokens, positions = (
        torch.zeros(2, dtype=torch.long),
        Positions(torch.tensor([5000, 5001]), 5002),
    )
    expected = embedding(tokens, positions)
    found = in_precision(embedding, "bf16")(tokens, positions)
    assert found.dtype == torch.bfloat16
    assert not torch.equal(found[0], found[1])
    torch.testing.assert_close(found.float(), expected, atol=0.02, rtol=0.02)


@pytest.mark.usefixtures("needs_prepacking")
@torch.no_grad()
def test_self_attention_computes_queries_keys_and_values_at_once():
    torch.manual_seed(0)
    own, x = SelfAttention(16, 2, "group"), torch.randn(5, 16)
    attention = own.attention
    torch.nn.init.normal_(attention.key.bias)
    expected = attention.queries(x), *attention.keys_and_values(x)
    prepack_weights(own)
    assert attention.joined.weight.shape == (3 * 16, 16)
    for attention in (own.attention, copy.deepcopy(own).attention):
        one_by_one = attention.queries(x), *attention.keys_and_values(x)
        for found in (attention.queries_keys_values(x), one_by_one):
            torch.testing.assert_close(found, expected)
