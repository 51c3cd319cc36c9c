"""Verdicts on the claims, in four words, for each of the things that a claim says.

A difference of scores counts if it is significant over documents after Holm's correction over all
tests of the claims, has the same sign with every seed, and is larger than what seeds alone make of
it: the 95 % t interval over seeds, with the deviation of a difference pooled over all pairs of
systems, lies on its side of zero.

A later judgement stands beside these verdicts and changes none of them: `later_verdicts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from math import sqrt
from statistics import variance

from papers_claims import Claim, corrected
from papers_findings import Part, State, difference
from papers_series import Results

MOST_BELOW_START = 1.0
"""Where an ablation without any context has so much less s-BLEU than what it starts from, it has
not recovered from its change of positions, and says nothing of context."""

_T = 2.0
"""The quantile of Student's t for 95 %, for 60 degrees of freedom or more."""

_POWER = 2.8
"""Standard errors of the smallest effect that is found in 80 % of studies like this one."""


class Verdict(StrEnum):
    """What our results say of one thing that a claim says."""

    SUPPORTED = "supported"
    AGAINST = "against"
    TOO_SMALL = "too small to see"
    NOT_TESTED = "not tested"


_OF_STATES = {
    State.HOLDS: Verdict.SUPPORTED,
    State.FAILS: Verdict.AGAINST,
    State.CONTRARY: Verdict.AGAINST,
    State.CHANCE: Verdict.TOO_SMALL,
    State.UNDECIDED: Verdict.TOO_SMALL,
    State.UNTESTABLE: Verdict.NOT_TESTED,
    State.UNKNOWN: Verdict.NOT_TESTED,
}


def verdicts(claim: Claim, results: Results) -> list[Verdict]:
    """The verdict on each of the things that a claim says."""
    if not is_testable(claim, results):
        return [Verdict.NOT_TESTED] * len(claim.parts)
    _, tested = corrected(results)
    found = [_of_part(part, tested) for part in claim.parts]
    controls = {_of_part(part, tested) for part in claim.controls}
    if controls - {Verdict.SUPPORTED}:
        # What a control has as well is not what the claim is about.
        return [Verdict.TOO_SMALL if one is Verdict.SUPPORTED else one for one in found]
    return found


def verdict_text(claim: Claim, results: Results) -> str:
    """The verdicts on a claim in short: one word, or one for each of the things that it says."""
    return _in_short(verdicts(claim, results))


def _in_short(verdicts: Sequence[Verdict]) -> str:
    return verdicts[0] if len({*verdicts}) == 1 else " · ".join(verdicts)


JUDGED_ON = "2026-11-26"
"""The day of the later judgement, after all results were known."""


def later_verdicts(claim: Claim, results: Results) -> list[Verdict]:
    """The verdicts by a rule that was made after the results: a difference against a claim is not
    tested if one of the systems was still improving."""
    return [
        Verdict.NOT_TESTED
        if verdict is Verdict.AGAINST and any(improves_at_the_end(results, n) for n in names)
        else verdict
        for verdict, names in zip(
            verdicts(claim, results), (part.experiments for part in claim.parts), strict=True
        )
    ]


def improves_at_the_end(results: Results, name: str) -> bool:
    """Return whether the last validation of an experiment was the best, with every seed."""
    curves = results.get(name, {}).get("curves", ())
    return bool(curves) and all(min(curve["loss"]) == curve["loss"][-1] for curve in curves)


def later_text(claim: Claim, results: Results) -> str:
    """The later verdicts in short; nothing where they are the same."""
    later = later_verdicts(claim, results)
    return "" if later == verdicts(claim, results) else _in_short(later)


def is_testable(claim: Claim, results: Results) -> bool:
    """Return whether the ablation that a claim rests on has not lost what its start knew."""
    if claim.ablation is None:
        return True
    scores = [results.get(name, {}).get("scores", {}).get("s-BLEU") for name in claim.ablation]
    if None in scores:
        return False
    ablation, start = (score["mean"] for score in scores if score is not None)
    return bool(ablation >= start - MOST_BELOW_START)


def _of_part(part: Part, results: Results) -> Verdict:
    """The verdict on one thing."""
    found = _OF_STATES[part.find(results).state]
    if part.metric is None or found in (Verdict.TOO_SMALL, Verdict.NOT_TESTED):
        return found
    test = difference(results, *_pair(part), part.metric)
    assert test is not None, "it has been tested"
    each = list(test["differences"].values())
    limit = _T * seed_deviation(results, part.metric) / sqrt(max(len(each), 1))
    same_sign = all(one * test["difference"] > 0 for one in each)
    return found if same_sign and abs(test["difference"]) > limit else Verdict.TOO_SMALL


def seed_deviation(results: Results, metric: str) -> float:
    """The standard deviation of a difference over seeds, pooled over all pairs of systems; 0 if
    none has two seeds."""
    squares, freedom = 0.0, 0
    for result in results.values():
        for test in result.get("comparisons", ()):
            each = list(test["differences"].values())
            if test["metric"] == metric and len(each) > 1:
                squares += variance(each) * (len(each) - 1)
                freedom += len(each) - 1
    return sqrt(squares / freedom) if freedom else 0.0


def smallest_visible(part: Part, results: Results) -> float | None:
    """The smallest difference that as many seeds as a part has would show in four of five studies;
    None for what is not a difference of scores, or has not been tested."""
    if part.metric is None or (test := difference(results, *_pair(part), part.metric)) is None:
        return None
    seeds = max(len(test["differences"]), 1)
    return _POWER * seed_deviation(results, part.metric) / sqrt(seeds)


def _pair(part: Part) -> tuple[str, str]:
    system, baseline = part.experiments
    return system, baseline
