"""The start and the teacher of *it* on the cases of the test, before any training: how often the
start writes the pronoun by itself, and how often completion with the antecedent of CTXPRO does.

    python studies/adapter/adapter_teacher.py WORK --ctxpro CHECKOUT

writes results/it/teacher.json, without text, and prints the shares with intervals of 95 % by
bootstrap over films.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from adapter_data import Line, read_lines
from adapter_page import share_of
from adapter_pronouns import (
    completion_of,
    has_pronoun,
    noun_of,
    people_cases,
    pronoun_lines,
    translated,
)
from adapter_tasks import TASKS
from docmt_files.storage.files import write_text
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.translators.translator import Translator
from docmt_research.completion import with_pronoun


def teacher_record(translator: Translator, lines: Sequence[Line]) -> dict[str, Any]:
    """Which cases are right alone, and which by completion; where the noun cannot be put in, or is
    not found again, the translation alone stands.

    Args:
        translator: the start.
        lines: the lines of the test.
    """
    cases, people = pronoun_lines(lines), people_cases(lines)
    alone = translated(translator, [line.sentence for line in cases])
    completed = [completion_of(line) for line in cases]
    made = translated(translator, [each[0] if each else "" for each in completed])
    phrases = translated(translator, [each[1] if each else "" for each in completed])
    found = [
        with_pronoun(text, noun_of(phrase)) if each else None
        for each, text, phrase in zip(completed, made, phrases, strict=True)
    ]
    of_people = translated(translator, [case.sentence for case in people])
    return {
        "films": _numbers([line.film for line in cases]),
        "completed": _digits(each is not None for each in completed),
        "put back": _digits(each is not None for each in found),
        "it alone": _digits(has_pronoun(text, "it") for text in alone),
        "it taught": _digits(
            has_pronoun(text if other is None else other, "it")
            for text, other in zip(alone, found, strict=True)
        ),
        "films of people": _numbers([case.film for case in people]),
        "she": _digits(case.expected == "she" for case in people),
        "people alone": _digits(
            has_pronoun(text, case.expected) for text, case in zip(of_people, people, strict=True)
        ),
    }


def shown(record: dict[str, Any]) -> str:
    """The shares of a record in lines."""
    films, people = record["films"], record["films of people"]
    lines = [
        f"{name}: {share_of(record[name], films)}"
        for name in ("completed", "put back", "it alone", "it taught")
    ]
    for name, digit in (("he", "0"), ("she", "1")):
        chosen = [index for index, own in enumerate(record["she"]) if own == digit]
        right = "".join(record["people alone"][index] for index in chosen)
        lines.append(f"{name} alone: {share_of(right, [people[index] for index in chosen])}")
    return "\n".join(lines)


def _numbers(names: Sequence[str]) -> list[int]:
    index = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return [index[name] for name in names]


def _digits(flags: Any) -> str:
    return "".join("01"[bool(flag)] for flag in flags)


def main() -> None:
    """Measure, and write the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("work", type=Path, help="the folder of the study, with runs/start")
    parser.add_argument("--ctxpro", type=Path, required=True, help="a checkout of CTXPRO")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    translator = BeamSearchTranslator.load(arguments.work / "runs/start")
    lines = list(read_lines(arguments.ctxpro / "release", "animacy", "pt-en", "devtest"))
    record = teacher_record(translator, lines)
    folder = Path(__file__).parent / TASKS["it"].results
    folder.mkdir(exist_ok=True)
    write_text(folder / "teacher.json", json.dumps(record, separators=(",", ":")) + "\n")
    print(shown(record))


if __name__ == "__main__":
    main()
