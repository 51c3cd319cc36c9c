"""What `docmt evaluate --realign` finds of changes made on purpose in real translations.

    python benchmarks/realignment.py [--documents 1000] [--hypothesis FILE] [--encoder MODEL]
    python benchmarks/realignment.py --layouts [--corpus SOURCE TARGET --language LANGUAGE]

Documents of the bundled corpus, translated by the bundled model (or read from `--hypothesis`), are
given to the realigner unchanged, and then with sentences merged, split, dropped, added (the same
twice) and moved (swapped with the next). Each change is made at random places that do not touch.
The table has precision and recall of each kind of change, by sentence, and the share of characters
that are in the text of the right sentence afterwards.

With `--layouts` the reference itself is the translation, in paragraphs, on one line and without
punctuation: a layout should not change the score. The corpus is the bundled one of manuals, or
another in files of lines.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from docmt_files.base.documents import Document
from docmt_nmt.corpora import read
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.evaluation import (
    MetricSettings,
    RealignedDocument,
    Realigner,
    RealignmentCounts,
    evaluate,
    read_translations,
)

KINDS = ("merge", "split", "drop", "swap", "double")
ENDS = ".!?;:,"


@dataclass
class Changed:
    """A translation with changes.

    Attributes:
        lines: the lines.
        places: by kind, the sentences of the reference that are changed, each the first.
        units: for each sentence of the new translation in order, its text and the sentences of the
            reference that it translates.
    """

    lines: list[str]
    places: dict[str, list[int]]
    units: list[tuple[str, tuple[int, ...]]]


def change(sentences: Sequence[str], rng: random.Random, rate: float = 0.2) -> Changed:
    """Change sentences of a translation, about so many.

    Args:
        sentences: one for each sentence of the reference.
        rng: draws kinds and places.
        rate: share of the sentences that are changed.
    """
    changed = Changed([], {kind: [] for kind in KINDS}, [])
    i = 0
    while i < len(sentences):
        kind = rng.choice(KINDS) if rng.random() < rate else ""
        here, after = sentences[i].strip(), "".join(sentences[i + 1 : i + 2]).strip()
        if kind in ("merge", "swap") and not (here and after and here != after):
            kind = ""
        if kind == "split" and len(here.split()) < 8:
            kind = ""
        new, width = _changed(kind, here, after, i)
        changed.units += new
        changed.lines += [text for text, _ in new]
        if kind:
            changed.places[kind].append(i)
            # The next sentence stays, so that changes do not touch.
            changed.lines += sentences[i + width : i + width + 1]
            changed.units += [(text, (i + width,)) for text in sentences[i + width : i + width + 1]]
            width += 1
        i += width
    return changed


def _changed(
    kind: str, here: str, after: str, i: int
) -> tuple[list[tuple[str, tuple[int, ...]]], int]:
    """New sentences in the place of one or two, with the sentences that they translate, and how
    many they replace."""
    if kind == "merge":
        return [(f"{here.rstrip(ENDS)}, {after}", (i, i + 1))], 2
    if kind == "split":
        words = here.split()
        middle = len(words) // 2
        halves = " ".join(words[:middle]).rstrip(ENDS) + ".", " ".join(words[middle:])
        return [(halves[0], (i,)), (halves[1][:1].upper() + halves[1][1:], (i,))], 1
    if kind == "drop":
        return [], 1
    if kind == "swap":
        return [(after, (i + 1,)), (here, (i,))], 2
    return [(here, (i,))] * (2 if kind == "double" else 1), 1


@dataclass
class Found:
    """Right, found and existing changes of each kind, and characters in the right text and all."""

    right: Counter[str]
    found: Counter[str]
    made: Counter[str]
    characters: Counter[str]

    def rates(self) -> Iterator[tuple[str, int, float, float]]:
        """Each kind with the number made, precision and recall."""
        for kind in self.made:
            right = self.right[kind]
            yield kind, self.made[kind], right / max(1, self.found[kind]), right / self.made[kind]


def compare(changed: Sequence[Changed], realigned: Sequence[RealignedDocument]) -> Found:
    """What was found of the changes."""
    total = Found(Counter(), Counter(), Counter(), Counter())
    for one, document in zip(changed, realigned, strict=True):
        groups = document.groups
        translated = {i for g in groups if g.shape[1] for i in range(g.first, g.end)}
        found = {
            "merge": {i for g in groups for i in range(g.first, g.end - 1) if g.shape[1]},
            "split": {g.first for g in groups if g.shape[0] and g.shape[1] > 1},
            "lost": set(range(len(document))) - translated,
        }
        made = {
            "merge": {i: {i} for i in one.places["merge"]},
            "split": {i: {i} for i in one.places["split"]},
            # Of two that changed places, either counts as the one that was moved.
            "lost": {i: {i} for i in one.places["drop"]}
            | {i: {i, i + 1} for i in one.places["swap"]},
        }
        for kind, places in found.items():
            total.found[kind] += len(places)
            total.made[kind] += len(made[kind])
            total.right[kind] += sum(bool(places & alike) for alike in made[kind].values())
        extra = len(one.places["double"]) + len(one.places["swap"])
        for kind, number, expected in (
            ("added", document.counts.added, extra),
            ("moved", document.counts.moved, len(one.places["swap"])),
            ("repeated", document.counts.repeated, len(one.places["double"])),
        ):
            # By number in each document, as copies are the same.
            total.found[kind] += number
            total.made[kind] += expected
            total.right[kind] += min(number, expected)
        _count_characters(one, document, total.characters)
    return total


def _count_characters(changed: Changed, document: RealignedDocument, counts: Counter[str]) -> None:
    """Count characters of sentences that were not merged, by whether they are in the right text."""
    for text, indices in changed.units:
        if len(indices) == 1:
            counts["all"] += len(text)
            counts["right"] += len(text) * (text in (document.target or ())[indices[0]])


def pieces(documents: Sequence[Document], number: int) -> list[Document]:
    """So many documents of about the same length, cut from longer ones if need be."""
    sentences = sum(map(len, documents))
    size = max(8, sentences // number)
    cut = []
    for document in documents:
        for first in range(0, len(document) - size // 2, size):
            last = len(document) if len(document) - first - size < size // 2 else first + size
            side = slice(first, last)
            assert document.target is not None
            cut.append(
                Document(f"{document.id}-{first}", document.source[side], document.target[side])
            )
            if last == len(document):
                break
    return cut[:number]


def measure_layouts(documents: Sequence[Document], language: str) -> None:
    """Print the scores of the references as translations, by layout."""
    space = "" if language in ("zh", "ja", "th") else " "
    realigner = Realigner([documents], documents, language=language)
    metrics = MetricSettings(metrics=["s-bleu"], language=language)
    print("| text | layout | s-BLEU | lost | added |\n| --- | --- | ---: | ---: | ---: |")
    for text, pattern in (("reference", "$^"), ("without punctuation", r"[^\w\s]")):
        for layout, size in (("as lines", 1), ("paragraphs of five", 5), ("one line", 10**9)):
            free = []
            for document in documents:
                own = [re.sub(pattern, "", sentence) for sentence in document.target or ()]
                lines = [space.join(own[i : i + size]) for i in range(0, len(own), size)]
                free.append(Document(document.id, tuple(lines), tuple(lines)))
            found = realigner.realign(free)
            counts = sum((one.counts for one in found), RealignmentCounts())
            score = evaluate(found, documents, metrics)[0].score
            print(f"| {text} | {layout} | {score:.2f} | {counts.lost} | {counts.added} |")


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--hypothesis", type=Path, help="translation of the training corpus")
    parser.add_argument("--encoder", help="as of docmt evaluate")
    parser.add_argument("--without-source", action="store_true")
    parser.add_argument("--layouts", action="store_true", help="references in other layouts")
    manuals = [str(corpus_file(f"manuals.{side}.xz")) for side in ("en", "de")]
    parser.add_argument("--corpus", nargs=2, default=manuals, metavar=("SOURCE", "TARGET"))
    parser.add_argument("--language", default="de", help="of the targets of `--corpus`")
    arguments = parser.parse_args()
    if arguments.layouts:
        measure_layouts(list(read(*arguments.corpus)), arguments.language)
        return
    corpus = list(read(corpus_file("train.en.xz"), corpus_file("train.de.xz")))
    if arguments.hypothesis:
        translated = read_translations(arguments.hypothesis)
    else:
        import docmt

        texts = [document.source for document in corpus]
        print("translating", sum(map(len, texts)), "sentences", flush=True)
        translator = docmt.load(beam_size=1)
        translated = [t.document for t in docmt.translate(translator, corpus)]
    references = pieces(corpus, arguments.documents)
    hypotheses = pieces(
        [
            document.translated(ours.target or ())
            for document, ours in zip(corpus, translated, strict=True)
        ],
        arguments.documents,
    )
    sources = None if arguments.without_source else references
    realigner = Realigner([references], sources, language="de", encoder=arguments.encoder)
    print(realigner.settings)
    started = time.process_time()
    same = realigner.realign(hypotheses)
    seconds = time.process_time() - started
    unmoved = sum(
        ours.target == tuple(text.strip() for text in theirs.target or ())
        for ours, theirs in zip(same, hypotheses, strict=True)
    )
    print(
        f"{len(references)} documents, {sum(map(len, references))} sentences, {seconds:.1f} s CPU"
    )
    print(f"one for one: {unmoved} of {len(same)} documents unmoved")
    for name, originals in (("system", hypotheses), ("reference", references)):
        rng = random.Random(1)
        changed = [change(document.target or (), rng) for document in originals]
        free = [
            Document(document.id, tuple(one.lines), tuple(one.lines))
            for document, one in zip(originals, changed, strict=True)
        ]
        found = realigner.realign(free)
        result = compare(changed, found)
        print(f"\n{name}, changed: {sum((one.counts for one in found), RealignmentCounts())}")
        print("| change | made | precision | recall |\n| --- | ---: | ---: | ---: |")
        for kind, made, precision, recall in result.rates():
            print(f"| {kind} | {made:,} | {100 * precision:.1f} | {100 * recall:.1f} |")
        right = result.characters["right"] / result.characters["all"]
        print(f"characters in the right text: {100 * right:.1f} %")
        for label, one in (("unchanged", originals), ("changed, realigned", [*found])):
            print(f"{label}: {evaluate(one, references)[0].score:.2f} s-BLEU")


if __name__ == "__main__":
    main()
