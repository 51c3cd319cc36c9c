"""What our results say of one thing that a claim says: a difference, a failure, an order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from statistics import fmean
from typing import Any, Literal

from docmt_nmt.evaluation import format_p
from papers_series import Results

LEVEL = 0.05
"""Of significance."""

FAILED_BLEU, LEARNED_BLEU = 3.0, 10.0
"""Trainings of Bao et al. 2021 failed below and succeeded above so many d-BLEU (section 3.1)."""

NEAR_UNIFORM = 0.95
"""Attention has not found anything if its entropy is so near that of equal weights."""

HALF_TIME = 0.6
"""What counts as “almost half”."""

STABLE = 0.9
"""A score is stable over lengths if the lowest is at least this share of the highest."""


class State(StrEnum):
    """Whether our results bear out what a claim says.

    `CHANCE` is a difference that is not significant, `UNDECIDED` one that is not and may be as
    large as in the paper; `UNTESTABLE` what cannot be known from these experiments, such as how
    failing systems look if none of them fails.
    """

    HOLDS = "yes"
    FAILS = "no"
    CHANCE = "not significant"
    CONTRARY = "no, the opposite"
    UNDECIDED = "cannot be told"
    UNTESTABLE = "not testable here"
    UNKNOWN = "not measured yet"


@dataclass(frozen=True, slots=True)
class Finding:
    """What our results say.

    Attributes:
        text: what is asked, and our figures.
        state: whether they bear a claim out.
        figures: these alone.
    """

    text: str
    state: State
    figures: str = ""


def _finding(what: str, figures: str, holds: bool, is_contrary: bool = False) -> Finding:
    """What is either so or not."""
    state = State.HOLDS if holds else State.CONTRARY if is_contrary else State.FAILS
    return Finding(f"{what}: {figures}", state, figures)


def _of_seeds(what: str, figures: str, holds: Sequence[bool]) -> Finding:
    """What is so with every seed, with none, or with some, which is chance."""
    state = State.HOLDS if all(holds) else State.CHANCE if any(holds) else State.FAILS
    return Finding(f"{what}: {figures}", state, figures)


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
                    **one,
                    "difference": sign * one["difference"],
                    "low": low,
                    "high": high,
                    "differences": {seed: sign * d for seed, d in one["differences"].items()},
                }
    return None


def is_better(test: Mapping[str, Any]) -> bool:
    """Whether a system is better than what it is compared with, beyond chance."""
    return bool(test["difference"] > 0 and test["p"] is not None and test["p"] < LEVEL)


def interval_text(test: Mapping[str, Any]) -> str:
    """A difference in short: `+0.31 (+0.02 to +0.60), p = 0.012`."""
    p = "" if test["p"] is None else f", p {format_p(test['p'])}"
    return f"{test['difference']:+.2f} ({test['low']:+.2f} to {test['high']:+.2f}){p}"


def better(system: str, baseline: str, metric: str = "s-BLEU", paper: float | None = None) -> Part:
    """That a system is better than another.

    Args:
        system: the one.
        baseline: the other.
        metric: of the difference.
        paper: how much better it is in the paper; None where that is not said.
    """

    def find(results: Results) -> Finding:
        pair = f"`{system}` against `{baseline}`"
        test = difference(results, system, baseline, metric)
        if test is None:
            return Finding(pair, State.UNKNOWN)
        each = ", ".join(f"{one:+.2f}" for one in test["differences"].values())
        seeds = f"by seed {each}" if test["seeds"] > 1 else "1 seed"
        if is_better(test):
            state = State.HOLDS
        elif is_better({**test, "difference": -test["difference"]}):
            state = State.CONTRARY
        else:
            may_be = paper is not None and test["low"] <= paper <= test["high"]
            state = State.UNDECIDED if may_be else State.CHANCE
        figures = f"{test['difference']:+.2f} ({test['low']:+.2f} to {test['high']:+.2f}) {metric}"
        return Finding(f"{pair}: {interval_text(test)}, {metric}, {seeds}", state, figures)

    return Part((system, baseline), find, metric)


def likelier(system: str, baseline: str) -> Part:
    """That references are more probable to a system than to another."""

    def find(results: Results) -> Finding:
        pair = f"bits that a reference is more probable to `{system}` than to `{baseline}`"
        for name, other, sign in ((system, baseline, 1), (baseline, system, -1)):
            for one in results.get(name, {}).get("likelihood", ()):
                if one["baseline"] == other:
                    low, high = sorted((sign * one["low"], sign * one["high"]))
                    figures = f"{sign * one['bits']:+.2f} ({low:+.2f} to {high:+.2f})"
                    state = State.HOLDS if low > 0 else State.CHANCE
                    state = State.CONTRARY if high < 0 else state
                    return Finding(f"{pair}: {figures}", state, figures)
        return Finding(pair, State.UNKNOWN)

    return Part((system, baseline), find)


def fails(system: str) -> Part:
    """That a system does not learn to translate at all."""
    what = f"`{system}` fails, with d-BLEU below {FAILED_BLEU:g}"

    def find(results: Results) -> Finding:
        score = results.get(system, {}).get("scores", {}).get("d-BLEU")
        if score is None:
            return Finding(what, State.UNKNOWN)
        if FAILED_BLEU <= score["mean"] <= LEARNED_BLEU:
            figures = _score(score)
            return Finding(f"{what}: {figures}, neither", State.UNTESTABLE, figures)
        is_contrary = score["low"] > LEARNED_BLEU
        return _finding(what, _score(score), score["high"] < FAILED_BLEU, is_contrary)

    return Part((system,), find)


def learns(system: str) -> Part:
    """That a system learns to translate."""
    what = f"`{system}` learns, with d-BLEU above {LEARNED_BLEU:g}"

    def find(results: Results) -> Finding:
        score = results.get(system, {}).get("scores", {}).get("d-BLEU")
        if score is None:
            return Finding(what, State.UNKNOWN)
        is_contrary = score["high"] < FAILED_BLEU
        return _finding(what, _score(score), score["low"] > LEARNED_BLEU, is_contrary)

    return Part((system,), find)


def _score(score: Mapping[str, Any]) -> str:
    return f"{score['mean']:.2f} d-BLEU ({score['low']:.2f} to {score['high']:.2f})"


def largest_drop(*names: str, metric: str = "d-BLEU") -> Part:
    """That the last of some steps costs the most, with every seed that all of them have."""

    def find(results: Results) -> Finding:
        tests = [difference(results, a, b, metric) for a, b in pairwise(names)]
        known = [test["differences"] for test in tests if test is not None]
        what = f"{metric} that each of {len(tests)} steps costs, the last the most"
        seeds = sorted(set[str].intersection(*map(set, known))) if known else []
        if len(known) < len(tests) or not seeds:
            return Finding(what, State.UNKNOWN)
        by_seed = [[drops[seed] for drops in known] for seed in seeds]
        texts = [", ".join(f"{drop:+.2f}" for drop in drops) for drops in by_seed]
        holds = [drops[-1] > max(drops[:-1]) for drops in by_seed]
        return _of_seeds(what, f"steps by seed {'; '.join(texts)}", holds)

    return Part(names, find)


def half_the_time(system: str, baseline: str) -> Part:
    """That a system reaches the lowest validation loss of another in half the time."""
    what = (
        f"time of `{system}` to the lowest validation loss of `{baseline}`, at most "
        f"{100 * HALF_TIME:.0f} % of its"
    )

    def find(results: Results) -> Finding:
        runs = [results.get(name) for name in (system, baseline)]
        seeds = [{*run["seeds"]} if run else set() for run in runs]
        if runs[0] is None or runs[1] is None or not (common := sorted(seeds[0] & seeds[1])):
            return Finding(what, State.UNKNOWN)
        if runs[1]["scores"]["d-BLEU"]["low"] < LEARNED_BLEU:
            text = f"{what}: `{baseline}` has not learned to translate, so its loss says nothing"
            return Finding(text, State.UNTESTABLE)
        costs = _costs(results, system, baseline)
        if costs is None:
            return Finding(what, State.UNKNOWN)
        shares = []
        for seed in common:
            own, other = (
                {**_curve_of(one, seed), "seconds": cost["update_seconds"]}
                for one, cost in zip((runs[0], runs[1]), costs, strict=True)
            )
            lowest = min(other["loss"])
            reached = [
                step for step, loss in zip(own["step"], own["loss"], strict=True) if loss <= lowest
            ]
            if not reached:
                return Finding(f"{what}: not reached with seed {seed}", State.FAILS)
            best = other["step"][other["loss"].index(lowest)]
            shares.append(reached[0] * own["seconds"] / (best * other["seconds"]))
        figures = f"{', '.join(f'{100 * share:.0f} %' for share in shares)} by seed"
        return _finding(what, figures, max(shares) <= HALF_TIME)

    return Part((system, baseline), find)


def _costs(results: Results, *names: str) -> list[Mapping[str, Any]] | None:
    """What experiments cost, by the last series that has timed all of them, if there is one."""
    each = [results.get(name, {}).get("costs", {}) for name in names]
    common = set(each[0]).intersection(*each[1:])
    return [costs[max(common)] for costs in each] if common else None


def _curve_of(result: Mapping[str, Any], seed: int) -> Mapping[str, Any]:
    """The validations of a seed."""
    curve: Mapping[str, Any] = result["curves"][result["seeds"].index(seed)]
    return curve


def stable_over(lengths: Mapping[int, str]) -> Part:
    """That d-BLEU does not depend on the length of instances.

    Args:
        lengths: the experiment of each length.
    """

    def find(results: Results) -> Finding:
        what = f"d-BLEU by tokens, the lowest at least {100 * STABLE:.0f} % of the highest"
        if any(name not in results for name in lengths.values()):
            return Finding(what, State.UNKNOWN)
        scores = {
            tokens: results[name]["scores"]["d-BLEU"]["mean"] for tokens, name in lengths.items()
        }
        each = ", ".join(f"{tokens}: {score:.2f}" for tokens, score in scores.items())
        return _finding(what, each, min(scores.values()) >= STABLE * max(scores.values()))

    return Part(tuple(lengths.values()), find)


def flat_where_failing(*names: str) -> Part:
    """That cross-attention stays as flat as can be where a system has not learned to translate."""
    return _entropies(names, "fail", lambda bleu: bleu < FAILED_BLEU, "at least")


def sharp_where_learning(*names: str) -> Part:
    """That cross-attention is not flat where a system has learned to translate."""
    return _entropies(names, "learn", lambda bleu: bleu > LEARNED_BLEU, "below")


def _entropies(
    names: Sequence[str],
    does: str,
    is_case: Callable[[float], bool],
    should: Literal["at least", "below"],
) -> Part:
    """That cross-attention is as flat as it should be in all runs of some experiments that are a
    case of it by their d-BLEU."""
    what = (
        f"entropy of cross-attention in runs that {does}, {should} {100 * NEAR_UNIFORM:.0f} % of "
        "that of equal weights"
    )

    def find(results: Results) -> Finding:
        if any(name not in results for name in names):
            return Finding(what, State.UNKNOWN)
        texts, holds = [], []
        for name in names:
            for run in results[name]["runs"]:
                if is_case(run["scores"]["d-BLEU"]):
                    bits, uniform = (
                        fmean(one[key] for one in run["cross_attention"])
                        for key in ("bits", "uniform_bits")
                    )
                    texts.append(f"`{name}` {bits:.2f} of {uniform:.2f} bits")
                    is_flat = bits >= NEAR_UNIFORM * uniform
                    holds.append(is_flat == (should == "at least"))
        if not texts:
            return Finding(f"{what}: none does", State.UNTESTABLE)
        return _finding(what, "; ".join(texts), all(holds))

    return Part(tuple(names), find)


def entropy_falls(name: str) -> Part:
    """That cross-attention grows sharper from the first validation to the last, with every seed."""
    what = f"entropy of cross-attention of `{name}` from the first validation to the last"

    def find(results: Results) -> Finding:
        curves = [one["cross_global"] for one in results.get(name, {}).get("curves", ())]
        if not curves:
            return Finding(what, State.UNKNOWN)
        each = ", ".join(f"{bits[0]:.2f} to {bits[-1]:.2f}" for bits in curves)
        return _finding(what, f"{each} bits", all(bits[-1] < bits[0] for bits in curves))

    return Part((name,), find)


def declines_less(system: str, baseline: str) -> Part:
    """That a system loses less s-BLEU from the first to the last position of a window than another,
    with every seed."""
    what = f"lost from the first to the last position, `{system}` against `{baseline}`"

    def find(results: Results) -> Finding:
        losses = [
            {
                seed: run["positions"][0] - run["positions"][-1]
                for seed, run in zip(one["seeds"], one["runs"], strict=True)
            }
            for one in (results.get(name, {"seeds": [], "runs": []}) for name in (system, baseline))
        ]
        if not (common := sorted({*losses[0]} & {*losses[1]})):
            return Finding(what, State.UNKNOWN)
        each = ", ".join(f"{losses[0][seed]:.2f} against {losses[1][seed]:.2f}" for seed in common)
        holds = [losses[0][seed] < losses[1][seed] for seed in common]
        return _of_seeds(what, f"{each} s-BLEU", holds)

    return Part((system, baseline), find)


def slower_in_order(*names: str) -> Part:
    """That systems are slower to search with in this order."""

    def find(results: Results) -> Finding:
        what = "sentences translated per second"
        costs = _costs(results, *names)
        if costs is None:
            return Finding(what, State.UNKNOWN)
        speeds = [cost["sentences_per_second"] for cost in costs]
        each = " : ".join(f"{speed:.1f}" for speed in speeds)
        return _finding(what, each, all(a > b for a, b in pairwise(speeds)))

    return Part(names, find)
