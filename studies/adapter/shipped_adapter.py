"""The adapter that may be given away: its English is docmt's own dialogues and CC0 text, its
Portuguese is the output of Firefox's model (MPL 2.0), of whose attention it is a copy at first.

    python studies/adapter/shipped_adapter.py data WORK --sutta FOLDER
    python studies/adapter/shipped_adapter.py train WORK
    python studies/adapter/shipped_adapter.py write WORK FILE --threshold 8
    python studies/adapter/shipped_adapter.py look WORK FILE

WORK is the folder of the study, with the start. SUTTA is a folder with `train.en.xz` of
SuttaCentral (Bhikkhu Sujato, CC0), one sentence a line, a line `<d>` before each discourse.
"""

from __future__ import annotations

import argparse
import lzma
import random
import sys
from pathlib import Path

import torch

from adapter_arms import recipe_of
from adapter_data import has_form
from adapter_measures import START, in_context, made_by
from adapter_texts import load_texts
from docmt.in_context.context_switch import ContextSwitch
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.runs.adapter_names import ADAPTER
from docmt_nmt.runs.context_adapters import ContextAdapter
from docmt_nmt.text.context_cues import has_cue
from docmt_nmt.training import train
from docmt_research.completion import CompletedDocument, ends_in_auxiliary, made_dialogues, teach

NUMBERS = {"train": 4_000, "valid": 300}
"""Dialogues, and ordinary stretches, of each split."""

_MAX_CHARACTERS = 120
"""Longer sentences of the discourses are left out: dialogues have short ones."""


def stretches(lines: list[str], number: int, draw: random.Random) -> list[CompletedDocument]:
    """Two to five consecutive lines, without a clause that ends in an auxiliary."""
    found: dict[tuple[str, ...], CompletedDocument] = {}
    while len(found) < number:
        first, size = draw.randrange(len(lines)), draw.randint(2, 5)
        source = tuple(lines[first : first + size])
        fits = all(line and len(line) <= _MAX_CHARACTERS for line in source)
        if len(source) == size and fits and not any(map(ends_in_auxiliary, source)):
            found.setdefault(source, CompletedDocument(f"stretch-{len(found)}", source))
    return list(found.values())


def write_data(work: Path, sutta: Path) -> None:
    """Write the training and validation documents."""
    text = lzma.decompress((sutta / "train.en.xz").read_bytes()).decode("utf-8")
    lines = ["" if line == "<d>" else line.strip() for line in text.split("\n")]
    draw = random.Random(1)
    translator = BeamSearchTranslator.load(work / "runs/start")
    total = sum(NUMBERS.values())
    dialogues, ordinary = list(made_dialogues(total)), stretches(lines, total, draw)
    begin = 0
    for name, number in NUMBERS.items():
        part = slice(begin, begin + number)
        taught = teach(translator, [*dialogues[part], *ordinary[part]])
        corpora.write(taught, work / "shipped" / f"{name}.jsonl")
        begin += number


def write_adapter(work: Path, path: Path, threshold: float) -> None:
    """Write the adapter with its description."""
    adapter = ContextAdapter.read(work / "runs/shipped" / ADAPTER)
    adapter.described(
        threshold=threshold,
        cues=["english-final-auxiliary"],
        base_name="Firefox en-pt, tiny, 2021",
        license="MPL-2.0",
        made_from="dialogues of docmt; discourses, translated by Bhikkhu Sujato (both CC0-1.0)",
    ).write(path)


def look(work: Path, path: Path) -> None:
    """Print what the adapter does on the development texts, with its cues and threshold."""
    switch = ContextSwitch.load(work / "runs/start", path)
    for name in ("dev", "ordinary"):
        texts, starts = list(load_texts(work, name)), made_by(work, START, name)
        right = changed = total = cues = 0
        for text, start, row in zip(texts, starts, in_context(switch, texts, starts), strict=True):
            for index, alone, found in zip(text.measured, start, row, strict=True):
                taken = bool(found) and found[1] > switch.threshold and not found[2]
                right += has_form(found[0] if taken else alone, text.expected)
                changed += taken
                total += 1
                cues += has_cue(text.source[index], switch.cues)
        print(f"{name}: {total:,} sentences, {cues:,} with a cue, {changed:,} changed", end="")
        print(f", {100 * right / total:.1f} % right" if name == "dev" else "")


def main() -> None:
    """Run a subcommand."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("command", choices=["data", "train", "write", "look"])
    parser.add_argument("work", type=Path, help="the folder of the study")
    parser.add_argument("file", type=Path, nargs="?", help="the file of the adapter")
    parser.add_argument("--sutta", type=Path, help="the folder of the discourses")
    parser.add_argument("--threshold", type=float, default=8.0, help="in nats")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    work = arguments.work
    try:
        if arguments.command == "data":
            (work / "shipped").mkdir(exist_ok=True)
            write_data(work, arguments.sutta)
        elif arguments.command == "train":
            train(recipe_of("context-1", work, folder="shipped"), work / "runs/shipped")
        elif arguments.command == "look":
            look(work, arguments.file)
        else:
            write_adapter(work, arguments.file, arguments.threshold)
    except InputError as error:
        sys.exit(f"shipped_adapter.py: {error}")


if __name__ == "__main__":
    main()
