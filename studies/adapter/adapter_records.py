"""The choice of τ, and the records of what was measured: decisions and scores of each sentence, and
counts of BLEU and chrF of each document, without any text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapter_measures import START, final, is_right, is_taken, sentences
from adapter_tasks import Task, task_of
from docmt_files.storage.files import write_text
from docmt_nmt.evaluation.metric_settings import MetricSettings
from docmt_nmt.evaluation.metrics import build_metric, metric_kind
from docmt_nmt.evaluation.statistics import Statistics
from docmt_nmt.runs.adapter_names import ADAPTER
from docmt_nmt.runs.context_adapters import ContextAdapter

MOST_CHANGED = 0.01
"""Share of ordinary sentences that may be changed."""

SEEDS = (1, 2, 3)

METRICS = ("s-bleu", "s-chrf")

Row = dict[str, Any]


def choose_threshold(work: Path, seed: int) -> None:
    """Choose τ by the development texts, and write it with the hash of the adapter's file."""
    arm, thresholds = f"context-{seed}", task_of(work).thresholds
    dev, ordinary = (list(sentences(work, arm, name)) for name in ("dev", "ordinary"))
    found = {
        tau: (
            share(is_right(s, final(s, tau)) for s in dev),
            share(is_taken(s, tau) for s in ordinary),
        )
        for tau in thresholds
    }
    allowed = {tau: right for tau, (right, changed) in found.items() if changed <= MOST_CHANGED}
    chosen = max(allowed, key=lambda tau: allowed[tau]) if allowed else max(thresholds)
    path = work / "thresholds.json"
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    adapter = work / "runs" / arm / ADAPTER
    known[str(seed)] = {
        "threshold": chosen,
        "sha256": hashlib.sha256(adapter.read_bytes()).hexdigest(),
        "identity": ContextAdapter.read(adapter).identity,
        "cases": len(dev),
        "lines": len(ordinary),
        "right and changed": {
            f"{tau:g}": [round(100 * v, 2) for v in both] for tau, both in found.items()
        },
    }
    write_text(path, json.dumps(known, indent=1) + "\n")


def write_records(work: Path, folder: Path) -> None:
    """Write what was measured.

    Args:
        work: the folder of the study.
        folder: the folder of the results.
    """
    folder.mkdir(exist_ok=True)
    task = task_of(work)
    for path in (work / "thresholds.json", work / "data/data.json"):
        write_text(folder / path.name, path.read_text("utf-8"))
    thresholds = json.loads((work / "thresholds.json").read_text("utf-8"))
    texts: dict[str, Row] = {}
    for seed, known in thresholds.items():
        for name in (*task.cases, *task.texts):
            arm = f"context-{seed}"
            if not _is_there(work, arm, name):
                continue
            found = list(sentences(work, arm, name))
            own = _text_record(found)
            if len(own["groups"]) > len(texts.get(name, own | {"groups": []})["groups"]):
                texts[name] = own
            _write(folder / f"{arm}.{name}.json", _record(name, found, known["threshold"], task))
        if _is_there(work, f"own-{seed}", "test"):
            right = _digits(sentences(work, f"own-{seed}", "test"), lambda s: s["made"])
            _write(folder / f"own-{seed}.test.json", {"right": right})
    _write(folder / "texts.json", texts)


def _text_record(found: Sequence[Row]) -> Row:
    """The groups of the sentences of a text, by number; and whether the antecedent is near."""
    names = {name: index for index, name in enumerate(dict.fromkeys(s["group"] for s in found))}
    return {
        "groups": [names[s["group"]] for s in found],
        "near": "".join("01"[s["distance"] == 1] for s in found),
    }


def _record(name: str, found: Sequence[Row], tau: float, task: Task) -> Row:
    """What was decided for each sentence: nothing differs (`.`), it is kept (`-`) or taken (`+`);
    whether it has a cue, and loses something; the margins of those that differ, in nats. Of cases,
    whether the expected form is there alone and in context, and of people whether it is *she*. Of
    other texts, the counts of the metrics by group, of the start and with the switch, for each
    reference."""
    decided = "".join(
        "." if s["made"] == s["alone"] else "+" if is_taken(s, tau) else "-" for s in found
    )
    record: Row = {
        "threshold": tau,
        "decided": decided,
        "cue": "".join("01"[s["cue"]] for s in found),
        "lost": "".join("01"[s["lost"]] for s in found),
        "margins": [round(s["margin"], 2) for s in found if s["made"] != s["alone"]],
    }
    if name in task.cases:
        record["right alone"] = _digits(found, lambda s: s["alone"])
        record["right in context"] = _digits(found, lambda s: s["made"])
        if name == "people":
            record["she"] = "".join("01"[s["expected"] == "she"] for s in found)
        return record
    assert not any(s["first"] and final(s, tau) != s["alone"] for s in found)
    record["counts"] = [
        {
            metric: _counts_of_group(metric, found, tau, number, task.languages[1])
            for metric in METRICS
        }
        for number in range(len(found[0]["references"]))
    ]
    return record


def _counts_of_group(
    metric: str, found: Sequence[Row], tau: float, number: int, language: str
) -> list[list[list[int]]]:
    """The counts of a metric for each group, of the start and with the switch."""
    references = [s["references"][number] for s in found]
    groups = _text_record(found)["groups"]
    return [
        by_group(statistics_of(metric, texts, references, language).counts, groups)
        .astype(int)
        .tolist()
        for texts in ([s["alone"] for s in found], [final(s, tau) for s in found])
    ]


def statistics_of(
    metric: str, translations: Sequence[str], references: Sequence[str], language: str = "pt"
) -> Statistics:
    """The counts of a metric for each sentence."""
    settings = MetricSettings(metrics=(metric,), language=language)
    return build_metric(metric_kind(metric), settings).statistics(translations, [references])


def by_group(values: NDArray[np.float64], groups: Sequence[int]) -> NDArray[np.float64]:
    """The sums of rows by group."""
    sums = np.zeros((max(groups) + 1, values.shape[1]))
    np.add.at(sums, list(groups), values)
    return sums


def share(flags: Iterable[bool]) -> float:
    """The share of what is true."""
    kept = list(flags)
    return sum(kept) / len(kept) if kept else 0.0


def _digits(found: Iterable[Row], translation: Callable[[Row], str]) -> str:
    """1 for each case whose translation has the expected form, 0 for each other one."""
    return "".join("01"[is_right(s, translation(s))] for s in found)


def _is_there(work: Path, arm: str, name: str) -> bool:
    return all((work / "made" / f"{each}.{name}.jsonl").exists() for each in (START, arm))


def _write(path: Path, value: Any) -> None:
    write_text(path, json.dumps(value, separators=(",", ":")) + "\n")
