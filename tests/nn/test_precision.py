import pytest
import torch

from cases import MARKS, batch, documents, every_system, make
from docmt.batches import pack_source
from docmt.decoding import search
from docmt.nn import Embedding, in_precision
from docmt.nn.precision import QuantisedLinear

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
