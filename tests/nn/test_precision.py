import pytest
import torch

from cases import MARKS, batch, documents, every_system, make, transformer
from docmt.batches import pack_source
from docmt.decoding import search
from docmt.nn import Embedding, in_precision
from docmt.nn.precision import PackedLinear, QuantisedLinear

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
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("rows", [0, 1, 33])
def test_packed_weights_are_the_same_map(precision, rows):
    torch.manual_seed(0)
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    linear = torch.nn.Linear(64, 48)
    x = torch.randn(64, rows).t()
    for bias in (linear.bias, None):
        packed = PackedLinear(linear.weight, bias, precision=precision)(x.to(dtype))
        expected = torch.nn.functional.linear(x, linear.weight, bias)
        assert packed.dtype == dtype
        tolerance = 1e-5 if dtype == torch.float32 else 0.02
        torch.testing.assert_close(packed.float(), expected, atol=tolerance, rtol=tolerance)


@every_system
@torch.no_grad()
def test_packing_leaves_all_that_is_computed_as_it_was(settings):
    system, packed = make(settings), batch(*documents(*SHAPES))
    learnable = [parameter.requires_grad for parameter in system.parameters()]
    expected = system(packed)
    torch.testing.assert_close(in_precision(system, "fp32")(packed), expected)
    assert [parameter.requires_grad for parameter in system.parameters()] == learnable


@pytest.mark.parametrize("precision", ["fp32", "bf16", "int8"])
def test_what_is_made_for_a_format_is_taken_as_it_is_and_for_no_other(precision):
    made = in_precision(make(transformer()), precision)
    assert in_precision(made, precision) is made
    other = "bf16" if precision == "fp32" else "fp32"
    with pytest.raises(ValueError, match=f"made for {precision}"):
        in_precision(made, other)


@torch.no_grad()
def test_without_a_faster_way_the_system_itself_translates(monkeypatch):
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    embedding = Embedding(4, 32)
    assert in_precision(embedding, "fp32") is embedding
    assert in_precision(embedding, "bf16").scorer is None


@torch.no_grad()
def test_what_eight_bits_make_of_a_row_does_not_depend_on_the_others():
    torch.manual_seed(0)
    linear = torch.nn.Linear(64, 48)
    quantised = QuantisedLinear(linear.weight, linear.bias)
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
    source = pack_source(documents(*SHAPES), MARKS)
    longest = torch.full((len(source.sentences),), 6)
    found = search(system, source, MARKS, beam=3, longest=longest, banned=[1])
    assert [len(hypotheses[0].sentences) for hypotheses in found] == [3, 1, 4]
