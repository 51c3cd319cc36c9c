"""A blind reading of what the switch changes: start and context in random order.

    python studies/adapter/adapter_reading.py sheet WORK SEED [--cases 150] [--others 100]
    python studies/adapter/adapter_reading.py count WORK SEED

`sheet` writes WORK/reading-SEED.jsonl, a pair A and B in each line, and WORK/reading-SEED_key.json.
The reader writes a letter for each line into WORK/reading-SEED.txt: A or B for the better
translation, = for neither. `count` writes results/reading-SEED.json, without text, and prints the
sums.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from math import comb
from pathlib import Path
from typing import Any

from adapter_measures import is_right, is_taken, sentences
from adapter_tasks import TASKS
from adapter_texts import load_texts
from docmt_files.base.errors import InputError
from docmt_files.storage.files import write_text

OTHERS = TASKS["ellipsis"].texts


def changed(work: Path, seed: int, name: str, tau: float) -> Iterator[dict[str, Any]]:
    """The sentences of a text that the switch changes, each with the two before it."""
    befores = (
        text.source[max(0, index - 2) : index]
        for text in load_texts(work, name)
        for index in text.measured
    )
    for number, (before, found) in enumerate(
        zip(befores, sentences(work, f"context-{seed}", name), strict=False)
    ):
        if is_taken(found, tau):
            yield {**found, "text": name, "number": number, "before": list(before)}


def sign_test(better: int, worse: int) -> float:
    """The two-sided probability of such a difference where both are as likely."""
    total, most = better + worse, max(better, worse)
    tail = sum(comb(total, k) for k in range(most, total + 1)) / 2**total if total else 1.0
    return min(1.0, 2 * tail)


def write_sheet(work: Path, seed: int, cases: int, others: int) -> None:
    """Draw changed cases of the test, and changed other sentences, and write them in pairs."""
    draw = random.Random(1)
    tau = json.loads((work / "thresholds.json").read_text("utf-8"))[str(seed)]["threshold"]
    test = list(changed(work, seed, "test", tau))
    rest = [each for name in OTHERS for each in changed(work, seed, name, tau)]
    drawn = draw.sample(test, min(cases, len(test))) + draw.sample(rest, min(others, len(rest)))
    draw.shuffle(drawn)
    sheet, key = [], []
    for each in drawn:
        is_first = draw.random() < 0.5
        pair = (each["made"], each["alone"]) if is_first else (each["alone"], each["made"])
        row = {"before": each["before"], "source": each["source"], "A": pair[0], "B": pair[1]}
        sheet.append(json.dumps(row, ensure_ascii=False) + "\n")
        expected = each["expected"] and int(is_right(each, each["made"]))
        key.append([each["text"], each["number"], "A" if is_first else "B", expected])
    write_text(work / f"reading-{seed}.jsonl", "".join(sheet))
    write_text(work / f"reading-{seed}_key.json", json.dumps({"seed": seed, "key": key}) + "\n")


def count(work: Path, seed: int) -> dict[str, Any]:
    """Count how often the context is better, worse and neither.

    Raises:
        InputError: the reader has not written one letter for each line.
    """
    known = json.loads((work / f"reading-{seed}_key.json").read_text("utf-8"))
    letters = "".join((work / f"reading-{seed}.txt").read_text("utf-8").split())
    if len(letters) != len(known["key"]) or not set(letters) <= set("AB="):
        raise InputError(
            f"has {len(letters)} letters for {len(known['key'])} pairs, or others than A, B and =",
            path=work / f"reading-{seed}.txt",
        )
    words = {True: "better", False: "worse"}
    verdicts = [
        [text, number, "neither" if letter == "=" else words[letter == ours], expected]
        for (text, number, ours, expected), letter in zip(known["key"], letters, strict=True)
    ]
    record: dict[str, Any] = {"seed": known["seed"], "verdicts": verdicts}
    for kind, names in (("test", ("test",)), ("others", OTHERS)):
        sums = Counter(verdict for text, _, verdict, _ in verdicts if text in names)
        p = sign_test(sums["better"], sums["worse"])
        record[kind] = {**dict(sorted(sums.items())), "p": float(f"{p:.2g}")}
    folder = Path(__file__).parent / "results"
    folder.mkdir(exist_ok=True)
    write_text(folder / f"reading-{seed}.json", json.dumps(record) + "\n")
    return record


def main() -> None:
    """Run a subcommand."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("command", choices=["sheet", "count"])
    parser.add_argument("work", type=Path, help="the folder of the study")
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--cases", type=int, default=150)
    parser.add_argument("--others", type=int, default=100)
    arguments = parser.parse_args()
    try:
        if arguments.command == "sheet":
            write_sheet(arguments.work, arguments.seed, arguments.cases, arguments.others)
        else:
            record = count(arguments.work, arguments.seed)
            print({kind: record[kind] for kind in ("test", "others")})
    except InputError as error:
        sys.exit(f"adapter_reading.py: {error}")


if __name__ == "__main__":
    main()
