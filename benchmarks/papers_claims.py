"""What the papers claim, and whether our results bear it out: each verdict is a function of them.

A difference of scores counts if the approximate randomization test of all seeds together gives
p < 0.05; the p-values are of single comparisons. What else a claim says, such as an order of
speeds, must hold as it stands, and with every seed.
"""

from __future__ import annotations

from dataclasses import dataclass

from papers_experiments import EXPERIMENTS, LENGTHS
from papers_findings import (
    UNKNOWN,
    Finding,
    Part,
    better,
    declines_less,
    fails,
    flat_where_failing,
    half_the_time,
    largest_drop,
    learns,
    sharp_where_learning,
    slower_in_order,
    stable_over,
)
from papers_results import Results


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a paper.

    Attributes:
        number: in the list.
        text: what it says.
        paper: the paper's figures, and where they are.
        parts: what it says, one by one.
        controls: what must hold as well if context is the reason, as the paper says.
        more: what our experiments say beyond that; it does not count for the verdict.
    """

    number: int
    text: str
    paper: str
    parts: tuple[Part, ...]
    controls: tuple[Part, ...] = ()
    more: tuple[Part, ...] = ()

    def findings(self, results: Results) -> list[Finding]:
        """What we find of each part, then of each control, then beyond."""
        return [part.find(results) for part in (*self.parts, *self.controls, *self.more)]

    @property
    def experiments(self) -> list[str]:
        """Those that test it."""
        parts = (*self.parts, *self.controls, *self.more)
        names = {name for part in parts for name in part.experiments}
        return [name for name in EXPERIMENTS if name in names]

    def verdict(self, results: Results) -> str:
        """`confirmed`, `partly confirmed`, `not confirmed` or, if the results say the opposite,
        `contradicted`; `confirmed, but not against the controls`; `not testable here`; or `not
        measured yet` until all parts and controls have been measured."""
        found = [part.find(results) for part in self.parts]
        controls = [part.find(results) for part in self.controls]
        if not all(one.is_testable for one in found):
            return "not testable here"
        if any(one.holds is None for one in (*found, *controls)):
            return UNKNOWN
        if all(one.holds for one in found):
            is_controlled = all(one.holds for one in controls)
            return "confirmed" if is_controlled else "confirmed, but not against the controls"
        if any(one.holds for one in found):
            return "partly confirmed"
        return "contradicted" if any(one.is_contrary for one in found) else "not confirmed"


_FINE, _STACK = "g-transformer-finetuned", "stack-sentence"
_TABLE_3 = (_FINE, f"{_FINE}-no-target", f"{_FINE}-no-context")
_TABLE_5 = (
    "g-transformer", "g-transformer-no-word-dropout", "g-transformer-no-language-locality",
    "g-transformer-no-locality",
)  # fmt: skip

CLAIMS = (
    Claim(
        1, "On little data the Transformer over documents fails where the G-Transformer learns.",
        "0.76 against 25.84 d-BLEU on TED, 0.60 against 25.23 on News (Bao et al. 2021, Table 2)",
        (fails("document"), learns("g-transformer"), better("g-transformer", "document", "d-BLEU")),
    ),
    Claim(
        2, "The fine-tuned G-Transformer beats the sentence-level Transformer.",
        "+0.30 s-BLEU on TED, +0.33 on News, +1.02 on Europarl (Bao et al. 2021, Table 2, section "
        "5.1)",
        (better(_FINE, "sentence"),),
        (better(_FINE, "sentence-continued"), better(_FINE, f"{_FINE}-no-context")),
        (better(f"{_FINE}-longer", _FINE), better(f"{_FINE}-longer", "sentence"),
         better(f"{_FINE}-sentence-positions", "sentence"),
         better(f"{_FINE}-sentence-positions", "sentence-continued"),
         better(f"{_FINE}-sentence-positions-no-word-dropout", "sentence-continued")),
    ),
    Claim(
        3, "Target context is worth something, source context more.",
        "−0.14 s-BLEU without target context, −0.70 more without source context (Bao et al. 2021, "
        "Table 3)",
        (better(_TABLE_3[0], _TABLE_3[1]), better(_TABLE_3[1], _TABLE_3[2]),
         largest_drop(*_TABLE_3, metric="s-BLEU")),
    ),
    Claim(
        4, "Translation locality is what matters.",
        "−14.68 d-BLEU without it, −1.78 without language locality, −0.37 without word dropout "
        "(Bao et al. 2021, Table 5)",
        (better(_TABLE_5[2], _TABLE_5[3], "d-BLEU"), largest_drop(*_TABLE_5)),
        more=(better("g-transformer-sentence-positions", _TABLE_5[1], "d-BLEU"),
              better("g-transformer-sentence-positions", "sentence", "d-BLEU")),
    ),
    Claim(
        5, "The G-Transformer is stable at any length, and reaches the same loss in half the time.",
        "64 to 1024 tokens (Bao et al. 2021, Figure 7a); “almost half time” (section 5.3)",
        (stable_over(LENGTHS), half_the_time("g-transformer", "document-aligned")),
    ),
    Claim(
        6, "Cross-attention that fails stays flat; where learning succeeds its entropy falls.",
        "8.14 bits against 6.0 (Bao et al. 2021, section 3.2, Figure 4)",
        (flat_where_failing("document", "document-aligned"),
         sharp_where_learning("document", "document-aligned", "sentence")),
    ),
    Claim(
        7, "Long-short term masking beats concatenation, and declines less along the window.",
        "31.84 against 31.56 BLEU (Zhang et al. 2020, Table 2); Figure 2",
        (better("long-short", "window"), declines_less("long-short", "window")),
        more=(better("long-short-independent", "window"),
              better("long-short-independent", "long-short")),
    ),
    Claim(
        8, "HM-GDC beats the Transformer and the Document Transformer.",
        "16.70 against 16.08 and 11.87 BLEU from random weights; 17.63 against 17.09 pretrained "
        "(Tan et al. 2019, Table 1)",
        (better("hm-gdc", "sentence"), better("hm-gdc", "document-transformer-random"),
         better("hm-gdc-finetuned", "document-transformer")),
        (better("hm-gdc-finetuned", "sentence-continued"),),
    ),
    Claim(
        9, "Multi-context beats BERT-fused, which beats the sentence-level Transformer; search is "
        "slower in the same order.",
        "51.07, 50.08 and 46.69 BLEU on NIST (Donato et al. 2021, Table 2); 11.94 : 7.37 : 5.45 : "
        "4.80 samples per second (appendix B)",
        (better("multi-context", "bert-fused"), better("bert-fused", _STACK),
         slower_in_order(_STACK, "bert-fused", "multi-source", "multi-context")),
        more=(better("multi-source", _STACK), better("multi-context", "multi-source")),
    ),
    Claim(
        10, "Combined attention beats group attention alone and global attention alone.",
        "−0.35 d-BLEU with group attention alone, −0.84 with global attention alone (Bao et al. "
        "2021, Table 6)",
        (better("g-transformer", "g-transformer-group", "d-BLEU"),
         better("g-transformer", "g-transformer-global", "d-BLEU")),
    ),
)  # fmt: skip


def disagreeing(results: Results) -> list[str]:
    """The experiments of which the first two seeds do not agree on which of two is better: by
    s-BLEU, by d-BLEU where there is no s-BLEU, and by the metric of a claim."""
    claimed = {
        (frozenset(part.experiments), part.metric)
        for claim in CLAIMS for part in (*claim.parts, *claim.controls, *claim.more)
    }  # fmt: skip
    found: set[str] = set()
    for name, result in results.items():
        tests = result.get("comparisons", ())
        by_sentence = {one["baseline"] for one in tests if one["metric"] == "s-BLEU"}
        for one in tests:
            pair = {name, one["baseline"]}
            main = "s-BLEU" if one["baseline"] in by_sentence else "d-BLEU"
            counts = one["metric"] == main or (frozenset(pair), one["metric"]) in claimed
            if counts and len({difference > 0 for difference in one["differences"][:2]}) > 1:
                found |= pair
    return [name for name in EXPERIMENTS if name in found]
