"""The translator's own earlier term: does a run, given the translations of earlier sentences, go on
with their term?

    python studies/terms/terms.py suite WORK --train CORPUS... --test CORPUS...
    python studies/terms/terms.py measure WORK [--run RUN]
    python studies/terms/terms.py report WORK

A corpus is named by its files without the suffixes `.en` and `.de`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from docmt import corpora
from docmt.bundled import DEFAULT
from docmt.decoding import BeamSearchTranslator
from docmt.ground.documents import Document
from docmt.storage.files import write_text
from docmt.storage.json_files import read_json
from docmt.translators import translate
from docmt.translators.requests import Revision, TranslationRequest
from docmt_research.analysis import contrast
from docmt_research.analysis.contrastive_suites import ContrastiveCase, read_suite
from docmt_research.forced_decoding.system_forced_decoder import SystemForcedDecoder
from docmt_research.suites import MadeSuite, write_suite
from terms_suite import aligned, find_terms, make_cases, words_of

STUDY = Path(__file__).resolve().parent
RESULTS = STUDY / "results" / "terms.json"
README = STUDY / "README.md"
SAMPLES = 10_000
MAX_TRAINING_DOCUMENTS = 3000
"""Of each training corpus; more make the alignment little better."""

_BEGIN, _END = "<!-- tables -->", "<!-- end of tables -->"


def main() -> None:
    """Run a subcommand."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(required=True)
    for name, run in (("suite", _suite), ("measure", _measure), ("report", _report)):
        command = commands.add_parser(name)
        command.add_argument("work", type=Path, help="the folder of the suite")
        command.set_defaults(run=run)
        if name == "suite":
            command.add_argument("--train", nargs="+", required=True, metavar="CORPUS")
            command.add_argument("--test", nargs="+", required=True, metavar="CORPUS")
        if name == "measure":
            command.add_argument("--run", dest="model", default=DEFAULT, help="default: bundled")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    arguments.run(arguments)


def _suite(arguments: argparse.Namespace) -> None:
    """Find terms in the training corpora, and make cases of the test documents."""
    training = [one for name in arguments.train for one in _read(name)[:MAX_TRAINING_DOCUMENTS]]
    documents = list(chain.from_iterable(map(_read, arguments.test)))
    pairs = aligned([*documents, *training])
    terms = find_terms(pairs[len(documents) :])
    cases = tuple(make_cases(documents, pairs[: len(documents)], terms))
    for term in terms:
        number = sum(case.phenomenon == term.word for case in cases)
        print(f"{term.word}: {', '.join(term.variants)} ({number} cases)")
    write_suite(MadeSuite(cases, {}), arguments.work / "terms.jsonl")


def _read(name: str) -> list[Document]:
    found = [
        next(path for path in (Path(f"{name}.{side}"), Path(f"{name}.{side}.xz")) if path.exists())
        for side in ("en", "de")
    ]
    return list(corpora.read(*found))


def _measure(arguments: argparse.Namespace) -> None:
    """Measure both, and keep numbers alone."""
    suite = read_suite(arguments.work / "terms.jsonl")
    result = contrast(SystemForcedDecoder.load(arguments.model), suite)
    translator = BeamSearchTranslator.load(arguments.model)
    every = (result.decisions, *result.controls)
    free = {
        "context": _goes_on(translator, suite.cases),
        "no context": _goes_on(translator, [_alone(case) for case in suite.cases], suite.cases),
    }
    found = {
        "signature": result.signature,
        "cases": [
            {
                "document": case.id.split(":")[0],
                "term": case.phenomenon,
                "distance": case.distance,
                "right": {d.name: d.right[i] for d in every},
                "log_probability": {d.name: d.log_probabilities[i][case.right] for d in every},
                "free": {name: outcomes[i] for name, outcomes in free.items()},
            }
            for i, case in enumerate(suite.cases)
        ],
    }
    write_text(arguments.work / "measured.json", json.dumps(found) + "\n")


def _alone(case: ContrastiveCase) -> ContrastiveCase:
    return replace(case, source=case.source[-1:], context=())


def _goes_on(
    translator: BeamSearchTranslator,
    read: Sequence[ContrastiveCase],
    cases: Sequence[ContrastiveCase] | None = None,
) -> list[str]:
    """Whether the translation of the last sentence has the variant of the context (`earlier`), the
    `other` one, or `neither` or both.

    Args:
        read: the cases as the translator reads them.
        cases: the same as they are judged; default: as they are read.
    """
    known = tuple(Document(str(n), c.source, (*c.context, "")) for n, c in enumerate(read))
    wanted = frozenset((n, len(document) - 1) for n, document in enumerate(known))
    request = TranslationRequest(
        tuple(replace(document, target=None) for document in known),
        revision=Revision(known, wanted, continued=True),
    )
    outcomes = []
    for case, one in zip(cases or read, translate(translator, request), strict=True):
        assert one.document.target is not None
        earlier, other = variants(case)
        words = words_of(one.document.target[-1])
        has = earlier in words, other in words
        outcomes.append({(True, False): "earlier", (False, True): "other"}.get(has, "neither"))
    return outcomes


def variants(case: ContrastiveCase) -> tuple[str, str]:
    """The variant that the context has, and the other one: where the candidates differ."""
    right, wrong = case.candidates[case.right], case.candidates[1 - case.right]
    pairs = zip(words_of(right), words_of(wrong), strict=True)
    return next((one, other) for one, other in pairs if one != other)


def _report(arguments: argparse.Namespace) -> None:
    """Write the results and the tables of the page."""
    found = read_json(arguments.work / "measured.json")
    summary = summarized(found)
    write_text(RESULTS, json.dumps(summary, indent=1) + "\n")
    text = README.read_text("utf-8")
    before, _, rest = text.partition(_BEGIN)
    after = rest.partition(_END)[2]
    write_text(README, f"{before}{_BEGIN}\n{table(summary)}\n{_END}{after}")


def summarized(found: dict[str, Any]) -> dict[str, Any]:
    """Shares in percent, with 95 % intervals by bootstrap over documents."""
    cases = found["cases"]
    right = {
        name: np.array([case["right"][name] for case in cases], dtype=float)
        for name in cases[0]["right"]
    }
    goes_on = {
        name: np.array([case["free"][name] == "earlier" for case in cases], dtype=float)
        for name in cases[0]["free"]
    }
    numbers = np.unique([case["document"] for case in cases], return_inverse=True)[1]
    difference = goes_on["context"] - goes_on["no context"]
    log_probabilities = [case["log_probability"] for case in cases]
    changes = [abs(own["context"] - own["no context"]) for own in log_probabilities]
    return {
        "signature": found["signature"],
        "cases": len(cases),
        "terms": len({case["term"] for case in cases}),
        "documents": int(numbers.max()) + 1,
        "nats": round(-float(np.mean([own["no context"] for own in log_probabilities])), 1),
        "change_in_nats": round(float(np.mean(changes)), 4),
        "accuracy": {name: _interval(values, numbers) for name, values in right.items()},
        "by_distance": {
            str(distance): _interval(right["context"][chosen], numbers[chosen])
            for distance in sorted({case["distance"] for case in cases})
            for chosen in [np.array([case["distance"] == distance for case in cases])]
        },
        "free": {name: _interval(values, numbers) for name, values in goes_on.items()},
        "free_difference": _interval(difference, numbers),
    }


def _interval(values: Any, documents: Any) -> dict[str, float]:
    """The mean of values, in percent, with its interval by bootstrap over documents."""
    numbers = np.unique(documents, return_inverse=True)[1]
    sums, sizes = np.bincount(numbers, values), np.bincount(numbers)
    draws = np.random.default_rng(1).integers(len(sums), size=(SAMPLES, len(sums)))
    means = sums[draws].sum(axis=1) / sizes[draws].sum(axis=1)
    low, high = np.percentile(100 * means, [2.5, 97.5])
    mean = 100 * float(values.mean())
    return {
        "share": round(mean, 1),
        "low": round(float(low), 1),
        "high": round(float(high), 1),
        "cases": len(values),
    }


def table(summary: dict[str, Any]) -> str:
    """The results as a table."""
    rows = [
        *((f"(a) right, {name}", one) for name, one in summary["accuracy"].items()),
        *((f"(a) right, {n} back", one) for n, one in summary["by_distance"].items()),
        *((f"(b) earlier variant, {name}", one) for name, one in summary["free"].items()),
        ("(b) difference", summary["free_difference"]),
    ]
    lines = [
        "{cases:,} cases of {terms} terms in {documents} documents. Context changes the "
        "log-probability of a right candidate, {nats} nats below 0, by {change_in_nats} nats in "
        "the mean.".format_map(summary),
        "",
        "| measure | cases | percent | 95 % interval |",
        "| --- | ---: | ---: | --- |",
        *(
            f"| {name} | {one['cases']:,} | {one['share']} | {one['low']} to {one['high']} |"
            for name, one in rows
        ),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
