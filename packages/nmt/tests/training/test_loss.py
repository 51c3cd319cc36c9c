"""The loss against its definition and against PyTorch's own."""

from __future__ import annotations

from math import exp, log

import pytest
import torch
from torch.nn.functional import cross_entropy

from docmt_nmt.nn.batch import IGNORED
from docmt_nmt.training import loss
from docmt_nmt.training.loss import smoothed_cross_entropy


def losses_of(logits, labels, smoothing):
    """The losses where states are logits."""
    return smoothed_cross_entropy(
        logits, torch.eye(logits.shape[1], dtype=logits.dtype), labels, smoothing
    )


def test_the_loss_of_a_vocabulary_of_two_by_hand():
    # p = (1/4, 3/4); the label is the second entry.
    logits = torch.tensor([[0.0, log(3)]])
    found = losses_of(logits, torch.tensor([1]), 0.2)
    expected = -0.8 * log(3 / 4) - 0.1 * (log(1 / 4) + log(3 / 4))
    assert float(found.loss) == pytest.approx(expected)
    assert float(found.nll) == pytest.approx(-log(3 / 4))
    assert int(found.labels) == 1


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
def test_loss_and_gradient_are_those_of_smoothed_cross_entropy(smoothing):
    torch.manual_seed(1)
    labels = torch.tensor([4, IGNORED, 0, 6, IGNORED])
    ours = torch.randn(5, 7, requires_grad=True)
    theirs = ours.detach().clone().requires_grad_()
    found = losses_of(ours, labels, smoothing)
    expected = cross_entropy(
        theirs, labels, ignore_index=IGNORED, reduction="sum", label_smoothing=smoothing
    )
    found.loss.backward()
    expected.backward()
    torch.testing.assert_close(found.loss, expected)
    torch.testing.assert_close(ours.grad, theirs.grad)
    assert int(found.labels) == 3


def test_without_smoothing_the_loss_is_the_nll_and_a_sure_system_has_none():
    found = losses_of(torch.tensor([[50.0, 0.0], [0.0, 50.0]]), torch.tensor([0, 1]), 0.0)
    assert float(found.loss) == float(found.nll) == pytest.approx(2 * exp(-50), abs=1e-6)


def test_labels_that_are_ignored_add_nothing_even_alone():
    logits = torch.randn(3, 5, requires_grad=True)
    found = losses_of(logits, torch.full((3,), IGNORED), 0.1)
    found.loss.backward()
    assert found.loss.item() == found.nll.item() == found.labels.item() == 0
    assert torch.equal(logits.grad, torch.zeros(3, 5))


def test_half_precision_logits_are_summed_in_full_precision():
    logits = torch.randn(4000, 6).to(torch.bfloat16)
    labels = torch.randint(6, (4000,))
    found = losses_of(logits, labels, 0.1)
    assert found.loss.dtype == torch.float32
    expected = cross_entropy(logits.double(), labels, reduction="sum", label_smoothing=0.1)
    assert float(found.loss) == pytest.approx(float(expected), rel=1e-5)


@pytest.mark.parametrize("chunk", [1, 14, 1000])
def test_chunks_of_any_size_give_the_gradients_of_states_weight_and_bias(chunk, monkeypatch):
    monkeypatch.setattr(loss, "MAX_LOGITS", chunk)
    generator = torch.Generator().manual_seed(1)
    labels = torch.tensor([4, IGNORED, 0, 6, IGNORED])
    ours = [torch.randn(n, 3, generator=generator, requires_grad=True) for n in (5, 7)]
    ours.append(torch.randn(7, generator=generator, requires_grad=True))
    theirs = [x.detach().clone().requires_grad_() for x in ours]
    found = smoothed_cross_entropy(ours[0], ours[1], labels, 0.1, ours[2])
    logits = theirs[0] @ theirs[1].T + theirs[2]
    expected = cross_entropy(
        logits, labels, ignore_index=IGNORED, reduction="sum", label_smoothing=0.1
    )
    (2 * found.loss).backward()
    (2 * expected).backward()
    torch.testing.assert_close(found.loss, expected)
    for our, their in zip(ours, theirs, strict=True):
        torch.testing.assert_close(our.grad, their.grad)
