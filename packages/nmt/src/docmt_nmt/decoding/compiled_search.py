"""Beam search over a compiled system; nothing here needs torch, apart from sampling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.decoding.beams import Hypothesis
from docmt_nmt.decoding.compiled_state import CompiledState
from docmt_nmt.decoding.compiled_system import CompiledSystem
from docmt_nmt.decoding.limits import SearchLimits
from docmt_nmt.decoding.search_loop import Stepper, decode_units, kind_of_beams

if TYPE_CHECKING:
    from docmt_nmt.decoding.sampling import Sampling
    from docmt_nmt.decoding.term_constraints import TermConstraints


def search_compiled(
    compiled: CompiledSystem,
    instances: Sequence[Sequence[Sequence[int]]],
    special_tokens: SpecialTokens,
    *,
    beam_size: int,
    sampling: Sampling | None = None,
    terms: TermConstraints | None = None,
    given: Sequence[Sequence[Sequence[int]]] = (),
    shortlist: bool = False,
    **limits: Unpack[SearchLimits],
) -> list[list[Hypothesis]]:
    """Translate instances in one pass each; arguments and result as of `beam_search.search`.

    Args:
        instances: each as sentences of token ids, without special tokens.
        shortlist: search over the words of the system's shortlist (`ListedSteps`).
    """
    state = compiled.begin(instances, beam_size, special_tokens)
    beams = kind_of_beams(sampling, terms)(
        state, special_tokens, positions=compiled.target_positions, given=given, **limits
    )
    steps: Stepper[CompiledState] = compiled
    if shortlist:
        from docmt_nmt.decoding.listed_steps import ListedSteps

        steps = ListedSteps(compiled, instances, special_tokens, terms)
    return decode_units(steps, state, beams)
