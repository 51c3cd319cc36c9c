"""The dense reference computes what docmt computes."""

import pytest
import torch

from cases import batch, documents, g_transformer, make
from docmt_nmt.training.loss import Loss


@pytest.mark.usefixtures("benchmark")
def test_the_reference_has_the_same_loss_and_gradient():
    from dense import dense_loss

    packed = batch(*documents([4, 1, 7], [2], [9, 3]))
    system = make(g_transformer())
    parameters = list(system.parameters())
    found = Loss(system, 0.1)(packed)
    loss = found.loss / found.labels
    expected = dense_loss(system, packed, 0.1)
    torch.testing.assert_close(loss, expected)
    gradients, references = (torch.autograd.grad(x, parameters) for x in (loss, expected))
    torch.testing.assert_close(gradients, references, atol=1e-5, rtol=1e-4)
