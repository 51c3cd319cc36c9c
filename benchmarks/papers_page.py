"""The tables of `docs/results/papers.md`, each between two comments that name it, from the results
alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from docmt.errors import InputError
from docmt.evaluation.discourse.categories import FIRST
from docmt.files import write_text
from papers_claims import CLAIMS, Claim, disagreeing, lost_to_correction, spread
from papers_experiments import EXPERIMENTS, LENGTHS
from papers_figures import FIGURES, VISIBLE_BITS, draw_figures, image, write_figures
from papers_findings import State, interval_text, is_better
from papers_series import FOLDER, Results

PAGE = FOLDER.parents[1] / "papers.md"

_EXAMPLES_OF = "g-transformer-finetuned-sentence-positions-no-word-dropout"
_NOTHING = "*Nothing has been measured yet.*"
_BLOCK = re.compile(r"(<!-- papers: ([a-z-]+) -->\n).*?(<!-- end of papers -->)", re.DOTALL)


def write_page(results: Results, page: Path = PAGE, figures: Path = FIGURES) -> None:
    """Write the tables into the page, and draw the figures into a folder.

    Raises:
        InputError: there is no page or no folder, or the page has no place for a table, or for one
            that there is not.
    """
    if not page.is_file():
        raise InputError("no such file", path=page)
    if not figures.is_dir():
        raise InputError("no such folder", path=figures)
    drawn = draw_figures(results)
    text = with_tables(page.read_text("utf-8"), results, drawn)
    write_figures(drawn, figures)
    write_text(page, text)


def with_tables(page: str, results: Results, figures: Container[str]) -> str:
    """A page with the tables of the results.

    Args:
        page: the text of the page.
        results: of all experiments.
        figures: the names of those that there are.

    Raises:
        InputError: it has no place for a table, or for one that there is not.
    """
    named = [match[2] for match in _BLOCK.finditer(page)]
    if sorted(named) != sorted(_TABLES):
        raise InputError(f"the page has places for {named}, and there is {sorted(_TABLES)}")

    def block(match: re.Match[str]) -> str:
        begin, name, end = match.groups()
        text = _TABLES[name](results).strip()
        if _FIGURES.get(name) in figures:
            text += f"\n\n{image(_FIGURES[name])}"
        return f"{begin}{text}\n{end}"

    return _BLOCK.sub(block, page)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    if not rows:
        return _NOTHING
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _measured(results: Results, *, key: str = "scores") -> list[str]:
    """The experiments that have a kind of result."""
    return [name for name in EXPERIMENTS if results.get(name, {}).get(key)]


def _claims(results: Results) -> str:
    """The verdicts, in one table."""
    rows = [
        [str(claim.number), claim.text, claim.paper, _verdict(claim, results)] for claim in CLAIMS
    ]
    return _table(["", "claim", "in the paper", "verdict"], rows)


def _verdict(claim: Claim, results: Results) -> str:
    """A verdict, and whether it rests on one seed alone."""
    verdict = claim.verdict(results)
    parts = (*claim.parts, *claim.controls)
    measured = [results[name] for part in parts for name in part.experiments if name in results]
    is_early = verdict != State.UNKNOWN and any(len(result["seeds"]) < 2 for result in measured)
    return f"**{verdict}**{' with one seed' if is_early else ''}"


def _findings(results: Results) -> str:
    """What we find of each claim, and the command that trains what tests it."""
    parts = []
    for claim in CLAIMS:
        lines = [f"### {claim.number}. {claim.text}", "", f"In the paper: {claim.paper}.", ""]
        kinds = [""] * len(claim.parts) + ["control: "] * len(claim.controls)
        kinds += ["beyond the paper: "] * len(claim.more)
        for finding, kind in zip(claim.findings(results), kinds, strict=True):
            lines.append(f"- {kind}{finding.text}: **{finding.state}**")
        lines += ["", claim.note] if claim.note else []
        names = " ".join(claim.experiments)
        command = f"python benchmarks/papers.py train --runs RUNS --data CORPUS --only {names}"
        lines += ["", f"Verdict: {_verdict(claim, results)}. To train: `{command}`", ""]
        parts.append("\n".join(lines))
    return "\n".join(parts)


def _systems(results: Results) -> str:
    """Scores and costs of each system."""
    rows = []
    for name in _measured(results):
        result = results[name]
        runs = result["runs"]
        rows.append([
            EXPERIMENTS[name].title, str(len(result["seeds"])),
            f"{fmean(run['updates'] for run in runs):,.0f}",
            f"{fmean(run['tokens'] for run in runs) / 1e6:.2f}",
            f"{fmean(run['valid_loss'] for run in runs):.3f}",
            *(_score(result["scores"].get(m)) for m in ("s-BLEU", "d-BLEU", "s-chrF", "LTCR")),
        ])  # fmt: skip
    header = ["system", "seeds", "updates", "million target tokens", "validation loss"]
    return _table([*header, "s-BLEU", "d-BLEU", "s-chrF", "LTCR"], rows)


def _score(score: Mapping[str, Any] | None) -> str:
    """A score with its interval."""
    if score is None:
        return ""
    ends = f" ({score['low']:.2f}–{score['high']:.2f})" if score.get("low") is not None else ""
    return f"{score['mean']:.2f}{ends}"


def _costs(results: Results) -> str:
    """What training and search cost, a table for each machine."""
    series: dict[str, list[str]] = {}
    for name in _measured(results, key="cost"):
        series.setdefault(results[name]["cost"]["series"], []).append(name)
    texts = []
    for _, names in sorted(series.items()):
        machine = results[names[0]]["cost"]["machine"]
        texts.append(f"{machine}:\n\n{_costs_of_series(results, names)}")
    return "\n\n".join(texts) or _NOTHING


def _costs_of_series(results: Results, names: Sequence[str]) -> str:
    """What training and search cost on one machine."""
    rows = []
    for name in names:
        runs, cost = results[name]["runs"], results[name]["cost"]
        hours = fmean(run["updates"] for run in runs) * cost["update_seconds"] / 3600
        keys = ("tokens_per_second", "sentences_per_second", "words_per_second")
        speeds = [f"{cost[key]:,.0f}" if key in cost else "" for key in keys]
        parameters = f"{runs[0]['parameters']:,}"
        rows.append([EXPERIMENTS[name].title, parameters, speeds[0], f"{hours:.1f}", *speeds[1:]])
    header = [
        "system", "parameters", "training: target tokens per second", "training: hours of its own",
        "search: sentences per second", "search: words per second",
    ]  # fmt: skip
    return _table(header, rows)


def _tests(results: Results) -> str:
    """Every system against what it is compared with."""
    rows = []
    for name in _measured(results):
        result = results[name]
        likelihoods = {one["baseline"]: one for one in result["likelihood"]}
        for baseline in EXPERIMENTS[name].compare:
            by_metric = {
                one["metric"]: one for one in result["comparisons"] if one["baseline"] == baseline
            }
            if by_metric:
                rows.append([
                    EXPERIMENTS[name].title, EXPERIMENTS[baseline].title,
                    *(_test(by_metric.get(m)) for m in ("s-BLEU", "d-BLEU", "s-chrF", "LTCR")),
                    _bits(likelihoods.get(baseline)),
                ])  # fmt: skip
    header = ["system", "against", "s-BLEU", "d-BLEU", "s-chrF", "LTCR", "bits per sentence"]
    return _table(header, rows)


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
    mean, low, high = (f"{value[key]:+.2f}".replace("-0.00", "+0.00")
                       for key in ("bits", "low", "high"))  # fmt: skip
    text = f"{mean} ({low} to {high})"
    return f"**{text}**" if value["low"] >= VISIBLE_BITS else text


_CONDITIONS = {
    "own": "own context", "translated": "own context, as translated",
    "shuffled": "shuffled context", "own-shuffled": "own − shuffled",
}  # fmt: skip


def _context(results: Results) -> str:
    """What context is worth to each system."""
    rows = [
        [EXPERIMENTS[name].title, *(_bits(results[name]["context"].get(c)) for c in _CONDITIONS)]
        for name in _measured(results, key="context")
    ]
    return _table(["system", *_CONDITIONS.values()], rows)


def _phenomena(results: Results) -> str:
    """What its own context is worth more than shuffled context, by phenomenon."""
    names = _measured(results, key="context")
    if not names:
        return _NOTHING
    categories = {c: v for c, v in results[names[0]]["context"]["phenomena"].items() if c != FIRST}
    header = ["system", *(f"{c} ({v['sentences']})" for c, v in categories.items())]
    rows = []
    for name in names:
        found = results[name]["context"]["phenomena"]
        cells = [_bits(found.get(category, {}).get("own-shuffled")) for category in categories]
        rows.append([EXPERIMENTS[name].title, *cells])
    return _table(header, rows)


def _gains(results: Results) -> str:
    """How much more probable references are than to the first system that each system is compared
    with, by phenomenon."""
    firsts = _against_first(results, "likelihood")
    if not firsts:
        return _NOTHING
    phenomena = next(iter(firsts.values()))["phenomena"]
    rows = [
        [*_pair(name, one), _bits(one), *(_bits(one["phenomena"].get(p)) for p in phenomena)]
        for name, one in firsts.items()
    ]
    return _table(["system", "against", "all sentences", *phenomena], rows)


def _against_first(results: Results, key: str) -> dict[str, Mapping[str, Any]]:
    """What is known of each system that reads context against the first that it is compared with:
    its likelihood or its s-BLEU."""
    found = {}
    for name in _measured(results, key="context"):
        first = EXPERIMENTS[name].compare[0]
        for one in results[name][key]:
            if one["baseline"] == first and one.get("metric", "s-BLEU") == "s-BLEU":
                found[name] = one
    return found


def _pair(name: str, one: Mapping[str, Any]) -> list[str]:
    """The titles of a system and of what it is compared with."""
    return [EXPERIMENTS[key].title for key in (name, one["baseline"])]


def _examples(results: Results) -> str:
    """The sentences to which their own context is worth most."""
    rows = []
    for one in results.get(_EXAMPLES_OF, {}).get("context", {}).get("examples", ()):
        texts = [" / ".join(text.replace("|", "\\|") for text in one[key])
                 for key in ("before", "sentence")]  # fmt: skip
        rows.append([*texts, *(f"{one[key]:+.1f}" for key in ("own", "own-shuffled"))])
    header = ["the sentence before", "the sentence", "against none", "against shuffled"]
    return _table(header, rows)


def _where(results: Results) -> str:
    """The answer to where context pays, from the intervals and tests."""
    names = _measured(results, key="context")
    if not names:
        return _NOTHING
    reads = [
        EXPERIMENTS[name].title
        for name in names if results[name]["context"]["own-shuffled"]["low"] >= VISIBLE_BITS
    ]  # fmt: skip
    gains = [
        " over ".join(_pair(name, one))
        for name, one in _against_first(results, "likelihood").items() if one["low"] > 0
    ]  # fmt: skip
    bleu = [
        " over ".join(_pair(name, one))
        for name, one in _against_first(results, "comparisons").items() if is_better(one)
    ]  # fmt: skip
    lines = [
        ("Its own context is worth more than that of another sentence to", reads),
        ("Of all against the first that they are compared with, references are more probable to",
         gains),
        ("and s-BLEU is better, beyond chance, of", bleu),
    ]  # fmt: skip
    return "\n".join(f"- {text}: {'; '.join(found) or 'none of them'}." for text, found in lines)


def _gates(results: Results) -> str:
    """How much of the context gates let through at the first and at the last validation."""
    rows = []
    for name in _measured(results):
        curves = [one for one in results[name]["curves"] if "context_share" in one]
        if curves:
            shares = [fmean(one["context_share"][at] for one in curves) for at in (0, -1)]
            rows.append([EXPERIMENTS[name].title, *(f"{100 * share:.1f} %" for share in shares)])
    return _table(["system", "at the first validation", "at the last"], rows)


def _holm(results: Results) -> str:
    """What does not count any more if all tests of the claims are corrected together."""
    count, lost = lost_to_correction(results)
    text = f"With Holm's correction over the {count} tests of the claims and their controls, "
    return text + (f"these do not count: {'; '.join(lost)}." if lost else "the same ones count.")


def _attention(results: Results) -> str:
    """The entropy of cross-attention at the end of training."""
    rows = []
    for name in _measured(results):
        runs = results[name]["runs"]
        for one in runs[0]["cross_attention"]:
            same = [o for run in runs for o in run["cross_attention"] if o["key"] == one["key"]]
            bits, uniform = (fmean(o[key] for o in same) for key in ("bits", "uniform_bits"))
            title = EXPERIMENTS[name].title
            rows.append([title, f"`{one['key']}`", f"{bits:.2f}", f"{uniform:.2f}"])
    header = ["system", "attention", "bits", "if all weights were equal"]
    return _table(header, rows)


def _positions(results: Results) -> str:
    """The s-BLEU of the j-th sentence of sliding windows."""
    rows = []
    for name in _measured(results):
        each = [run["positions"] for run in results[name]["runs"] if run["positions"]]
        if each:
            means = [f"{fmean(column):.2f}" for column in zip(*each, strict=True)]
            rows.append([EXPERIMENTS[name].title, *means])
    width = max((len(row) for row in rows), default=1)
    header = ["system", *(f"position {j}" for j in range(1, width))]
    return _table(header, rows)


def _lengths(results: Results) -> str:
    """The G-Transformer by the length of its instances."""
    rows = []
    for tokens, name in sorted(LENGTHS.items()):
        if name in results:
            result = results[name]
            loss = fmean(run["valid_loss"] for run in result["runs"])
            scores = [_score(result["scores"].get(metric)) for metric in ("s-BLEU", "d-BLEU")]
            rows.append([str(tokens), f"{loss:.3f}", *scores])
    return _table(["tokens", "validation loss", "s-BLEU", "d-BLEU"], rows)


def _progress(results: Results) -> str:
    """What has been measured, and what gets a third seed."""
    done = [name for name in EXPERIMENTS if name in results]
    text = f"{len(done)} of {len(EXPERIMENTS)} experiments have been measured"
    open_claims = [str(c.number) for c in CLAIMS if c.verdict(results) == State.UNKNOWN]
    if open_claims:
        text += f"; claims {', '.join(open_claims)} wait for others"
    if again := disagreeing(results):
        names = ", ".join(f"`{name}`" for name in again)
        text += f". The first two seeds disagree on {names}, which `train` gives a third"
    return text + "."


_TABLES: dict[str, Callable[[Results], str]] = {
    "progress": _progress, "claims": _claims, "findings": _findings, "systems": _systems,
    "tests": _tests, "costs": _costs, "where": _where, "context": _context,
    "phenomena": _phenomena, "attention": _attention, "positions": _positions,
    "lengths": _lengths, "examples": _examples, "gains": _gains, "gates": _gates, "holm": _holm,
    "seeds": spread,
}  # fmt: skip

_FIGURES = {
    "tests": "differences", "phenomena": "context", "attention": "curves",
    "positions": "positions", "lengths": "lengths",
}  # fmt: skip
"""The figure below a table."""
