import copy
import pickle

import pytest
import torch

from cases import SIZE, SPECIAL_TOKENS, batch, documents, every_system, make, transformer
from docmt.data import collate_source
from docmt.decoding import search
from docmt.nn import Embedding, in_precision, pack
from docmt.nn.quantization import PackedLinear, QuantizedLinear

SHAPES = ([4, 1, 7], [2], [9, 3, 3, 5])


@every_system
@pytest.mark.parametrize(("precision", "error"), [("bf16", 0.05), ("int8", 0.05)])
@torch.no_grad()
def test_logits_stay_close(settings, precision, error):
    system, packed = make(settings), batch(*documents(*SHAPES))
    expected = system(packed)
    found = in_precision(system, precision)(packed).float()
    assert (found - expected).norm() < error * expected.norm()
    assert torch.equal(system(packed), expected), "the system itself is left as it was"


@torch.no_grad()
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("rows", [0, 1, 33])
def test_packed_weights_are_the_same_map(dtype, rows):
    torch.manual_seed(0)
    linear = torch.nn.Linear(64, 48).to(dtype)
    x = torch.randn(64, rows).t().to(dtype)
    tolerance = 1e-5 if dtype == torch.float32 else 0.02
    for bias in (linear.bias, None):
        packed = PackedLinear(linear.weight, bias)
        expected = torch.nn.functional.linear(x, linear.weight, bias)
        torch.testing.assert_close(packed(x), expected, atol=tolerance, rtol=tolerance)
        assert torch.equal(packed.weight, linear.weight)


@every_system
@pytest.mark.parametrize("precision", ["fp32", "bf16", "int8"])
@torch.no_grad()
def test_packing_leaves_all_that_is_computed_as_it_was(settings, precision):
    packed = batch(*documents(*SHAPES))
    system = in_precision(make(settings), precision)
    expected = system(packed).float()
    found = pack(system)(packed).float()
    assert not any(type(part) is torch.nn.Linear for part in system.modules())
    assert (found - expected).norm() <= (1e-5 if precision == "fp32" else 0.02) * expected.norm()


@pytest.mark.parametrize("precision", ["bf16", "int8"])
def test_a_system_of_which_a_copy_is_made_goes_on_learning(precision):
    system = make(transformer())
    other = in_precision(system, precision)
    system(batch(*documents(*SHAPES))).sum().backward()
    assert all(parameter.grad is not None for parameter in system.parameters())
    assert not any(parameter.requires_grad for parameter in other.parameters())
    assert not {id(p) for p in system.parameters()} & {id(p) for p in other.parameters()}


@torch.no_grad()
def test_a_packed_system_can_be_copied_pickled_and_put_in_another_precision():
    packed = batch(*documents(*SHAPES))
    system = pack(make(transformer(share_output=False)))
    expected = system(packed)
    copies = copy.deepcopy(system), pickle.loads(pickle.dumps(system))
    for other in copies:
        torch.testing.assert_close(other(packed), expected)
    found = in_precision(system, "bf16")(packed).float()
    assert (found - expected).norm() < 0.05 * expected.norm()
    assert system.output_weight.shape == (expected.shape[1], SIZE["d_model"])


def test_a_linear_map_with_two_names_is_packed_under_both():
    module = torch.nn.Module()
    module.one = module.other = torch.nn.Linear(4, 4)
    pack(module)
    assert isinstance(module.one, PackedLinear)
    assert module.one is module.other


@torch.no_grad()
def test_a_table_that_makes_no_scores_is_not_packed():
    system = pack(make(transformer(share_embeddings=False)))
    system(batch(*documents(*SHAPES)))
    assert system.source_embedding.scorer.made is None
    assert isinstance(system.target_embedding.scorer.made, PackedLinear)


def test_where_packing_is_not_known_the_system_is_left_as_it_is(monkeypatch):
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    linear = torch.nn.Sequential(torch.nn.Linear(4, 4))
    assert type(pack(linear)[0]) is torch.nn.Linear


@torch.no_grad()
def test_what_eight_bits_make_of_a_row_does_not_depend_on_the_others():
    torch.manual_seed(0)
    linear = torch.nn.Linear(64, 48)
    quantised = QuantizedLinear(linear.weight, linear.bias)
    x = torch.randn(7, 64) * torch.tensor([0.0, 1e-3, 1, 1, 1, 10, 1e4])[:, None]
    together = quantised(x)
    for row in range(7):
        assert torch.equal(quantised(x[row : row + 1])[0], together[row])
    error = (together - linear(x)).norm(dim=1) / linear(x).norm(dim=1)
    assert error.max() < 0.02


@torch.no_grad()
def test_sixteen_bits_tell_positions_apart():
    embedding = in_precision(Embedding(4, 32), "bf16")
    far = embedding.waves(torch.tensor([5000, 5001]))
    assert far.dtype == torch.float32
    torch.testing.assert_close(far, Embedding(4, 32).waves(torch.tensor([5000, 5001])))


@every_system
@pytest.mark.parametrize("precision", ["bf16", "int8"])
def test_a_document_is_translated_whole_in_every_precision(settings, precision):
    system = in_precision(make(settings), precision)
    source = collate_source(documents(*SHAPES), SPECIAL_TOKENS)
    longest = torch.full((len(source.sentences),), 6)
    found = search(system, source, SPECIAL_TOKENS, beam_size=3, longest=longest, banned=[1])
    assert [len(hypotheses[0].sentences) for hypotheses in found] == [3, 1, 4]
