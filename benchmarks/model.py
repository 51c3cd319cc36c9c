"""The bundled model on test sets: scores of translating documents, of translating each sentence
alone, and of the sentence-level model that it is compared with; and how fast it is.

    python benchmarks/model.py --set manuals test.en test.de --sentence-run RUN --json FILE

Each translation is compared with the model's own. Consistency is LTCR, as `docmt discourse ltcr`
measures it: the share of the pairs of occurrences of a word in a document that are translated
alike. Without `--set`, the bundled test sets are translated. With `--translations`, each set is
translated once, and the next call finds it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from docmt.translating.context_changes import translate_alone
from docmt_files.base.documents import Document
from docmt_nmt import corpora
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.evaluation import Comparison, MetricSettings, evaluate_with_baselines, format_p
from docmt_nmt.runs.bundled import DEFAULT
from docmt_nmt.translators import translate
from docmt_research.discourse import DiscourseOptions, evaluate_discourse
from measuring import machine

ALONE = "each sentence alone"
SENTENCE = "sentence-level model"


def main() -> None:
    """Translate, score, and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--run", default=DEFAULT, help="default: the bundled model")
    parser.add_argument("--sentence-run", help="the sentence-level model to compare with")
    parser.add_argument(
        "--set",
        nargs=3,
        action="append",
        dest="sets",
        metavar=("NAME", "SOURCE", "TARGET"),
        help="a test set, line files with <d> lines; may be given several times",
    )
    parser.add_argument("--documents", type=int, help="only the first of each set")
    parser.add_argument(
        "--translations",
        type=Path,
        metavar="FOLDER",
        help="where translations are written, and read if they are there",
    )
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    print(machine(), flush=True)
    started = time.process_time()
    translators = {"documents": BeamSearchTranslator.load(arguments.run, device="cpu")}
    loading = time.process_time() - started
    if arguments.sentence_run is not None:
        translators[SENTENCE] = BeamSearchTranslator.load(arguments.sentence_run, device="cpu")
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.translations or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        results = {
            name: measure(translators, read(source, target, arguments.documents), folder / name)
            for name, source, target in arguments.sets or bundled()
        }
    print(f"loaded in {loading:.1f} s of processor time\n")
    print(table(results), "\n")
    for name, result in results.items():
        print(
            f"{name}: {result['documents']} documents, {result['sentences']} sentences, "
            f"{result['words_per_second']} source words per second"
        )
    if arguments.json is not None:
        found = {"machine": machine(), "figures": results}
        arguments.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def bundled() -> list[tuple[str, Path, Path]]:
    """The test sets that come with docmt."""
    names = {"manuals": "manuals", "discourses": "test"}
    return [
        (name, corpus_file(f"{files}.en.xz"), corpus_file(f"{files}.de.xz"))
        for name, files in names.items()
    ]


def read(source: Path, target: Path, most: int | None) -> list[Document]:
    """The documents of a test set."""
    return list(corpora.read(source, target, boundaries="markers"))[:most]


def measure(
    translators: dict[str, BeamSearchTranslator], references: Sequence[Document], path: Path
) -> dict[str, Any]:
    """Translate a test set in each way, and compare the ways.

    Args:
        translators: by name.
        references: the test set.
        path: where its translations are written, with the name of the way after it.
    """
    own = translators["documents"]
    ways: dict[str, Callable[[], list[Document]]] = {
        **{name: partial(_in_documents, each, references) for name, each in translators.items()},
        ALONE: partial(translate_alone, own, references),
    }
    found: dict[str, list[Document]] = {}
    for name, translated in ways.items():
        file = path.with_name(f"{path.name}.{name}.jsonl")
        if not file.is_file():
            started = time.perf_counter()
            corpora.write(translated(), file)
            words = sum(len(s.split()) for each in references for s in each.source)
            speed = round(words / (time.perf_counter() - started))
            file.with_suffix(".speed").write_text(f"{speed}\n")
        found[name] = list(corpora.read(file))
    speed = int(path.with_name(f"{path.name}.documents.speed").read_text())
    settings = MetricSettings(language=own.pipeline.languages[1])
    baselines = {name: documents for name, documents in found.items() if name != "documents"}
    evaluation = evaluate_with_baselines(found["documents"], [references], baselines, settings)
    comparisons = [*evaluation.comparisons, *consistency(found, own.pipeline.languages[:2])]
    return {
        "documents": len(references),
        "sentences": sum(map(len, references)),
        "words_per_second": speed,
        "comparisons": [_figures(comparison) for comparison in comparisons],
    }


def _in_documents(
    translator: BeamSearchTranslator, documents: Sequence[Document]
) -> list[Document]:
    return [translation.document for translation in translate(translator, documents)]


def _figures(comparison: Comparison) -> dict[str, Any]:
    return {
        "metric": comparison.name,
        "settings": comparison.settings,
        "baseline_name": comparison.baseline_name,
        "p": comparison.p,
        **{key: round(getattr(comparison, key), 2) for key in ("score", "baseline", "low", "high")},
    }


def consistency(found: dict[str, list[Document]], languages: Sequence[str]) -> list[Comparison]:
    """LTCR of the translation of documents, compared with that of the others."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: str(Path(folder) / f"{name}.jsonl") for name in found}
        for name, path in paths.items():
            corpora.write(found[name], path)
        names = {path: name for name, path in paths.items()}
        hypothesis = paths.pop("documents")
        evaluation = evaluate_discourse(
            hypothesis,
            [],
            baselines=list(paths.values()),
            options=DiscourseOptions(languages=(languages[0], languages[1]), metrics=["ltcr"]),
        )
        return [
            replace(comparison, baseline_name=names[comparison.baseline_name])
            for comparison in evaluation.comparisons
        ]


def table(results: Mapping[str, Mapping[str, Any]]) -> str:
    """The Markdown table of the card: a row for each test set and metric."""
    compared = {c["baseline_name"] for r in results.values() for c in r["comparisons"]}
    ways = [way for way in (ALONE, SENTENCE) if way in compared]
    columns = ["test set", "metric", "documents", *ways]
    rows = [columns, ["---", "---", *["---:"] * (len(columns) - 2)]]
    for name, result in results.items():
        by_metric: dict[str, dict[str, Any]] = {}
        for found in result["comparisons"]:
            by_metric.setdefault(found["metric"], {})[found["baseline_name"]] = found
        for metric, by_way in by_metric.items():
            score = by_way[ways[0]]["score"]
            rows.append([name, metric, f"{score:.2f}", *(_against(by_way[way]) for way in ways)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _against(found: Mapping[str, Any]) -> str:
    """The score of another way, and the difference from it, bold if better beyond chance, and
    italic if worse."""
    difference = found["score"] - found["baseline"]
    interval = f"{found['low']:+.2f} to {found['high']:+.2f}"
    text = f"{difference:+.2f} ({interval}), p {format_p(found['p'])}"
    if found["p"] < 0.05 and difference:
        text = f"**{text}**" if difference > 0 else f"*{text}*"
    return f"{found['baseline']:.2f}: {text}"


if __name__ == "__main__":
    main()
