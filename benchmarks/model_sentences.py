"""The bundled model on 60 sentences that were written for it and that no model was trained on: what
of a sentence's content its translation keeps.

    python benchmarks/model_sentences.py [--run RUN --run …] [--show]

`model_sentences.tsv` has for each sentence a translation, patterns of which each must be found in
whatever is acceptable (words and the synonyms that were thought of; negations), and what must not
be. A translation passes that keeps all of it. That is less than being acceptable, as grammar is not
looked at, so read them as well (`--show`).
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from docmt_files.base.documents import Document
from docmt_nmt.runs.bundled import DEFAULT
from docmt_nmt.runs.open_run import load
from docmt_nmt.translators import translate
from measuring import machine, percent, print_table

SENTENCES = Path(__file__).with_suffix(".tsv")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, and what its translation must and must not say.

    Attributes:
        needs: patterns that must all be found.
        never: a pattern that must not be, if there is one.
    """

    domain: str
    english: str
    german: str
    needs: tuple[str, ...]
    never: str

    def faults(self, translation: str) -> list[str]:
        """What a translation lacks, and what it should not say."""
        missing = [f"no {need}" for need in self.needs if not _found(need, translation)]
        wrong = self.never and _found(self.never, translation)
        return [*missing, *([self.never] if wrong else [])]


def _found(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def read_sentences() -> Iterator[Sentence]:
    """The 60 sentences."""
    with SENTENCES.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            needs = tuple(row.pop("needs").split("; "))
            yield Sentence(needs=needs, **row)


def main() -> None:
    """Translate the sentences, each alone, and print what they keep."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--run", action="append", dest="runs", help="default: the bundled model")
    parser.add_argument("--show", action="store_true", help="also print the translations")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    print(machine(), flush=True)
    sentences = list(read_sentences())
    documents = [Document(str(i), (one.english,)) for i, one in enumerate(sentences)]
    results: dict[str, dict[str, str]] = {}
    for run in arguments.runs or [DEFAULT]:
        found = [
            (each.document.target or ("",))[0]
            for each in translate(load(run, device="cpu"), documents)
        ]
        name = "bundled" if run == DEFAULT else str(run)
        results[name] = summary(sentences, found)
        if arguments.show:
            print(f"\n{name}")
            for sentence, translation in zip(sentences, found, strict=True):
                faults = sentence.faults(translation)
                print(
                    f"{sentence.english}\n  {translation}",
                    *(f"\n  {one}" for one in faults),
                    sep="",
                )
    head = ["model", *next(iter(results.values()))]
    print_table(head, [[name, *result.values()] for name, result in results.items()])
    if arguments.json is not None:
        written = {"machine": machine(), "figures": results}
        arguments.json.write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n")


def summary(sentences: Sequence[Sentence], translations: Sequence[str]) -> dict[str, str]:
    """How many of a domain pass, and the share of patterns that are found."""
    passed: dict[str, list[bool]] = {}
    needed = missing = 0
    for sentence, translation in zip(sentences, translations, strict=True):
        faults = sentence.faults(translation)
        passed.setdefault(sentence.domain, []).append(not faults)
        needed += len(sentence.needs)
        missing += sum(fault.startswith("no ") for fault in faults)
    by_domain = {name: f"{sum(each)} of {len(each)}" for name, each in passed.items()}
    return {**by_domain, "content": percent(1 - missing / needed)}


if __name__ == "__main__":
    main()
