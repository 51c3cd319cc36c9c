"""The results of an experiment over its seeds, as small JSON files: scores with intervals, tests
against the experiments that it is compared with, what context is worth, and curves.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docmt_files.base.documents import Document
from docmt_files.storage.files import write_text
from docmt_files.storage.json_files import read_json
from docmt_nmt.data.preparation import read_split
from docmt_nmt.evaluation import (
    MetricSettings,
    SignificanceTest,
    evaluate_systems,
    read_translations,
)
from docmt_nmt.evaluation.comparison import Comparison, compare_statistics
from docmt_nmt.evaluation.metrics import metric_kind
from docmt_nmt.evaluation.segments import ParallelDocuments
from docmt_nmt.evaluation.significance import segment_statistics
from docmt_nmt.evaluation.statistics import Statistics
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.runs.training_logs import read_log
from docmt_research.analysis.categories import CategorySettings, categorize
from docmt_research.analysis.proportions import mean_interval
from docmt_research.analysis.sentences_in_context import sentences_with_text
from docmt_research.discourse.discourse_scores import ratio
from papers_experiments import EXPERIMENTS, PLACE, Experiment
from papers_measures import JOINED_METRICS, METRICS, Bits, files
from papers_workspace import Workspace, training_named

_DIGITS = 5
_TEST = SignificanceTest(resample="document")
_EXAMPLES = 10


class Collection:
    """The measures of all runs of a workspace.

    Args:
        workspace: where the runs are.
        seeds: whose runs count, and those of experiments that have seeds of their own; without
            it, all runs do.
    """

    def __init__(self, workspace: Workspace, seeds: Sequence[int] | None = None) -> None:
        self.workspace = workspace
        self._numbers: dict[tuple[str, int], dict[str, Any]] = {}
        for name, experiment in EXPERIMENTS.items():
            for seed in range(1, 10) if seeds is None else sorted(experiment.seeds or seeds):
                path = files(self._run(name, seed))[0]
                if path.exists():
                    self._numbers[name, seed] = read_json(path)

    def _run(self, name: str, seed: int) -> Path:
        return self.workspace.runs / f"{name}-{seed}"

    def seeds(self, name: str) -> list[int]:
        """The seeds of an experiment that have been measured."""
        return [seed for known, seed in self._numbers if known == name]

    @cached_property
    def references(self) -> list[Document]:
        """The test split."""
        first = next(iter(EXPERIMENTS))
        recipe = self.workspace.recipe(training_named(first, 1))
        return list(read_split(recipe.data, "test"))

    def write(self, experiment: Experiment, folder: Path) -> bool:
        """Write the results of an experiment, unless there are none or they are there already.

        Returns:
            Whether they were written.
        """
        if not self.seeds(experiment.name):
            return False
        path = folder / f"{experiment.name}.json"
        measures = self._digest(experiment)
        if path.exists() and read_json(path).get("measures") == measures:
            return False
        _write_json(path, {**self.result(experiment), "measures": measures})
        return True

    def _digest(self, experiment: Experiment) -> str:
        """A name for all measures that the results of an experiment depend on."""
        digest = blake2b(digest_size=8)
        for name in (experiment.name, *experiment.compare):
            for seed in self.seeds(name):
                digest.update(f"{name}-{seed}".encode())
                for path in files(self._run(name, seed)):
                    digest.update(path.read_bytes() if path.exists() else b"")
        return digest.hexdigest()

    def result(self, experiment: Experiment) -> dict[str, Any]:
        """The results of an experiment as plain values."""
        seeds = self.seeds(experiment.name)
        each = [self._numbers[experiment.name, seed] for seed in seeds]
        recipe = SystemRun.load(self._run(experiment.name, seeds[0])).recipe
        curves = [_curve(self._run(experiment.name, seed)) for seed in seeds]
        result: dict[str, Any] = {
            "experiment": experiment.name,
            "recipe": experiment.recipe,
            "seeds": seeds,
            "runs": [_run_values(one, curve) for one, curve in zip(each, curves, strict=True)],
            "max_steps": recipe.training.max_steps,
            "curves": curves,
        }
        if not experiment.translates:
            return result
        comparisons: list[Comparison] = []
        for baseline in [name for name in experiment.compare if self.seeds(name)]:
            comparisons += self._compare(experiment.name, baseline)
        result |= {
            "counts": self._counts(experiment.name),
            "scores": self._scores(experiment.name),
            "comparisons": [self._comparison(one, experiment.name) for one in comparisons],
            "likelihood": self._likelihoods(experiment),
            "context": self._contexts(experiment.name),
        }
        return result

    def _translations(self, name: str, seeds: Sequence[int]) -> list[list[Document]]:
        return [read_translations(str(files(self._run(name, s))[2])) for s in seeds]

    def _settings(self, *names: str) -> MetricSettings:
        """The metrics that all of some experiments have."""
        by_sentence = all("s-BLEU" in self._numbers[n, self.seeds(n)[0]]["scores"] for n in names)
        return MetricSettings(metrics=METRICS if by_sentence else JOINED_METRICS, language="de")

    def _scores(self, name: str) -> dict[str, Any]:
        """The scores over all seeds, with the interval over random samples of the test split."""
        systems = {name: self._translations(name, self.seeds(name))}
        settings = self._settings(name)
        found = evaluate_systems(systems, self.references, settings, _TEST).scores
        scores = {
            score.scores[0].name: {
                "mean": score.mean,
                "deviation": score.deviation,
                "low": score.low,
                "high": score.high,
                "signature": score.signature,
            }
            for score in found
        }
        counts = self._arrays(name, self.seeds(name), "consistency")
        if counts:
            values = [float(ratio(one.sum(0))) for one in counts]
            scores["LTCR"] = {"mean": float(np.mean(values))}
        return scores

    def _counts(self, name: str) -> dict[str, list[list[list[float]]]]:
        """What BLEU counts in each document, of each seed by metric, so that its tests can be made
        again (`recomputed` in `papers_series`)."""
        translations = self._translations(name, self.seeds(name))
        chosen = [m for m in self._settings(name).chosen_metrics if m.endswith("bleu")]
        found: dict[str, list[list[list[float]]]] = {}
        for kind in map(metric_kind, chosen):
            found[kind.name] = [
                segment_statistics(
                    kind,
                    ParallelDocuments.of(one, self.references, name=name),
                    self._settings(name),
                    "document",
                ).counts.tolist()
                for one in translations
            ]
        return found

    def _compare(self, name: str, baseline: str) -> list[Comparison]:
        """All tests of an experiment against another, with the seeds that both have."""
        seeds = [seed for seed in self.seeds(name) if seed in self.seeds(baseline)]
        if not seeds:
            return []
        systems = {other: self._translations(other, seeds) for other in (name, baseline)}
        found = evaluate_systems(
            systems, self.references, self._settings(name, baseline), _TEST, baselines=[baseline]
        ).comparisons
        counts = [self._arrays(other, seeds, "consistency") for other in (name, baseline)]
        if all(counts):
            ours, theirs = ([Statistics(c, ratio, "LTCR") for c in each] for each in counts)
            found.append(
                compare_statistics(
                    "LTCR",
                    ours,
                    theirs,
                    unit="document",
                    resampled="document",
                    baseline_name=baseline,
                )
            )
        return found

    def _comparison(self, one: Comparison, name: str) -> dict[str, Any]:
        """A test as plain values, with the difference of each seed."""
        differences = {}
        for seed in self.seeds(name):
            known = [self._numbers.get((n, seed), {}) for n in (name, one.baseline_name)]
            scores = [numbers.get("scores", {}).get(one.name) for numbers in known]
            if all(scores):
                ours, theirs = (score["score"] for score in scores)
                differences[str(seed)] = ours - theirs
        return {
            "baseline": one.baseline_name,
            "metric": one.name,
            "difference": one.difference,
            "low": one.low,
            "high": one.high,
            "p": one.p,
            "seeds_p": one.seeds_p,
            "seeds": one.seeds,
            "differences": differences,
        }

    def _arrays(self, name: str, seeds: Sequence[int], key: str) -> list[Bits]:
        """An array of each of some seeds; none where they have none."""
        found = []
        for seed in seeds:
            with np.load(files(self._run(name, seed))[1]) as arrays:
                if key in arrays:
                    found.append(arrays[key])
        return found

    def _likelihoods(self, experiment: Experiment) -> list[dict[str, Any]]:
        """How many bits a reference sentence is more probable than to the other experiments, given
        the references of the sentences before it, over the seeds that both have."""
        found = []
        for baseline in experiment.compare:
            common = [s for s in self.seeds(experiment.name) if s in self.seeds(baseline)]
            ours, theirs = (
                self._arrays(name, common, "natural") for name in (experiment.name, baseline)
            )
            if ours and theirs:
                gains = [a - b for a, b in zip(ours, theirs, strict=True)]
                phenomena = {name: self._mean(gains, own) for name, own in self.phenomena.items()}
                found.append({"baseline": baseline, **self._mean(gains), "phenomena": phenomena})
        return found

    def _contexts(self, name: str) -> dict[str, Any]:
        """What the sentences before are worth: bits of a reference sentence more than alone."""
        conditions = {
            key: self._arrays(name, self.seeds(name), key)
            for key in ("alone", "own", "translated", "shuffled")
        }
        alone = conditions.pop("alone")
        if not alone:
            return {}
        gains = {
            key: [a - b for a, b in zip(values, alone, strict=True)]
            for key, values in conditions.items()
            if values
        }
        gains["own-shuffled"] = [
            a - b for a, b in zip(conditions["own"], conditions["shuffled"], strict=True)
        ]
        return {
            **{key: self._mean(values) for key, values in gains.items()},
            "phenomena": self._by_phenomenon(gains),
            "examples": self._examples(gains),
        }

    def _examples(self, gains: Mapping[str, list[Bits]]) -> list[dict[str, Any]]:
        """The sentences to which their own context is worth most, both against none and against
        that of another sentence, at most one of each document; the means over seeds."""
        worth = {key: np.mean(gains[key], axis=0) for key in ("own", "own-shuffled")}
        sentences = sentences_with_text(self.references)
        found: dict[int, dict[str, Any]] = {}
        for row in np.argsort(-np.minimum(*worth.values()), kind="stable").tolist():
            owner, index = sentences[row]
            if index and owner not in found:
                document = self.references[owner]
                texts = zip(document.source, document.target or (), strict=True)
                before, own = list(texts)[index - 1 : index + 1]
                bits = {key: float(values[row]) for key, values in worth.items()}
                found[owner] = {"before": before, "sentence": own, **bits}
            if len(found) == _EXAMPLES:
                break
        return list(found.values())

    @cached_property
    def phenomena(self) -> dict[str, NDArray[np.bool_]]:
        """Which of the scored sentences of the test split belong to each category and place."""
        categories = categorize(self.references, "en", CategorySettings())
        first = np.cumsum([0, *map(len, self.references)])
        rows = [first[owner] + index for owner, index in sentences_with_text(self.references)]
        place = np.array([index for _, index in sentences_with_text(self.references)])
        members = {name: found[rows] for name, found in categories.members.items()}
        members |= {
            "ellipsis, fourth or later": members["ellipsis"] & (place > 2),
            PLACE: (place == 1) | (place == 2),
            "fourth or later in document": place > 2,
        }
        return {name: own for name, own in members.items() if own.any()}

    def _by_phenomenon(self, gains: Mapping[str, list[Bits]]) -> dict[str, Any]:
        """The same in the sentences of each category, and by their place in the document."""
        return {
            name: {
                "sentences": int(own.sum()),
                **{key: self._mean(values, own) for key, values in gains.items()},
            }
            for name, own in self.phenomena.items()
        }

    def _mean(
        self, gains: Sequence[Bits], chosen: NDArray[np.bool_] | None = None
    ) -> dict[str, Any]:
        """The mean of bits over sentences and seeds, its 95 % interval by bootstrap over documents,
        and the mean of each seed."""
        owners = np.array([owner for owner, _ in sentences_with_text(self.references)])
        own = np.ones(len(owners), bool) if chosen is None else chosen
        bits = np.mean(gains, axis=0)[own]
        low, high = mean_interval(bits, np.unique(owners[own], return_inverse=True)[1])
        seeds = [float(one[own].mean()) for one in gains]
        return {"bits": float(bits.mean()), "low": low, "high": high, "seeds": seeds}


def _run_values(numbers: Mapping[str, Any], curve: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of one run that are kept."""
    attention = [one for one in numbers.get("attention", ()) if one["kind"] == "cross"]
    kept = {"parameters": numbers["parameters"]}
    kept |= {key: numbers["training"][key] for key in ("updates", "tokens")}
    kept["valid_loss"] = min(curve["loss"])
    kept["scores"] = {name: one["score"] for name, one in numbers.get("scores", {}).items()}
    kept["positions"] = numbers.get("positions", [])
    kept["cross_attention"] = [
        {key: one[key] for key in ("key", "scope", "bits", "uniform_bits")} for one in attention
    ]
    return kept


def _curve(run: Path) -> dict[str, Any]:
    """Validations by update: the loss, the mean entropy of cross-attention of each scope in bits,
    and how much of the context the gates let through, if there are any."""
    lines = [line for line in read_log(run / "log.jsonl") if line["kind"] == "valid"]
    found: dict[str, Any] = {key: [one[key] for one in lines] for key in ("step", "loss")}
    for scope in ("group", "global"):
        each = [
            [
                bits
                for key, bits in one.get("attention_entropy", {}).items()
                if key.startswith("cross.") and key.endswith(f".{scope}")
            ]
            for one in lines
        ]
        if all(each):
            found[f"cross_{scope}"] = [float(np.mean(values)) for values in each]
    gates = [list(one.get("context_share", {}).values()) for one in lines]
    if all(gates):
        found["context_share"] = [float(np.mean(values)) for values in gates]
    return found


def _write_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write plain values, rounded, with a line for each key and for each item of a list."""
    lines = []
    for key, value in values.items():
        items = value if isinstance(value, list) and value else [value]
        text = ",\n  ".join(json.dumps(_rounded(one), ensure_ascii=False) for one in items)
        lines.append(f"{json.dumps(key)}: " + (f"[\n  {text}]" if items is value else text))
    write_text(path, "{" + ",\n ".join(lines) + "}\n")


def _rounded(value: Any) -> Any:
    """Plain values with few digits."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None
    rounded: Callable[[Any], Any] = _rounded
    if isinstance(value, Mapping):
        return {key: rounded(one) for key, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, list | tuple) else value
