"""Faults of the answers of a large language model, in a table: the consequences of each fault for
the sentence and for the other sentences of the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from docmt_files.base.documents import WarningKind

FaultKind = Literal[
    "no-answer",
    "unreadable",
    "empty",
    "cut-off",
    "withheld",
    "refusal",
    "not-text",
    "endless",
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
"""The kinds of faults; `FAULTS` describes them."""


class FaultRule(NamedTuple):
    """The consequences of a fault.

    Attributes:
        words: a description, to follow the word "answers".
        is_unusable: whether the answer is not a translation. Without another answer, the sentence
            stays untranslated.
        is_misplaced: whether text may have moved between the sentences of the answer, so no
            sentence of the answer can be trusted.
        is_corrected: whether the model is asked at once, a single time, to correct the answer.
        is_repaired: whether the sentence is accepted for now, because a repair of the whole
            translation asks for it again (`docmt_nmt.translators.left_out_terms`).
        warning: the warning about a translation with the fault; None if there is never such a
            translation, or `docmt_nmt.translators.checks.translation_checks` finds the fault again.
    """

    words: str
    is_unusable: bool = False
    is_misplaced: bool = False
    is_corrected: bool = False
    is_repaired: bool = False
    warning: WarningKind | None = None


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
    "endless": FaultRule("of many times the length of the sentence", is_unusable=True),
    "too-long-for-model": FaultRule(
        "not given, because the request is too long for the model", is_unusable=True
    ),
    "other-sentence": FaultRule(
        "with text of another sentence", is_misplaced=True, warning="other-sentence"
    ),
    "repeated": FaultRule(
        "the same as for another sentence", is_misplaced=True, warning="other-sentence"
    ),
    "out-of-proportion": FaultRule(
        "out of proportion to the others", is_misplaced=True, warning="other-sentence"
    ),
    "other-ending": FaultRule(
        "that end otherwise than the sentence", is_misplaced=True, warning="other-sentence"
    ),
    "copied": FaultRule("the same as the sentence", warning="copy"),
    "codes": FaultRule(
        "with a placeholder too few or too many", is_corrected=True, warning="codes"
    ),
    "terms": FaultRule("without a term", is_repaired=True, warning="terms"),
    "unusual": FaultRule("unusual for the sentence"),
}
"""The faults."""


class Fault(NamedTuple):
    """A fault of an answer.

    Attributes:
        kind: the kind of fault.
        detail: the evidence, in words.
    """

    kind: FaultKind
    detail: str = ""

    @property
    def rule(self) -> FaultRule:
        """The consequences of the fault."""
        return FAULTS[self.kind]
