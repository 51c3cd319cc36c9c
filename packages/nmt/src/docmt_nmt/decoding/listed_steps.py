"""`ListedSteps`: the steps of a search over a lexical shortlist (`docmt_nmt.decoding.shortlist`).

Shapes: V tokens of the vocabulary, n words of an instance, U open units with B hypotheses each, R =
U · B, d numbers of a state.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.decoding.compiled_state import CompiledState
from docmt_nmt.decoding.compiled_system import CompiledSystem
from docmt_nmt.decoding.constraints import NEVER
from docmt_nmt.decoding.shortlist import ListedWords
from docmt_nmt.decoding.tables import Floats
from docmt_nmt.decoding.term_constraints import TermConstraints


class ListedSteps:
    """The steps of a search, over the words of each instance (a `Stepper`).

    Args:
        compiled: a system with a shortlist.
        instances: the source of each instance, as sentences of token ids.
        terms: the constraints of all sentences of the instances, whose tokens are listed.
    """

    def __init__(
        self,
        compiled: CompiledSystem,
        instances: Sequence[Sequence[Sequence[int]]],
        special_tokens: SpecialTokens,
        terms: TermConstraints | None,
    ) -> None:
        assert compiled.listed is not None
        self._compiled, self._size = compiled, len(compiled.listed.table)
        around = {*special_tokens.source_begin, *special_tokens.source_end}
        sentence, self._words = 0, list[ListedWords]()
        for instance in instances:
            others = {special_tokens.target_end}
            if terms is not None:
                for constraints in terms.sentences[sentence : sentence + len(instance)]:
                    others |= {t for forms in constraints.forms for form in forms for t in form}
            sentence += len(instance)
            source = around.union(*instance)
            self._words.append(compiled.listed.words(source, others))

    def step(self, tokens: ArrayLike, state: CompiledState) -> Floats:
        """Log-probabilities, (R, V), after one more token, (R,), of every open hypothesis: -inf for
        the words that are not listed."""
        states = self._compiled.states(tokens, state).reshape(len(state.units), state.beam_size, -1)
        found = np.full((*states.shape[:2], self._size), NEVER, np.float32)
        for place, unit in enumerate(state.units.tolist()):
            words = self._words[unit]
            scores = states[place] @ words.rows.T + words.bias  # (B, n)
            scores -= scores.max(axis=1, keepdims=True)
            scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
            found[place][:, words.ids] = scores
        return found.reshape(-1, self._size)
