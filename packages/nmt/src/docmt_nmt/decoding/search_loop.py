"""The loop of beam search, over whatever computes the steps.

`decode_units` is the loop: one step, one choice among the continuations, until every unit is
finished. Where units wait, the next one takes the place of a finished one. A `Stepper` computes the
step: a system of PyTorch (`docmt_nmt.systems.System`) or a compiled one (`CompiledSystem`). `Beams`
holds the hypotheses and chooses; `ConstrainedBeams` and `Samples` choose otherwise.

Shapes: R hypotheses, V tokens of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from docmt_nmt.decoding.beams import Beams, Floats, Hypothesis, Integers, filling_gaps

if TYPE_CHECKING:
    from torch import Tensor

    from docmt_nmt.decoding.sampling import Sampling
    from docmt_nmt.decoding.term_constraints import TermConstraints


State = TypeVar("State", contravariant=True)


class Stepper(Protocol[State]):
    """Computes the steps of a search."""

    def step(self, tokens: ArrayLike, state: State, /) -> Tensor | Floats:
        """Scores of the next token, (R, V), as `Beams.extend` takes them, after one more token,
        (R,), of every open hypothesis; the state is advanced."""


def kind_of_beams(sampling: Sampling | None, terms: TermConstraints | None) -> Callable[..., Beams]:
    """How hypotheses are chosen, given the sampling or the terms of a search."""
    if sampling is not None:
        from docmt_nmt.decoding.sampling import Samples

        return partial(Samples, sampling)
    if terms is None:
        return Beams
    from docmt_nmt.decoding.constrained_beams import ConstrainedBeams

    return partial(ConstrainedBeams, terms)


def decode_units(stepper: Stepper[Any], state: Any, beams: Beams) -> list[list[Hypothesis]]:
    """Decode all units of a state (`BeamState`, `CompiledState`), until every unit is finished.

    Returns:
        The finished hypotheses of each unit.
    """
    between_steps = _between_steps.get()
    while True:
        # Let a scheduler search something more urgent, or cancel this search.
        between_steps()
        # Read the last tokens, and compute the scores of the next ones.
        scores = stepper.step(beams.last, state)  # (R, V)
        # Choose the continuations, and set the finished hypotheses aside.
        parents, unfinished = beams.extend(scores)
        if not len(unfinished) and not len(state.waiting):
            return beams.results()
        # Reorder the caches: each new hypothesis gets the cache of the parent.
        if state.beam_size > 1:
            state.select(parents)
        # Give the places of finished units to the next ones.
        if len(state.waiting) and len(unfinished) < len(state.units):
            unfinished = _refilled(state, beams, unfinished)
        # Drop finished units from the batch; the last units move into their slots.
        if len(unfinished) < len(state.units):
            order = filling_gaps(unfinished)
            state.keep(order)
            beams.keep(order)


def _refilled(state: Any, beams: Beams, unfinished: Integers) -> Integers:
    """Open waiting units in the places of finished ones; the indices of the unfinished units."""
    finished = np.setdiff1d(np.arange(len(state.units)), unfinished)
    places = finished[: len(state.waiting)]
    state.renew(places)
    beams.renew(places)
    return np.union1d(unfinished, places)


_between_steps: ContextVar[Callable[[], None]] = ContextVar("between_steps", default=lambda: None)


@contextmanager
def calling_between_steps(function: Callable[[], None]) -> Iterator[None]:
    """Call a function before each step of the searches in this context, for instance to run another
    search in between; an exception of the function ends the search."""
    token = _between_steps.set(function)
    try:
        yield
    finally:
        _between_steps.reset(token)
