"""What the papers claim, and what of our results tests it. Verdicts: `papers_verdicts`."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from papers_experiments import EXPERIMENTS, LENGTHS, LONG_DOCUMENTS
from papers_findings import (
    LEVEL,
    Finding,
    Part,
    better,
    declines_less,
    difference,
    entropy_falls,
    fails,
    flat_where_failing,
    half_the_time,
    largest_drop,
    learns,
    likelier,
    sharp_where_learning,
    slower_in_order,
    stable_over,
)
from papers_series import Results
from papers_workspace import SEEDS


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
        note: what else is known.
        ablation: a system without any context, and the one that it starts from: the claim is tested
            only if the first is about as good as the second.
        effect: the paper's effect in short.
    """

    number: int
    text: str
    paper: str
    parts: tuple[Part, ...]
    controls: tuple[Part, ...] = ()
    more: tuple[Part, ...] = ()
    note: str = ""
    ablation: tuple[str, str] | None = None
    effect: str = ""

    def findings(self, results: Results) -> list[Finding]:
        """What we find of each part, then of each control, then beyond."""
        return [part.find(results) for part in (*self.parts, *self.controls, *self.more)]

    @property
    def experiments(self) -> list[str]:
        """Those that test it."""
        parts = (*self.parts, *self.controls, *self.more)
        names = {name for part in parts for name in part.experiments}
        return [name for name in EXPERIMENTS if name in names]


_FINE, _STACK = "g-transformer-finetuned", "stack-sentence"
_POSITIONS = f"{_FINE}-sentence-positions"
_BEST = f"{_POSITIONS}-no-word-dropout"
_TABLE_3 = (_FINE, f"{_FINE}-no-target", f"{_FINE}-no-context")
_TABLE_5 = (
    "g-transformer",
    "g-transformer-no-word-dropout",
    "g-transformer-no-language-locality",
    "document-aligned",
)

_ABLATION = (f"{_FINE}-no-context", "sentence")

CLAIMS = (
    Claim(
        1,
        "On little data the Transformer over documents fails where the G-Transformer learns.",
        "0.76 against 25.84 d-BLEU on TED, 0.60 against 25.23 on News (Bao et al. 2021, Table 2)",
        (fails("document"), learns("g-transformer"), better("g-transformer", "document", "d-BLEU")),
        effect="0.8 against 25.8 d-BLEU",
    ),
    Claim(
        2,
        "The fine-tuned G-Transformer beats the sentence-level Transformer.",
        "+0.30 s-BLEU on TED, +0.33 on News, +1.02 on Europarl, of which the paper marks the last "
        "alone as significant (Bao et al. 2021, Table 2, section 5.1)",
        (better(_FINE, "sentence", paper=0.30),),
        (better(_FINE, "sentence-continued"), better(_FINE, f"{_FINE}-no-context")),
        (
            better(f"{_FINE}-longer", _FINE),
            better(f"{_FINE}-longer", "sentence"),
            better(_POSITIONS, "sentence"),
            better(_POSITIONS, "sentence-continued"),
            better(_BEST, "sentence"),
            better(_BEST, "sentence-continued"),
            better(f"{_BEST}-128-tokens", "sentence-continued"),
            likelier(f"{_BEST}-128-tokens", "sentence-continued"),
            better(f"{_BEST}-128-tokens", f"{_BEST}-128-tokens-no-context"),
            likelier(f"{_BEST}-128-tokens", f"{_BEST}-128-tokens-no-context"),
            likelier(f"{_BEST}-128-tokens-no-context", "sentence-continued"),
        ),
        note="In fine-tuning, positions change from those of the sentence to those of the "
        "instance. The published training goes on until ten epochs bring no gain; the 1.3 epochs "
        "here, or 3.8 of the longer one, do not undo the change. So this is not where the system "
        "would end.",
        ablation=_ABLATION,
        effect="+0.3 to +1.0 s-BLEU",
    ),
    Claim(
        3,
        "Target context is worth something, source context more.",
        "−0.14 s-BLEU without target context, −0.70 more without source context, means of three "
        "corpora (Bao et al. 2021, Table 3)",
        (
            better(_TABLE_3[0], _TABLE_3[1], paper=0.14),
            better(_TABLE_3[1], _TABLE_3[2], paper=0.70),
            largest_drop(*_TABLE_3, metric="s-BLEU"),
        ),
        more=(
            likelier(*_TABLE_3[:2]),
            likelier(*_TABLE_3[1:]),
            better(_BEST, f"{_BEST}-no-target"),
            better(f"{_BEST}-no-target", "sentence-continued"),
            better(_BEST, f"{_BEST}-no-context"),
            likelier(_BEST, f"{_BEST}-no-context"),
            better(f"{_BEST}-no-context", "sentence-continued"),
            likelier(f"{_BEST}-no-context", "sentence-continued"),
        ),
        note="What is measured here is the context of a system that has not recovered from its "
        "change of positions, see claim 2. Our variant counts positions in the sentence; without "
        "any context, it is the sentence-level Transformer, but its batches are of parts of a few "
        "documents, not of sentences from everywhere.",
        ablation=_ABLATION,
        effect="+0.1, +0.7 s-BLEU",
    ),
    Claim(
        4,
        "Translation locality is what matters.",
        "−14.68 d-BLEU without it, −1.78 without language locality, −0.37 without word dropout, "
        "means of three corpora (Bao et al. 2021, Table 5)",
        (
            better(_TABLE_5[2], _TABLE_5[3], "d-BLEU", paper=14.68),
            largest_drop(*_TABLE_5),
            better(_TABLE_5[0], _TABLE_5[1], "d-BLEU", paper=0.37),
        ),
        more=(
            better("g-transformer-sentence-positions", _TABLE_5[1], "d-BLEU"),
            better("g-transformer-sentence-positions", "sentence", "d-BLEU"),
        ),
        note="The G-Transformer without any locality is the aligned Transformer over documents, "
        "weight for weight. On the paper's two small corpora translation locality is worth 21.7 "
        "and 21.8 d-BLEU, on Europarl 0.5.",
        effect="+14.7 d-BLEU; the largest step; +0.4 d-BLEU with word dropout",
    ),
    Claim(
        5,
        "The G-Transformer is stable at any length, and reaches the same loss in half the time.",
        "64 to 1024 tokens (Bao et al. 2021, Figure 7a); “almost half time” (section 5.3)",
        (stable_over(LENGTHS), half_the_time("g-transformer", "document-aligned")),
        note=f"As in the paper, documents of less than {LONG_DOCUMENTS} tokens are left out of the "
        "training of the first.",
        effect="flat from 64 to 1,024 tokens; half the time",
    ),
    Claim(
        6,
        "Cross-attention that fails stays flat; where learning succeeds its entropy falls.",
        "8.14 bits against 6.0 (Bao et al. 2021, section 3.2, Figure 4)",
        (
            flat_where_failing("document", "document-aligned"),
            sharp_where_learning("document", "document-aligned"),
        ),
        more=(entropy_falls("document"),),
        note="Our Transformers over documents neither fail nor succeed by the paper's measure "
        "(less than 3 and more than 10 d-BLEU). On the smaller bundled corpus one fails, and its "
        "cross-attention is [as flat as can be](../../../docs/results/context.md#where-they-look).",
        effect="8.1 against 6.0 bits",
    ),
    Claim(
        7,
        "Long-short term masking beats concatenation, and declines less along the window.",
        "31.84 against 31.56 BLEU, English–Russian (Zhang et al. 2020, Table 2); Chinese–English "
        "by position (Figure 2)",
        (better("long-short", "window", paper=0.28), declines_less("long-short", "window")),
        more=(
            better("long-short-independent", "window"),
            better("long-short-independent", "long-short"),
        ),
        note="In the paper's Table 2 the sentence-level system has 32.40 BLEU, more than both.",
        effect="+0.3 BLEU; less decline",
    ),
    Claim(
        8,
        "HM-GDC beats the Transformer and the Document Transformer.",
        "16.70 against 16.08 and 11.87 BLEU from random weights; 17.63 against 15.51 and 17.09 "
        "pretrained (Tan et al. 2019, Table 1)",
        (
            better("hm-gdc", "sentence", paper=0.62),
            better("hm-gdc", "document-transformer-random", paper=4.83),
            better("hm-gdc-finetuned", "document-transformer", paper=0.54),
        ),
        (better("hm-gdc-finetuned", "sentence-continued"),),
        note="The fine-tuned Document Transformer keeps the weights that it starts from, as in its "
        "paper, and its gates close in some hundred updates: so it translates like the "
        "sentence-level Transformer. HM-GDC trains all weights on, which with sentences alone "
        "gives no less, as the control shows.",
        effect="+0.6, +4.8, +0.5 BLEU",
    ),
    Claim(
        9,
        "Multi-context beats BERT-fused, which beats the sentence-level Transformer; search is "
        "slower in the same order.",
        "51.07, 50.08 and 46.69 BLEU on NIST (Donato et al. 2021, Table 2); 11.94 : 7.37 : 5.45 : "
        "4.80 samples per second (appendix B)",
        (
            better("multi-context", "bert-fused", paper=0.99),
            better("bert-fused", _STACK, paper=3.39),
            slower_in_order(_STACK, "bert-fused", "multi-source", "multi-context"),
        ),
        more=(better("multi-source", _STACK), better("multi-context", "multi-source")),
        note="On WMT the paper finds the opposite order (28.11, 28.35 and 28.46), on IWSLT the "
        "same (29.97, 29.44 and 28.68, with 173,000 sentences), and there Multi-source is best "
        "(30.17). Of NIST, its systems need some 300,000 sentences with context to beat the "
        "sentence-level one (section 4.3); here there are 70,000.",
        effect="+1.0, +3.4 BLEU; slower in order",
    ),
    Claim(
        10,
        "Combined attention beats group attention alone and global attention alone.",
        "−0.35 d-BLEU with group attention alone, −0.84 with global attention alone, means of "
        "three corpora (Bao et al. 2021, Table 6)",
        (
            better("g-transformer", "g-transformer-group", "d-BLEU", paper=0.35),
            better("g-transformer", "g-transformer-global", "d-BLEU", paper=0.84),
        ),
        effect="+0.4, +0.8 d-BLEU",
    ),
)


def disagreeing(results: Results) -> list[str]:
    """The experiments of which the first two seeds do not agree on which of two is better: by
    s-BLEU, by d-BLEU where there is no s-BLEU, and by the metric of a claim."""
    claimed = {
        (frozenset(part.experiments), part.metric)
        for claim in CLAIMS
        for part in (*claim.parts, *claim.controls, *claim.more)
    }
    found: set[str] = set()
    for name, result in results.items():
        tests = result.get("comparisons", ())
        by_sentence = {one["baseline"] for one in tests if one["metric"] == "s-BLEU"}
        for one in tests:
            pair = {name, one["baseline"]}
            main = "s-BLEU" if one["baseline"] in by_sentence else "d-BLEU"
            counts = one["metric"] == main or (frozenset(pair), one["metric"]) in claimed
            first = [d > 0 for seed, d in one["differences"].items() if int(seed) in SEEDS]
            if counts and len({*first}) > 1:
                found |= pair
    return [name for name in EXPERIMENTS if name in found]


def corrected(results: Results) -> tuple[int, Results]:
    """The results if all tests of the claims and their controls are corrected together.

    Returns:
        How many tests these are, and the results with p = 1 for those that are significant alone
        but not together (Holm 1979).
    """
    parts = {
        (*part.experiments, part.metric)
        for claim in CLAIMS
        for part in (*claim.parts, *claim.controls)
        if part.metric
    }
    tests = {}
    for system, baseline, metric in parts:
        found = difference(results, system, baseline, str(metric))
        if found is not None and found["p"] is not None:
            tests[system, baseline, metric] = found["p"]
    lost, is_lost = set(), False
    for index, key in enumerate(sorted(tests, key=lambda key: (tests[key], key))):
        is_lost = is_lost or tests[key] * (len(tests) - index) >= LEVEL
        if is_lost and tests[key] < LEVEL:
            system, baseline, metric = key
            lost |= {(system, baseline, metric), (baseline, system, metric)}
    changed = {
        name: {
            **result,
            "comparisons": [
                {**one, "p": 1.0} if (name, one["baseline"], one["metric"]) in lost else one
                for one in result.get("comparisons", ())
            ],
        }
        for name, result in results.items()
    }
    return len(tests), changed


def spread(results: Results) -> str:
    """How far the differences of two systems in s-BLEU are apart with two seeds, in words; nothing
    if there is none with two."""
    apart = [
        max(test["differences"].values()) - min(test["differences"].values())
        for result in results.values()
        for test in result.get("comparisons", ())
        if test["metric"] == "s-BLEU" and len(test["differences"]) > 1
    ]
    if not apart:
        return ""
    return (
        f"The same difference of s-BLEU with two seeds or more, of {len(apart)} pairs of systems: "
        f"these are {fmean(apart):.2f} points apart on average, {max(apart):.2f} at most. One seed "
        "says little of smaller differences."
    )
