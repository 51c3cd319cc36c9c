"""Faults of the answers of a large language model, as a table: what each means for its sentence,
and for the others of the same answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

FaultKind = Literal[
    "no-answer",
    "unreadable",
    "empty",
    "cut-off",
    "withheld",
    "refusal",
    "not-text",
    "too-long-for-model",
    "other-sentence",
    "repeated",
    "out-of-proportion",
    "other-ending",
    "copied",
    "codes",
    "terms",
    "unusual",
]
"""What may be wrong with an answer; `FAULTS` says it in words."""


class FaultRule(NamedTuple):
    """What a fault means.

    Attributes:
        words: what is wrong with an answer, after "answers".
        is_unusable: whether it is no translation: if there is no other, the sentence is left as it
            is in the source.
        is_misplaced: whether text may have moved between the sentences of the answer, so that none
            of them is to be trusted.
        is_corrected: whether the model is asked at once, a single time, to correct it.
        is_repaired: whether the sentence is accepted for now, because a repair of the whole
            translation asks for it again (`docmt.translators.left_out_terms`).
    """

    words: str
    is_unusable: bool = False
    is_misplaced: bool = False
    is_corrected: bool = False
    is_repaired: bool = False


FAULTS: Mapping[FaultKind, FaultRule] = {
    "no-answer": FaultRule("without the sentence", is_unusable=True, is_misplaced=True),
    "unreadable": FaultRule(
        "of another form than was asked for", is_unusable=True, is_misplaced=True
    ),
    "empty": FaultRule("that are empty", is_unusable=True, is_misplaced=True),
    "cut-off": FaultRule("cut off at the maximum number of tokens", is_unusable=True),
    "withheld": FaultRule("held back by the endpoint", is_unusable=True),
    "refusal": FaultRule("refusing to translate", is_unusable=True),
    "not-text": FaultRule("with characters that are not text", is_unusable=True),
    "too-long-for-model": FaultRule(
        "not given, because the request is too long for the model", is_unusable=True
    ),
    "other-sentence": FaultRule("with text of another sentence", is_misplaced=True),
    "repeated": FaultRule("the same as for another sentence", is_misplaced=True),
    "out-of-proportion": FaultRule("out of proportion to the others", is_misplaced=True),
    "other-ending": FaultRule("that end otherwise than the sentence", is_misplaced=True),
    "copied": FaultRule("the same as the sentence"),
    "codes": FaultRule("with a placeholder too few or too many", is_corrected=True),
    "terms": FaultRule("without a term", is_repaired=True),
    "unusual": FaultRule("unusual for the sentence"),
}
"""The faults."""


class Fault(NamedTuple):
    """A fault of an answer.

    Attributes:
        kind: what is wrong.
        detail: what shows it, in words.
    """

    kind: FaultKind
    detail: str = ""

    @property
    def rule(self) -> FaultRule:
        """What it means."""
        return FAULTS[self.kind]
