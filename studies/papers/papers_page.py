"""What our results say of the papers' claims, and the two pages that say it, with all tables: each
between two comments that name it, from the results alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from pathlib import Path
from typing import Any

from docmt_files.base.errors import InputError
from docmt_files.storage.files import write_text
from papers_claims import CLAIMS, Claim, corrected, disagreeing, spread
from papers_experiments import EXPERIMENTS, PLACE
from papers_figures import FIGURES, VISIBLE_BITS, draw_figures, image, write_figures
from papers_findings import Part, State, difference, is_better
from papers_series import FOLDER, Results
from papers_tables import NOTHING, TABLES, against_control, measured, table, titles
from papers_verdicts import JUDGED_ON, later_text, smallest_visible, verdict_text

PAGES = FOLDER.parent
"""The folder of the pages."""

NAMES = ("claims.md", "tables.md")
SUMMARY = Path(__file__).parents[2] / "docs" / "results" / "papers.md"
"""The page of the site, which has the verdicts and one figure."""

_BLOCK = re.compile(r"(<!-- papers: ([a-z-]+) -->\n).*?(<!-- end of papers -->)", re.DOTALL)


def write_pages(results: Results, folder: Path = PAGES, figures: Path = FIGURES) -> None:
    """Write the tables into the pages, and draw the figures into a folder.

    Args:
        results: of all experiments.
        folder: that of the pages.
        figures: the folder of the figures.

    Raises:
        InputError: there is no page or no folder, or the pages have no place for a table, or one
            for a table that there is not.
    """
    for page in (folder / name for name in NAMES):
        if not page.is_file():
            raise InputError("no such file", path=page)
    if not figures.is_dir():
        raise InputError("no such folder", path=figures)
    drawn = draw_figures(results)
    pages = {name: (folder / name).read_text("utf-8") for name in NAMES}
    written = with_tables(pages, results, drawn)
    write_figures(drawn, figures)
    for name, text in written.items():
        write_text(folder / name, text)
    if folder == PAGES:
        write_text(SUMMARY, with_summary(SUMMARY.read_text("utf-8"), results))
        write_figures({"twins": drawn["twins"]}, SUMMARY.parent / "figures")


def outdated_pages(results: Results) -> list[Path]:
    """The pages whose tables are not those of the results. Nothing is written."""
    pages = {name: (PAGES / name).read_text("utf-8") for name in NAMES}
    expected = with_tables(pages, results, draw_figures(results))
    outdated = [PAGES / name for name, text in pages.items() if expected[name] != text]
    summary = SUMMARY.read_text("utf-8")
    return outdated + [SUMMARY] * (with_summary(summary, results) != summary)


def with_tables(
    pages: Mapping[str, str], results: Results, figures: Container[str]
) -> dict[str, str]:
    """Pages with the tables of the results.

    Args:
        pages: their texts by their names.
        results: of all experiments.
        figures: the names of those that there are.

    Raises:
        InputError: they have no place for a table, or one for a table that there is not.
    """
    named = sorted(match[2] for page in pages.values() for match in _BLOCK.finditer(page))
    if named != sorted(_BLOCKS):
        raise InputError(f"the pages have places for {named}, and there is {sorted(_BLOCKS)}")

    def block(match: re.Match[str]) -> str:
        begin, name, end = match.groups()
        text = _BLOCKS[name](results).strip()
        if _FIGURES.get(name) in figures:
            text += f"\n\n{image(_FIGURES[name])}"
        return f"{begin}{text}\n{end}"

    return {name: _BLOCK.sub(block, page) for name, page in pages.items()}


def with_summary(page: str, results: Results) -> str:
    """The page of the site with the verdicts of the results."""
    table_of = summary(results).strip()
    return _BLOCK.sub(lambda match: f"{match[1]}{table_of}\n{match[3]}", page)


def _claims(results: Results) -> str:
    """The verdicts, in one table."""
    rows = []
    for claim in CLAIMS:
        figures = [
            [found for part in parts if (found := part.find(results).figures)]
            for parts in (claim.parts, claim.more)
        ]
        here = "; ".join(figures[0] or figures[1])
        verdicts = [_verdict(claim, results), later_text(claim, results)]
        rows.append([str(claim.number), claim.text, claim.paper, here, *verdicts])
    heads = ["", "claim", "in the paper", "here, part by part", "verdict, part by part", _LATER]
    return table(heads, rows)


_LATER = f"later judgement, {JUDGED_ON}"
"""The head of the column of later verdicts."""


def _verdict(claim: Claim, results: Results) -> str:
    return f"**{verdict_text(claim, results)}**"


def _both_verdicts(claim: Claim, results: Results) -> str:
    """The verdict, and the later one where it differs."""
    later = later_text(claim, results)
    return _verdict(claim, results) + (f" ({_LATER}: {later})" if later else "")


def summary(results: Results) -> str:
    """The ten claims in one table: the paper's effect, ours with its seeds, the smallest effect
    that we could see, and the verdict."""
    rows = []
    for claim in CLAIMS:
        visible = [
            f"{size:.1f}" for part in claim.parts if (size := smallest_visible(part, results))
        ]
        rows.append(
            [
                str(claim.number),
                claim.text,
                claim.effect,
                _in_short(claim, results),
                ", ".join(dict.fromkeys(visible)) or "–",
                _verdict(claim, results),
                later_text(claim, results),
            ]
        )
    heads = ["", "claim", "in the paper", "here (by seed)", "smallest to see", "verdict", _LATER]
    return table(heads, rows)


def _in_short(claim: Claim, results: Results) -> str:
    """What we find of a claim: its differences with those of their seeds or, where it has none, its
    figures."""
    pairs = [(part, _tested(part, results)) for part in claim.parts]
    found = []
    for part, test in pairs:
        if test is not None:
            each = ", ".join(f"{one:+.1f}" for one in test["differences"].values())
            found.append(f"{test['difference']:+.1f} ({each}) {part.metric}")
    parts = (*claim.parts, *claim.more)
    return "; ".join(found or filter(None, (part.find(results).figures for part in parts)))


def _tested(part: Part, results: Results) -> Mapping[str, Any] | None:
    """The test of a part that is a difference of scores."""
    if part.metric is None:
        return None
    system, baseline = part.experiments
    return difference(results, system, baseline, part.metric)


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
        command = f"python studies/papers/papers.py train --runs RUNS --data CORPUS --only {names}"
        lines += ["", f"Verdict: {_both_verdicts(claim, results)}. To train: `{command}`", ""]
        parts.append("\n".join(lines))
    return "\n".join(parts)


def _where(results: Results) -> str:
    """The answer to where context pays, from the intervals and tests."""
    names = measured(results, key="context")
    if not names:
        return NOTHING
    reads = [
        EXPERIMENTS[name].title
        for name in names
        if results[name]["context"]["own-shuffled"]["low"] >= VISIBLE_BITS
    ]
    likelihoods = against_control(results, "likelihood")
    gains = [
        " over ".join(titles(name, one))
        for name, one in likelihoods.items()
        if one["low"] >= VISIBLE_BITS
    ]
    there = [
        " over ".join(titles(name, one))
        for name, one in likelihoods.items()
        if one["phenomena"].get(PLACE, one)["low"] >= VISIBLE_BITS
    ]
    bleu = [
        " over ".join(titles(name, one))
        for name, one in against_control(results, "comparisons").items()
        if is_better(one)
    ]
    lines = [
        (
            "Systems that read their context, to which their own is worth more than that of another"
            " sentence",
            reads,
        ),
        ("Systems to which references are more probable than to their control", gains),
        ("The same in the second and third sentences of documents", there),
        ("Systems with more s-BLEU than their control, beyond chance", bleu),
    ]
    return "\n".join(f"- {text}: {'; '.join(found) or 'none of them'}." for text, found in lines)


def _holm(results: Results) -> str:
    """What is not significant any more when all tests of the claims are corrected together."""
    count, changed = corrected(results)
    parts = {
        (part.experiments, part.metric)
        for claim in CLAIMS
        for part in (*claim.parts, *claim.controls)
        if part.metric
    }
    lost = []
    for (system, baseline), metric in sorted(parts):
        before, after = (difference(one, system, baseline, metric) for one in (results, changed))
        if before is not None and after is not None and before["p"] != after["p"]:
            lost.append(f"`{system}` against `{baseline}`")
    text = f"With Holm's correction over the {count} tests of the claims and their controls, "
    if not lost:
        return text + "the same ones are significant."
    return text + f"these are not significant any more: {'; '.join(lost)}."


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def progress(results: Results) -> str:
    """What has been measured, and what needs a third seed."""
    done = [name for name in EXPERIMENTS if name in results]
    often = sum(len(results[name]["seeds"]) > 1 for name in done)
    text = f"{len(done)} of {len(EXPERIMENTS)} experiments have been measured"
    text += f", {often} of them with two seeds or more"
    open_claims = [
        f"claim {claim.number}"
        for claim in CLAIMS
        if any(part.find(results).state == State.UNKNOWN for part in claim.parts)
    ]
    if open_claims:
        text += f"; without a verdict yet: {', '.join(open_claims)}"
    if again := disagreeing(results):
        text += f". Seeds 1 and 2 disagree on {_names(again)}"
        short = [name for name in again if len(results[name]["seeds"]) < 3]
        text += f"; without a third so far: {_names(short)}" if short else ", which have a third"
    return text + "."


_BLOCKS: dict[str, Callable[[Results], str]] = {
    "progress": progress,
    "claims": _claims,
    "findings": _findings,
    "where": _where,
    "holm": _holm,
    "seeds": spread,
    **TABLES,
}

_FIGURES = {
    "tests": "differences",
    "where": "context",
    "attention": "curves",
    "positions": "positions",
    "lengths": "lengths",
}
"""The figure below a block."""
