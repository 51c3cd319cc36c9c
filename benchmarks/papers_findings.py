"""What our results say of one thing that a claim says: a difference, a failure, an order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Any

from docmt.evaluation import format_p
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
    """What our results say.

    Attributes:
        text: our figures.
        holds: whether they bear a claim out; None if they do not say.
        is_contrary: whether they say the opposite, beyond chance.
        is_testable: False where it cannot be known from these experiments, for example how failing
            systems look if none of them fails.
    """

    text: str
    holds: bool | None
    is_contrary: bool = False
    is_testable: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that a claim says.

    Attributes:
        experiments: whose results it is about.
        find: what the results say.
        metric: of which the first experiment should have more than the second, if that is all.
    """

    experiments: tuple[str, ...]
    find: Callable[[Results], Finding]
    metric: str | None = None


def difference(
    results: Results, system: str, baseline: str, metric: str
) -> Mapping[str, Any] | None:
    """The test of a system against a baseline, whichever of them it is stored with."""
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


def interval_text(test: Mapping[str, Any]) -> str:
    """A difference in short: `+0.31 (+0.02 to +0.60), p = 0.012`."""
    p = "" if test["p"] is None else f", p {format_p(test['p'])}"
    return f"{test['difference']:+.2f} ({test['low']:+.2f} to {test['high']:+.2f}){p}"


def better(system: str, baseline: str, metric: str = "s-BLEU") -> Part:
    """That a system is better than another."""

    def find(results: Results) -> Finding:
        pair = f"`{system}` against `{baseline}`"
        test = difference(results, system, baseline, metric)
        if test is None:
            return Finding(f"{pair}: {UNKNOWN}", None)
        seeds = "1 seed" if test["seeds"] == 1 else f"{test['seeds']} seeds"
        opposite = {**test, "difference": -test["difference"]}
        text = f"{pair}: {interval_text(test)}, {metric}, {seeds}"
        return Finding(text, is_better(test), is_better(opposite))

    return Part((system, baseline), find, metric)


def fails(system: str) -> Part:
    """That a system does not learn to translate at all."""

    def find(results: Results) -> Finding:
        score = results.get(system, {}).get("scores", {}).get("d-BLEU")
        if score is None:
            return Finding(f"`{system}` fails: {UNKNOWN}", None)
        contrary = score["low"] > LEARNED_BLEU
        return Finding(f"`{system}` fails: {_score(score)}", score["high"] < FAILED_BLEU, contrary)

    return Part((system,), find)


def learns(system: str) -> Part:
    """That a system learns to translate."""

    def find(results: Results) -> Finding:
        score = results.get(system, {}).get("scores", {}).get("d-BLEU")
        if score is None:
            return Finding(f"`{system}` learns: {UNKNOWN}", None)
        contrary = score["high"] < FAILED_BLEU
        return Finding(f"`{system}` learns: {_score(score)}", score["low"] > LEARNED_BLEU, contrary)

    return Part((system,), find)


def _score(score: Mapping[str, Any]) -> str:
    return f"{score['mean']:.2f} d-BLEU ({score['low']:.2f} to {score['high']:.2f})"


def largest_drop(*names: str, metric: str = "d-BLEU") -> Part:
    """That the last of some steps costs the most, with every seed."""

    def find(results: Results) -> Finding:
        tests = [difference(results, a, b, metric) for a, b in pairwise(names)]
        known = [test for test in tests if test is not None]
        what = f"{metric} that each of {len(tests)} steps costs, the last the most"
        if len(known) < len(tests):
            return Finding(f"{what}: {UNKNOWN}", None)
        drops = ", ".join(f"{test['difference']:+.2f}" for test in known)
        by_seed = list(zip(*(test["differences"] for test in known), strict=False))
        return Finding(f"{what}: {drops}", all(each[-1] > max(each[:-1]) for each in by_seed))

    return Part(names, find)


def half_the_time(system: str, baseline: str) -> Part:
    """That a system reaches the lowest validation loss of another in half the time."""
    what = f"time of `{system}` to the lowest validation loss of `{baseline}`"

    def find(results: Results) -> Finding:
        runs = [results.get(name) for name in (system, baseline)]
        seeds = [{*run["seeds"]} if run else set() for run in runs]
        if runs[0] is None or runs[1] is None or not (common := sorted(seeds[0] & seeds[1])):
            return Finding(f"{what}: {UNKNOWN}", None)
        if not (runs[0].get("cost") and runs[1].get("cost")):
            return Finding(f"{what}: {UNKNOWN}", None)
        if runs[1]["scores"]["d-BLEU"]["low"] < LEARNED_BLEU:
            text = f"{what}: `{baseline}` has not learned to translate, so any loss is below its"
            return Finding(text, None, is_testable=False)
        shares = []
        for seed in common:
            own, other = (_curve_of(one, seed) for one in (runs[0], runs[1]))
            lowest = min(other["loss"])
            reached = [step for step, loss in zip(own["step"], own["loss"], strict=True)
                       if loss <= lowest]  # fmt: skip
            if not reached:
                return Finding(f"{what}: not reached with seed {seed}", False)
            best = other["step"][other["loss"].index(lowest)]
            shares.append(reached[0] * own["seconds"] / (best * other["seconds"]))
        text = f"{what}, by seed: {', '.join(f'{100 * share:.0f} %' for share in shares)} of its"
        return Finding(text, max(shares) <= HALF_TIME)

    return Part((system, baseline), find)


def _curve_of(result: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """The validations of a seed, and the seconds of an update."""
    curve = result["curves"][result["seeds"].index(seed)]
    return {**curve, "seconds": result["cost"]["update_seconds"]}


def stable_over(lengths: Mapping[int, str]) -> Part:
    """That d-BLEU does not depend on the length of instances.

    Args:
        lengths: the experiment of each length.
    """

    def find(results: Results) -> Finding:
        what = "d-BLEU by tokens"
        if any(name not in results for name in lengths.values()):
            return Finding(f"{what}: {UNKNOWN}", None)
        scores = {
            tokens: results[name]["scores"]["d-BLEU"]["mean"] for tokens, name in lengths.items()
        }
        each = ", ".join(f"{tokens}: {score:.2f}" for tokens, score in scores.items())
        return Finding(f"{what}: {each}", min(scores.values()) >= STABLE * max(scores.values()))

    return Part(tuple(lengths.values()), find)


def flat_where_failing(*names: str) -> Part:
    """That cross-attention stays as flat as can be where a system has not learned to translate."""

    def is_flat(bits: float, uniform: float) -> bool:
        return bits >= NEAR_UNIFORM * uniform

    return _entropies(names, "fail", lambda bleu: bleu < FAILED_BLEU, is_flat)


def sharp_where_learning(*names: str) -> Part:
    """That cross-attention is not flat where a system has learned to translate."""

    def is_sharp(bits: float, uniform: float) -> bool:
        return bits < NEAR_UNIFORM * uniform

    return _entropies(names, "learn", lambda bleu: bleu > LEARNED_BLEU, is_sharp)


def _entropies(
    names: Sequence[str], does: str, is_case: Callable[[float], bool],
    should: Callable[[float, float], bool],
) -> Part:  # fmt: skip
    """That the entropy of cross-attention is as it should be in all runs of some experiments that
    are a case of it by their d-BLEU."""
    what = f"entropy of cross-attention in runs that {does}"

    def find(results: Results) -> Finding:
        if any(name not in results for name in names):
            return Finding(f"{what}: {UNKNOWN}", None)
        texts, holds = [], []
        for name in names:
            for run in results[name]["runs"]:
                if is_case(run["scores"]["d-BLEU"]):
                    bits, uniform = (
                        fmean(one[key] for one in run["cross_attention"])
                        for key in ("bits", "uniform_bits")
                    )
                    texts.append(f"`{name}` {bits:.2f} of {uniform:.2f} bits")
                    holds.append(should(bits, uniform))
        if not texts:
            return Finding(f"{what}: none of them does", None, is_testable=False)
        return Finding(f"{what}: {'; '.join(texts)}", all(holds))

    return Part(tuple(names), find)


def declines_less(system: str, baseline: str) -> Part:
    """That a system loses less s-BLEU from the first to the last position of a window than another,
    with every seed."""
    what = f"s-BLEU lost from the first to the last position, `{system}` against `{baseline}`"

    def find(results: Results) -> Finding:
        losses = [
            {seed: run["positions"][0] - run["positions"][-1]
             for seed, run in zip(one["seeds"], one["runs"], strict=True)}
            for one in (results.get(name, {"seeds": [], "runs": []}) for name in (system, baseline))
        ]  # fmt: skip
        if not (common := sorted({*losses[0]} & {*losses[1]})):
            return Finding(f"{what}: {UNKNOWN}", None)
        each = ", ".join(f"{losses[0][seed]:.2f} against {losses[1][seed]:.2f}" for seed in common)
        holds = all(losses[0][seed] < losses[1][seed] for seed in common)
        return Finding(f"{what}: {each}", holds)

    return Part((system, baseline), find)


def slower_in_order(*names: str) -> Part:
    """That systems are slower to search with in this order."""

    def find(results: Results) -> Finding:
        what = "sentences translated per second"
        costs = [results.get(name, {}).get("cost") for name in names]
        if not all(costs):
            return Finding(f"{what}: {UNKNOWN}", None)
        speeds = [cost["sentences_per_second"] for cost in costs if cost]
        each = " : ".join(f"{speed:.1f}" for speed in speeds)
        return Finding(f"{what}: {each}", all(a > b for a, b in pairwise(speeds)))

    return Part(names, find)
