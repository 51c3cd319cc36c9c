"""The tables of `results/claims.md` and `results/tables.md`, from the results alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from docmt_research.analysis.categories import FIRST
from papers_experiments import EXPERIMENTS, LENGTHS
from papers_figures import VISIBLE_BITS
from papers_findings import interval_text, is_better
from papers_series import Results

_EXAMPLES_OF = "g-transformer-finetuned-sentence-positions-no-word-dropout"
NOTHING = "*Nothing has been measured yet.*"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    if not rows:
        return NOTHING
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def measured(results: Results, *, key: str = "scores") -> list[str]:
    """The experiments that have a kind of result."""
    return [name for name in EXPERIMENTS if results.get(name, {}).get(key)]


def _systems(results: Results) -> str:
    """Scores and costs of each system."""
    rows = []
    for name in measured(results):
        result = results[name]
        runs = result["runs"]
        rows.append(
            [
                EXPERIMENTS[name].title,
                str(len(result["seeds"])),
                f"{fmean(run['updates'] for run in runs):,.0f}",
                f"{fmean(run['tokens'] for run in runs) / 1e6:.2f}",
                f"{fmean(run['valid_loss'] for run in runs):.3f}",
                *(_score(result["scores"].get(m)) for m in ("s-BLEU", "d-BLEU", "s-chrF", "LTCR")),
            ]
        )
    header = ["system", "seeds", "updates", "million target tokens", "validation loss"]
    return table([*header, "s-BLEU", "d-BLEU", "s-chrF", "LTCR"], rows)


def _score(score: Mapping[str, Any] | None) -> str:
    """A score with its interval."""
    if score is None:
        return ""
    ends = f" ({score['low']:.2f}–{score['high']:.2f})" if score.get("low") is not None else ""
    return f"{score['mean']:.2f}{ends}"


def _costs(results: Results) -> str:
    """What training and search cost, a table for each series, as each has its machine."""
    timed = measured(results, key="costs")
    texts = []
    for series in sorted({series for name in timed for series in results[name]["costs"]}):
        names = [name for name in timed if series in results[name]["costs"]]
        machine = results[names[0]]["costs"][series]["machine"]
        texts.append(f"{machine}:\n\n{_costs_of_series(results, names, series)}")
    return "\n\n".join(texts) or NOTHING


def _costs_of_series(results: Results, names: Sequence[str], series: str) -> str:
    """What training and search cost on the machine of a series."""
    rows = []
    for name in names:
        runs, cost = results[name]["runs"], results[name]["costs"][series]
        hours = fmean(run["updates"] for run in runs) * cost["update_seconds"] / 3600
        keys = ("tokens_per_second", "sentences_per_second", "words_per_second")
        speeds = [f"{cost[key]:,.0f}" if key in cost else "" for key in keys]
        parameters = f"{runs[0]['parameters']:,}"
        rows.append([EXPERIMENTS[name].title, parameters, speeds[0], f"{hours:.1f}", *speeds[1:]])
    header = [
        "system",
        "parameters",
        "training: target tokens per second",
        "training: hours of its own",
        "search: sentences per second",
        "search: words per second",
    ]
    return table(header, rows)


def _tests(results: Results) -> str:
    """Every system against what it is compared with."""
    rows = []
    for name in measured(results):
        result = results[name]
        likelihoods = {one["baseline"]: one for one in result["likelihood"]}
        for baseline in EXPERIMENTS[name].compare:
            by_metric = {
                one["metric"]: one for one in result["comparisons"] if one["baseline"] == baseline
            }
            if by_metric:
                rows.append(
                    [
                        EXPERIMENTS[name].title,
                        EXPERIMENTS[baseline].title,
                        *(_test(by_metric.get(m)) for m in ("s-BLEU", "d-BLEU", "s-chrF", "LTCR")),
                        _bits(likelihoods.get(baseline)),
                    ]
                )
    header = ["system", "against", "s-BLEU", "d-BLEU", "s-chrF", "LTCR", "bits per sentence"]
    return table(header, rows)


def _test(test: Mapping[str, Any] | None) -> str:
    """A difference with its interval and p-value."""
    if test is None:
        return ""
    text = interval_text(test)
    return f"**{text}**" if is_better(test) else text


def _bits(value: Mapping[str, Any] | None) -> str:
    """Bits with their interval, bold if all of it is above 0."""
    if value is None:
        return ""
    mean, low, high = (
        f"{value[key]:+.2f}".replace("-0.00", "+0.00") for key in ("bits", "low", "high")
    )
    text = f"{mean} ({low} to {high})"
    return f"**{text}**" if value["low"] >= VISIBLE_BITS else text


_CONDITIONS = {
    "own": "own context",
    "translated": "own context, as translated",
    "shuffled": "shuffled context",
    "own-shuffled": "own − shuffled",
}


def _context(results: Results) -> str:
    """What context is worth to each system."""
    rows = [
        [EXPERIMENTS[name].title, *(_bits(results[name]["context"].get(c)) for c in _CONDITIONS)]
        for name in measured(results, key="context")
    ]
    return table(["system", *_CONDITIONS.values()], rows)


def _phenomena(results: Results) -> str:
    """What its own context is worth more than shuffled context, by phenomenon."""
    names = measured(results, key="context")
    if not names:
        return NOTHING
    categories = {c: v for c, v in results[names[0]]["context"]["phenomena"].items() if c != FIRST}
    header = ["system", *(f"{c} ({v['sentences']})" for c, v in categories.items())]
    rows = []
    for name in names:
        found = results[name]["context"]["phenomena"]
        cells = [_bits(found.get(category, {}).get("own-shuffled")) for category in categories]
        rows.append([EXPERIMENTS[name].title, *cells])
    return table(header, rows)


def _gains(results: Results) -> str:
    """How much more probable references are than to the control of each system, by phenomenon."""
    gains = against_control(results, "likelihood")
    if not gains:
        return NOTHING
    phenomena = next(iter(gains.values()))["phenomena"]
    rows = [
        [*titles(name, one), _bits(one), *(_bits(one["phenomena"].get(p)) for p in phenomena)]
        for name, one in gains.items()
    ]
    return table(["system", "against", "all sentences", *phenomena], rows)


def against_control(results: Results, key: str) -> dict[str, Mapping[str, Any]]:
    """What is known of each system that reads context against its sentence-level control.

    Args:
        results: of all experiments.
        key: `likelihood`, or `comparisons` for those of s-BLEU.
    """
    return {
        name: one
        for name in measured(results, key="context")
        for one in results[name][key]
        if one["baseline"] == EXPERIMENTS[name].control and one.get("metric", "s-BLEU") == "s-BLEU"
    }


def titles(name: str, one: Mapping[str, Any]) -> list[str]:
    """The titles of a system and of what it is compared with."""
    return [EXPERIMENTS[key].title for key in (name, one["baseline"])]


def _examples(results: Results) -> str:
    """The sentences to which their own context is worth most."""
    rows = []
    for one in results.get(_EXAMPLES_OF, {}).get("context", {}).get("examples", ()):
        texts = [
            " / ".join(text.replace("|", "\\|") for text in one[key])
            for key in ("before", "sentence")
        ]
        rows.append([*texts, *(f"{one[key]:+.1f}" for key in ("own", "own-shuffled"))])
    header = ["the sentence before", "the sentence", "against none", "against shuffled"]
    return table(header, rows)


def _gates(results: Results) -> str:
    """How much of the context gates let through at the first and at the last validation."""
    rows = []
    for name in measured(results):
        curves = [one for one in results[name]["curves"] if "context_share" in one]
        if curves:
            shares = [fmean(one["context_share"][at] for one in curves) for at in (0, -1)]
            rows.append([EXPERIMENTS[name].title, *(f"{100 * share:.1f} %" for share in shares)])
    return table(["system", "at the first validation", "at the last"], rows)


def _attention(results: Results) -> str:
    """The entropy of cross-attention at the end of training."""
    rows = []
    for name in measured(results):
        runs = results[name]["runs"]
        for one in runs[0]["cross_attention"]:
            same = [o for run in runs for o in run["cross_attention"] if o["key"] == one["key"]]
            bits, uniform = (fmean(o[key] for o in same) for key in ("bits", "uniform_bits"))
            title = EXPERIMENTS[name].title
            rows.append([title, f"`{one['key']}`", f"{bits:.2f}", f"{uniform:.2f}"])
    header = ["system", "attention", "bits", "if all weights were equal"]
    return table(header, rows)


def _positions(results: Results) -> str:
    """The s-BLEU of the j-th sentence of sliding windows."""
    rows = []
    for name in measured(results):
        each = [run["positions"] for run in results[name]["runs"] if run["positions"]]
        if each:
            means = [f"{fmean(column):.2f}" for column in zip(*each, strict=True)]
            rows.append([EXPERIMENTS[name].title, *means])
    width = max((len(row) for row in rows), default=1)
    header = ["system", *(f"position {j}" for j in range(1, width))]
    return table(header, rows)


def _lengths(results: Results) -> str:
    """The G-Transformer by the length of its instances."""
    rows = []
    for tokens, name in sorted(LENGTHS.items()):
        if name in results:
            result = results[name]
            loss = fmean(run["valid_loss"] for run in result["runs"])
            scores = [_score(result["scores"].get(metric)) for metric in ("s-BLEU", "d-BLEU")]
            rows.append([str(tokens), f"{loss:.3f}", *scores])
    return table(["tokens", "validation loss", "s-BLEU", "d-BLEU"], rows)


TABLES: dict[str, Callable[[Results], str]] = {
    "systems": _systems,
    "tests": _tests,
    "costs": _costs,
    "context": _context,
    "phenomena": _phenomena,
    "attention": _attention,
    "positions": _positions,
    "lengths": _lengths,
    "examples": _examples,
    "gains": _gains,
    "gates": _gates,
}
