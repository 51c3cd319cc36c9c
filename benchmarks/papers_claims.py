"""What the papers claim, and whether our results bear it out: each verdict is a function of them.

A difference counts if the approximate randomization test of all seeds together gives p < 0.05; the
p-values are of single comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Any

from papers_results import Results

LEVEL = 0.05
"""Of significance."""

FAILED_BLEU, LEARNED_BLEU = 3.0, 10.0
"""Trainings of Bao et al. 2021 failed below and succeeded above so many d-BLEU (section 3.1)."""

NEAR_UNIFORM = 0.95
"""Attention has not found anything if its entropy is so near that of equal weights."""

HALF_TIME = 0.5
STABLE = 0.9
"""A score is stable over lengths if the lowest is at least this share of the highest."""

UNKNOWN = "not measured yet"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a claim says, as we find it.

    Attributes:
        text: our figures.
        holds: whether they bear it out; None if they are not there.
    """

    text: str
    holds: bool | None


Part = Callable[[Results], Finding]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a paper.

    Attributes:
        number: in the list.
        text: what it says.
        paper: the paper's figures, and where they are.
        experiments: those that test it.
        parts: what it says, one by one.
        controls: what our experiments say beyond the paper's; they do not count for the verdict.
    """

    number: int
    text: str
    paper: str
    experiments: tuple[str, ...]
    parts: tuple[Part, ...]
    controls: tuple[Part, ...] = ()

    def findings(self, results: Results) -> list[Finding]:
        """What we find of each part, then of each control."""
        return [part(results) for part in (*self.parts, *self.controls)]

    def verdict(self, results: Results) -> str:
        """`confirmed`, `partly confirmed` or `not confirmed`; `not measured yet` until all parts
        have been measured."""
        holds = [part(results).holds for part in self.parts]
        if None in holds:
            return UNKNOWN
        return "confirmed" if all(holds) else "partly confirmed" if any(holds) else "not confirmed"


def difference(
    results: Results, system: str, baseline: str, metric: str
) -> Mapping[str, Any] | None:
    """The test of a system against a baseline, whichever of them it is kept with."""
    for name, other, sign in ((system, baseline, 1), (baseline, system, -1)):
        for one in results.get(name, {}).get("comparisons", ()):
            if (one["baseline"], one["metric"]) == (other, metric):
                low, high = sorted((sign * one["low"], sign * one["high"]))
                return {
                    **one, "difference": sign * one["difference"], "low": low, "high": high,
                    "differences": [sign * each for each in one["differences"]],
                }  # fmt: skip
    return None


def is_better(test: Mapping[str, Any]) -> bool:
    """Whether a system is better than what it is compared with, beyond chance."""
    return bool(test["difference"] > 0 and test["p"] is not None and test["p"] < LEVEL)


def difference_text(test: Mapping[str, Any]) -> str:
    """A test in words: `+0.31 s-BLEU (+0.02 to +0.60), p = 0.012, 2 seeds`."""
    p = "" if test["p"] is None else f", p {p_text(test['p'])}"
    seeds = "1 seed" if test["seeds"] == 1 else f"{test['seeds']} seeds"
    ends = f"{test['low']:+.2f} to {test['high']:+.2f}"
    return f"{test['difference']:+.2f} {test['metric']} ({ends}){p}, {seeds}"


def p_text(p: float) -> str:
    """A p-value with its sign."""
    return f"= {p:.3f}" if p >= 0.0005 else "< 0.001"


def better(system: str, baseline: str, metric: str = "s-BLEU") -> Part:
    """That a system is better than another."""

    def find(results: Results) -> Finding:
        test = difference(results, system, baseline, metric)
        if test is None:
            return Finding(f"`{system}` against `{baseline}`: {UNKNOWN}", None)
        text = f"`{system}` against `{baseline}`: {difference_text(test)}"
        return Finding(text, is_better(test))

    return find


def _fails(system: str) -> Part:
    """That a system does not learn to translate at all."""

    def find(results: Results) -> Finding:
        score = results.get(system, {}).get("scores", {}).get("d-BLEU")
        if score is None:
            return Finding(f"`{system}`: {UNKNOWN}", None)
        text = f"`{system}`: {score['mean']:.2f} d-BLEU ({score['low']:.2f} to {score['high']:.2f})"
        return Finding(text, score["high"] < FAILED_BLEU)

    return find


def _largest_drop(*names: str) -> Part:
    """That the last of some steps costs the most d-BLEU."""

    def find(results: Results) -> Finding:
        tests = [difference(results, a, b, "d-BLEU") for a, b in pairwise(names)]
        if any(test is None for test in tests):
            return Finding(f"the drops of {len(tests)} steps: {UNKNOWN}", None)
        drops = [test["difference"] for test in tests if test is not None]
        text = "d-BLEU that each step costs: " + ", ".join(f"{drop:+.2f}" for drop in drops)
        return Finding(text, drops[-1] > max(drops[:-1]))

    return find


def _half_the_time(results: Results) -> Finding:
    """That the G-Transformer reaches the Transformer's lowest validation loss in half the time."""
    what = "time of `g-transformer` to the lowest validation loss of `document-aligned`"
    runs = [results.get(name) for name in ("g-transformer", "document-aligned")]
    if runs[0] is None or runs[1] is None:
        return Finding(f"{what}: {UNKNOWN}", None)
    shares = []
    for seed in sorted(set(runs[0]["seeds"]) & set(runs[1]["seeds"])):
        own, other = (_curve_of(one, seed) for one in (runs[0], runs[1]))
        lowest = min(other["loss"])
        reached = [step for step, loss in zip(own["step"], own["loss"], strict=True)
                   if loss <= lowest]  # fmt: skip
        if not reached:
            return Finding(f"{what}: not reached with seed {seed}", False)
        best = other["step"][other["loss"].index(lowest)]
        shares.append(reached[0] * own["seconds"] / (best * other["seconds"]))
    if not shares:
        return Finding(f"{what}: {UNKNOWN}", None)
    text = f"{what}: {', '.join(f'{100 * share:.0f} %' for share in shares)} of its time by seed"
    return Finding(text, max(shares) <= HALF_TIME)


def _curve_of(result: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """The validations of a seed, and the seconds of an update."""
    index = result["seeds"].index(seed)
    seconds = result["runs"][index]["training"]["seconds_per_update"]
    return {**result["curves"][index], "seconds": seconds}


def _stable_lengths(results: Results) -> Finding:
    """That the G-Transformer's d-BLEU does not depend on the length of its instances."""
    sweep = results.get("input-length")
    if sweep is None:
        return Finding(f"d-BLEU from 64 to 1024 tokens (a sweep): {UNKNOWN}", None)
    by_length = {
        one["values"]["instances.max_tokens"]: one["measures"]["d-BLEU"]["mean"]
        for one in sweep["over_seeds"] if one["values"]["model"] == "G-Transformer"
    }  # fmt: skip
    each = ", ".join(f"{tokens}: {score:.2f}" for tokens, score in sorted(by_length.items()))
    scores = by_length.values()
    return Finding(f"d-BLEU by tokens: {each}", min(scores) >= STABLE * max(scores))


def _entropies(results: Results) -> Finding:
    """That cross-attention of what fails stays as flat as can be, and of what learns does not."""
    texts, holds = [], []
    for name in ("document", "document-aligned"):
        for run in results.get(name, {}).get("runs", ()):
            bits = fmean(one["bits"] for one in run["cross_attention"])
            uniform = fmean(one["uniform_bits"] for one in run["cross_attention"])
            bleu = run["scores"]["d-BLEU"]
            texts.append(f"`{name}` {bits:.2f} of {uniform:.2f} bits at {bleu:.2f} d-BLEU")
            if bleu < FAILED_BLEU:
                holds.append(bits >= NEAR_UNIFORM * uniform)
            elif bleu > LEARNED_BLEU:
                holds.append(bits < NEAR_UNIFORM * uniform)
    if not texts:
        return Finding(f"entropy of cross-attention: {UNKNOWN}", None)
    return Finding("; ".join(texts), all(holds) if holds else False)


def _declines_less(results: Results) -> Finding:
    """That long-short loses less s-BLEU from the first to the last position of a window."""
    what = "s-BLEU lost from the first to the last position"
    found = [results.get(name) for name in ("long-short", "window")]
    if found[0] is None or found[1] is None:
        return Finding(f"{what}: {UNKNOWN}", None)
    losses = [
        {seed: run["positions"][0] - run["positions"][-1]
         for seed, run in zip(one["seeds"], one["runs"], strict=True)}
        for one in (found[0], found[1])
    ]  # fmt: skip
    common = sorted(set(losses[0]) & set(losses[1]))
    each = ", ".join(f"{losses[0][seed]:.2f} against {losses[1][seed]:.2f}" for seed in common)
    return Finding(f"{what}, `long-short` against `window`: {each}", bool(common) and all(
        losses[0][seed] < losses[1][seed] for seed in common
    ))  # fmt: skip


def _speeds(names: Sequence[str]) -> Part:
    """That systems are slower to search with in this order."""

    def find(results: Results) -> Finding:
        if any(name not in results for name in names):
            return Finding(f"sentences translated a second: {UNKNOWN}", None)
        speeds = [
            fmean(run["search"]["samples_per_second"] for run in results[name]["runs"])
            for name in names
        ]  # fmt: skip
        each = " : ".join(f"{speed:.1f}" for speed in speeds)
        return Finding(
            f"sentences translated a core-second: {each}", all(a > b for a, b in pairwise(speeds))
        )

    return find


_FINE, _STACK = "g-transformer-finetuned", "stack-sentence"
_TABLE_5 = (
    "g-transformer", "g-transformer-no-word-dropout", "g-transformer-no-language-locality",
    "g-transformer-no-locality",
)  # fmt: skip
_STACKS = (_STACK, "bert-fused", "multi-source", "multi-context")

CLAIMS = (
    Claim(
        1, "On little data the Transformer over documents fails where the G-Transformer learns.",
        "0.76 against 25.84 d-BLEU on TED, 0.60 against 25.23 on News (Bao et al. 2021, Table 2)",
        ("document", "g-transformer"),
        (_fails("document"), better("g-transformer", "document", "d-BLEU")),
    ),
    Claim(
        2, "The fine-tuned G-Transformer beats the sentence-level Transformer.",
        "+0.30 s-BLEU on TED, +0.33 on News, +1.02 on Europarl (Bao et al. 2021, Table 2, section "
        "5.1)",
        (_FINE, "sentence", "sentence-continued"), (better(_FINE, "sentence"),),
        (better(_FINE, "sentence-continued"), better(f"{_FINE}-sentence-positions", "sentence"),
         better(f"{_FINE}-sentence-positions", "sentence-continued")),
    ),
    Claim(
        3, "Target context is worth something, source context more.",
        "−0.14 s-BLEU without target context, −0.70 more without source context (Bao et al. 2021, "
        "Table 3)",
        (_FINE, f"{_FINE}-no-target", f"{_FINE}-no-context"),
        (better(_FINE, f"{_FINE}-no-target"),
         better(f"{_FINE}-no-target", f"{_FINE}-no-context")),
    ),
    Claim(
        4, "Translation locality is what matters.",
        "−14.68 d-BLEU without it, −1.78 without language locality, −0.37 without word dropout "
        "(Bao et al. 2021, Table 5)",
        _TABLE_5, (better(_TABLE_5[2], _TABLE_5[3], "d-BLEU"), _largest_drop(*_TABLE_5)),
    ),
    Claim(
        5, "The G-Transformer is stable at any length, and reaches the same loss in half the time.",
        "64 to 1024 tokens (Bao et al. 2021, Figure 7a); “almost half time” (section 5.3)",
        ("g-transformer", "document-aligned"), (_stable_lengths, _half_the_time),
    ),
    Claim(
        6, "Cross-attention that fails stays flat; where learning succeeds its entropy falls.",
        "8.14 bits against 6.0 (Bao et al. 2021, section 3.2, Figure 4)",
        ("document", "document-aligned"), (_entropies,),
    ),
    Claim(
        7, "Long-short term masking beats concatenation, and declines less along the window.",
        "31.84 against 31.56 BLEU (Zhang et al. 2020, Table 2); Figure 2",
        ("long-short", "window"), (better("long-short", "window"), _declines_less),
        (better("long-short-independent", "window"),),
    ),
    Claim(
        8, "HM-GDC beats the Transformer and the Document Transformer.",
        "16.70 against 16.08 and 11.87 BLEU from random weights; 17.63 against 17.09 pretrained "
        "(Tan et al. 2019, Table 1)",
        ("hm-gdc", "sentence", "document-transformer-random", "hm-gdc-finetuned",
         "document-transformer"),
        (better("hm-gdc", "sentence"), better("hm-gdc", "document-transformer-random"),
         better("hm-gdc-finetuned", "document-transformer")),
        (better("hm-gdc-finetuned", "sentence-continued"),),
    ),
    Claim(
        9, "Multi-context beats BERT-fused, which beats the sentence-level Transformer; search is "
        "slower in the same order.",
        "51.07, 50.08 and 46.69 BLEU on NIST (Donato et al. 2021, Table 2); 11.94 : 7.37 : 5.45 : "
        "4.80 samples a second (appendix B)",
        _STACKS, (better("multi-context", "bert-fused"), better("bert-fused", _STACK),
                  _speeds(_STACKS)),
        (better("multi-source", _STACK), better("multi-context", "multi-source")),
    ),
    Claim(
        10, "Combined attention beats group attention alone and global attention alone.",
        "−0.35 d-BLEU with group attention alone, −0.84 with global attention alone (Bao et al. "
        "2021, Table 6)",
        ("g-transformer", "g-transformer-group", "g-transformer-global"),
        (better("g-transformer", "g-transformer-group", "d-BLEU"),
         better("g-transformer", "g-transformer-global", "d-BLEU")),
    ),
)  # fmt: skip
