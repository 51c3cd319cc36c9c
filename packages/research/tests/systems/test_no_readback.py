"""Neither a training step nor a search step of any system waits for the device.

Lengths, positions and what search decides are known on the host. So a whole step runs on fake
tensors, which have no values: reading one back raises, and so does a tensor on the wrong device.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import torch

from cases import CASES as OWN_CASES
from cases import SPECIAL_TOKENS, VOCABULARY, batch, documents, encoded
from docmt_nmt.decoding import TermConstraint, TermConstraints, WordEdges
from docmt_nmt.decoding.beams import Beams
from docmt_nmt.decoding.constrained_beams import ConstrainedBeams
from docmt_nmt.nn import Batch, BeamState, Encoded, Packed
from docmt_nmt.nn.incremental import token_slots
from docmt_nmt.nn.kernels import attend
from docmt_nmt.systems import System, build
from docmt_research.nn.recurrent import Recurrent
from fake_accelerator import fake_accelerator, run_as_program, write_results
from research_cases import RESEARCH_CASES

CASES = OWN_CASES | RESEARCH_CASES

DIFFERENT = ["g-transformer", "parallel-stack, trained encoder", "rnnsearch"]
"""Systems that are built and searched in different ways; a step of each takes long on fake tensors,
so the others are left to the slow tests."""

NAMES = [name for name in CASES if "," not in name] + [
    "transformer, every other form",
    "parallel-stack, trained encoder",
    "san, decoder",
]
WITH_TERMS = ["g-transformer", "han"]
IN_FP32 = ["transformer", "g-transformer", "long-short", "parallel-stack", "rnnsearch", "san"]
"""Systems that between them use every path of attention in fp32; in bf16 all are tested."""

PRECISIONS = {"fp32": torch.float32, "bf16": torch.bfloat16}
BATCH = batch(*documents([4, 1, 7], [2]))


def takes_varlen_kernel(q: torch.Tensor) -> bool:
    """As on a GPU."""
    fits = q.shape[2] % 8 == 0 and q.shape[2] <= 256
    return q.device.type != "cpu" and q.dtype != torch.float32 and fits


def built(name: str, device: torch.device, dtype: torch.dtype = torch.float32) -> System:
    """The system on the device; fake weights cannot be moved there."""
    torch.set_default_dtype(dtype)
    try:
        with device:
            return build(CASES[name].model_copy(update={"layers": 1}), VOCABULARY, VOCABULARY)
    finally:
        torch.set_default_dtype(torch.float32)


def source_on(device: torch.device, source: Packed) -> Packed:
    """A source on the device, with states that are fake."""
    auxiliary = {
        name: Encoded(part.states.clone(), part.spans) if isinstance(part, Encoded) else part
        for name, part in source.auxiliary.items()
    }
    return replace(source, auxiliary=auxiliary).to(device)


def train(name: str, precision: str) -> str:
    """Forward, backward and a step of the optimizer."""
    with fake_accelerator() as device:
        system = built(name, device).train()
        optimizer = torch.optim.AdamW(system.parameters(), fused=True)
        source = source_on(device, BATCH.source)
        target, labels = BATCH.target.to(device), BATCH.labels.clone().to(device)
        packed = Batch(source, target, labels)
        with torch.autocast(device.type, torch.bfloat16, enabled=precision == "bf16"):
            logits = system(packed)
        loss = torch.nn.functional.cross_entropy(logits.float(), packed.labels)
        loss.backward()
        optimizer.step()
        return str(loss.device.type)


def search(name: str, precision: str) -> str:
    """Encode, then steps over the end of a sentence, with beams reordered and units dropped."""
    with fake_accelerator() as device, torch.no_grad():
        system = built(name, device, PRECISIONS[precision]).eval()
        source = source_on(device, BATCH.source)
        packed = Batch(source, BATCH.target.to(device), BATCH.labels)
        memory = encoded(system, packed)
        state = BeamState(memory, 3, SPECIAL_TOKENS, one_pass=system.writing_order.in_one_pass)
        limits = np.full(len(source.sentences), 6)
        beams = Beams(state, SPECIAL_TOKENS, max_lengths=limits, length_penalty=1.0, banned=[1])
        end, begin = SPECIAL_TOKENS.target_end, SPECIAL_TOKENS.target_begin
        logits = None
        for step, token in enumerate([begin, end, begin]):
            logits = system.step(np.full(len(state.position), token), state)
            beams.propose(logits.float())
            parents = np.arange(len(state.position)).reshape(-1, 3)
            state.select(np.roll(parents, 1, axis=1).reshape(-1))
            if step == 1:
                kept = np.arange(len(state.units))[:-1]
                state.keep(kept)
                beams._totals = beams._totals[kept]
        return str(logits.device.type)


def search_with_terms(name: str, precision: str) -> str:
    """Steps in which hypotheses must write terms, some of which begin after the end of a word."""
    with fake_accelerator() as device, torch.no_grad():
        system = built(name, device, PRECISIONS[precision]).eval()
        source = source_on(device, BATCH.source)
        packed = Batch(source, BATCH.target.to(device), BATCH.labels)
        state = BeamState(
            encoded(system, packed), 3, SPECIAL_TOKENS, one_pass=system.writing_order.in_one_pass
        )
        sentences = len(source.sentences)
        constraint = TermConstraint(((5, 6), (7, 6)))
        edges = WordEdges(*np.array([np.arange(VOCABULARY) < 20] * 2))
        beams = ConstrainedBeams(
            TermConstraints([[constraint]] * sentences, edges),
            state,
            SPECIAL_TOKENS,
            max_lengths=np.full(sentences, 4),
            length_penalty=1.0,
            banned=[1],
        )
        for token in [SPECIAL_TOKENS.target_begin, 8, 5]:
            logits = system.step(np.full(len(state.position), token), state)
            proposed = beams.propose(logits.float())
            beams._progress = [progress.after(8) for progress in beams._progress]
        return str(proposed.device.type)


# One test each, for a program that takes as long as many.
def test_no_step_of_different_systems_reads_back(forkserver: Any) -> None:
    results = run_as_program(forkserver, __file__)
    assert len(results) == 2 * len(DIFFERENT) + 3
    assert {name: found for name, found in results.items() if found != "gpu"} == {}


@pytest.mark.slow
def test_no_step_of_any_system_reads_back(forkserver: Any) -> None:
    results = run_as_program(forkserver, __file__, "all")
    assert len(results) == 2 * (len(NAMES) + len(IN_FP32) + len(WITH_TERMS))
    assert {name: found for name, found in results.items() if found != "gpu"} == {}


def cases_of_different() -> dict[str, Any]:
    """The cases of the default run, by name."""
    every = cases()
    names = [f"{step} {name} bf16" for name in DIFFERENT for step in ("train", "search")]
    names += ["train g-transformer fp32", "search g-transformer fp32"]
    return {n: every[n] for n in [*names, "terms g-transformer bf16"]}


def cases() -> dict[str, Any]:
    """Every case by its name."""
    found: dict[str, Any] = {}
    for precision in PRECISIONS:
        for name in NAMES if precision == "bf16" else IN_FP32:
            found[f"train {name} {precision}"] = lambda n=name, p=precision: train(n, p)
            found[f"search {name} {precision}"] = lambda n=name, p=precision: search(n, p)
        for name in WITH_TERMS:
            found[f"terms {name} {precision}"] = lambda n=name, p=precision: search_with_terms(n, p)
    return found


def run_network(self: Recurrent, x: torch.Tensor, *_: Any) -> torch.Tensor:
    """PyTorch reads the sizes of a recurrent network on the host, where they are fake here."""
    return x * self.network.bias_hh_l0[0]


def from_numpy(array: np.ndarray, original: Any = torch.from_numpy) -> torch.Tensor:
    """A tensor without values: fake tensors keep those of a single entry, and cannot move them."""
    tensor = original(array)
    tensor.constant = None
    return tensor


if __name__ == "__main__":
    with (
        patch.object(torch, "from_numpy", from_numpy),
        patch.object(attend, "takes_varlen_kernel", takes_varlen_kernel),
        patch.object(Recurrent, "_run", run_network),
        # So that few steps are enough for the cache to be compacted.
        patch.object(token_slots, "COMPACT_AFTER", 2),
    ):
        write_results(cases() if sys.argv[1:] == ["all"] else cases_of_different())
