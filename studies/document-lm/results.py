"""Results of the study: differences with intervals by bootstrap over films."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import sacrebleu

import suite
from docmt_files.base.documents import Document

SAMPLES = 2000
DECISIONS = Path(__file__).parent / "results" / "decisions.json"
SYSTEMS = ("alone", "in context", "shuffled")


def decisions(cases: list[suite.Case], found: dict[str, list[Any]]) -> list[list[Any]]:
    """For each case the film, the distance, and whether each system is right: 1 or 0."""
    columns = [
        [int(case.is_right(text[-1])) for case, text in zip(cases, found[name], strict=True)]
        for name in SYSTEMS
        if found[name]
    ]
    return [
        [case.film, case.distance, *right]
        for case, right in zip(cases, zip(*columns, strict=True), strict=True)
    ]


def write_decisions(stored: dict[str, list[list[Any]]]) -> None:
    """Write the decisions of all settings, a case on each line."""
    parts = [
        f"{json.dumps(name)}: [\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]"
        for name, rows in stored.items()
    ]
    DECISIONS.parent.mkdir(exist_ok=True)
    DECISIONS.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")


def report_decisions() -> None:
    """Print accuracies and differences of the stored decisions."""
    for name, rows in json.loads(DECISIONS.read_text("utf-8")).items():
        films, _, *systems = (list(column) for column in zip(*rows, strict=True))
        shares = ", ".join(f"{100 * np.mean(one):.1f}" for one in systems)
        print(f"{name}: {len(rows)} sentences, right {shares}")
        for other in systems[:1] + systems[2:]:
            print("  difference", difference(films, systems[1], other))


def difference(films: list[str], one: list[bool], other: list[bool]) -> str:
    """The difference of two shares in points, with the 95 % interval by bootstrap over films."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for film, a, b in zip(films, one, other, strict=True):
        sums[film][0] += int(a) - int(b)
        sums[film][1] += 1
    values = np.array(list(sums.values()))
    generator = np.random.default_rng(1)
    drawn = values[generator.integers(len(values), size=(SAMPLES, len(values)))].sum(1)
    low, high = np.percentile(100 * drawn[:, 0] / drawn[:, 1], [2.5, 97.5])
    total = 100 * values[:, 0].sum() / values[:, 1].sum()
    return f"{total:+.1f} ({low:+.1f} to {high:+.1f})"


def report_cases(cases: list[suite.Case], found: dict[str, list[Any]]) -> None:
    """Accuracy of the cases by system, and the differences of the criterion."""
    films = [case.film for case in cases]
    texts = {name: [each[-1] for each in targets] for name, targets in found.items()}
    right = {name: list(map(suite.Case.is_right, cases, each)) for name, each in texts.items()}
    print(f"  {len(cases)} cases of {len(set(films))} films")
    for name, values in right.items():
        by_ctxpro = np.mean(list(map(suite.is_right_by_ctxpro, texts[name])))
        changed = sum(a != b for a, b in zip(texts[name], texts["alone"], strict=True))
        print(f"  {name}: {100 * np.mean(values):.1f}, by CTXPRO {100 * by_ctxpro:.1f}, {changed}")
    print("  over alone", difference(films, right["in context"], right["alone"]))
    print("  over shuffled", difference(films, right["in context"], right["shuffled"]))
    print("  shuffled over alone", difference(films, right["shuffled"], right["alone"]))
    for name, distances in {"1": [1], "2": [2], "3 and more": range(3, 99)}.items():
        chosen = [i for i, case in enumerate(cases) if case.distance in distances]
        parts = [[right[key][i] for i in chosen] for key in ("in context", "alone", "shuffled")]
        shares = ", ".join(f"{100 * np.mean(part):.1f}" for part in parts)
        print(f"  distance {name}, n {len(chosen)}: {shares} (in context, alone, shuffled)")


def report_control(cases: list[suite.Case], found: dict[str, list[Any]]) -> None:
    """Sentences of he or she: how many that are right without context no longer are."""
    rows = [
        (case.film, case.is_right(alone[-1]), case.is_right(chosen[-1]))
        for case, alone, chosen in zip(cases, found["alone"], found["in context"], strict=True)
    ]
    lost = [not chosen for _, alone, chosen in rows if alone]
    print(f"  {len(rows)} sentences, {len(lost)} right without context, {sum(lost)} lost")
    print(f"  loss {100 * np.mean(lost):.1f} %")
    films, alone, chosen = (list(each) for each in zip(*rows, strict=True))
    print(f"  right alone {100 * np.mean(alone):.1f}, in context {100 * np.mean(chosen):.1f}")
    print("  difference", difference(films, chosen, alone))


def report_documents(documents: list[Document], found: dict[str, list[Any]]) -> None:
    """BLEU and chrF of whole documents, and first sentences that change."""
    references = [text for each in documents for text in each.target or ()]
    print(f"  {len(documents)} documents, {len(references)} sentences")
    for name in ("alone", "in context"):
        texts = [text for each in found[name] for text in each]
        bleu = sacrebleu.corpus_bleu(texts, [references])
        chrf = sacrebleu.corpus_chrf(texts, [references])
        print(f"  {name}: BLEU {bleu.score:.2f}, chrF {chrf.score:.2f}")
    pairs = list(zip(found["alone"], found["in context"], strict=True))
    print("  first sentences changed:", sum(a[0] != b[0] for a, b in pairs))
    print("  sentences changed:", sum(x != y for a, b in pairs for x, y in zip(a, b, strict=True)))
