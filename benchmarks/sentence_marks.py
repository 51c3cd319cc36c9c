"""Which wrong translations of the bundled model have a warning, and which right ones.

    python benchmarks/sentence_marks.py --data CORPORA --files FILES

`sentence_marks.tsv` has labels of 684 translations, given by reading them: `wrong` if a reader
would be misled, would not understand the sentence, or would miss something of its content; bad
grammar alone is right. It has hashes in place of texts, as not all licenses allow copies. A corpus
is CORPORA/NAME/SPLIT.en.xz with a line `<d>` before each document, of which 40 sentences are
translated. FILES has `videojs.json` (lang/en.json of video.js), `excalidraw.json` (locales/en.json
of Excalidraw), `astro.md` and `astro2.md` (project-structure and astro-pages of the documentation
of Astro). What is not there is left out, and so are sentences whose translation has changed since
it was labeled. The last table has the share of references of the corpora that have lost a name, by
the words that the corpus of the bundled model translates and without a corpus.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import docmt
from docmt.output import Output
from docmt_files.base.documents import Document
from docmt_files.storage.json_files import read_json
from docmt_nmt import corpora
from docmt_nmt.runs.bundled import DEFAULT
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.translators.checks.name_checks import lost_names
from measuring import machine, print_table

LABELS = Path(__file__).with_suffix(".tsv")

REFERENCES = (
    ("msdocs_en_de", "de"),
    ("phpdoc_en_de", "de"),
    ("gnome_en_de", "de"),
    ("sutta_en_de", "de"),
    ("bcontrast", "de"),
    ("debianweb_en_de", "de"),
    ("maruf_ted", "de"),
    ("maruf_europarl7", "de"),
    ("maruf_nc2016", "de"),
    ("msdocs_en_ru", "ru"),
    ("phpdoc_en_ru", "ru"),
    ("debianweb_en_ru", "ru"),
    ("msdocs_en_zh", "zh"),
    ("phpdoc_en_zh", "zh"),
)
"""Corpora and target languages; of each the test split is read."""

_SENTENCES = 40
"""The number of sentences of a document that are translated."""


class Label(NamedTuple):
    """A labeled translation; the fields are the columns of `sentence_marks.tsv`."""

    kind: str
    half: str
    place: str
    document: str
    sentence: str
    source: str
    translation: str
    label: str
    before: str


class Sentence(NamedTuple):
    """A translated sentence with the kinds of its warnings."""

    source: str
    translation: str
    warnings: frozenset[str]


def read_labels() -> list[Label]:
    """The labels."""
    with LABELS.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Label(*row) for row in rows][1:]


def digest(text: str) -> str:
    """The hash by which `sentence_marks.tsv` knows a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def translate_place(
    translator: docmt.Translator, place: str, wanted: set[int], data: Path, files: Path
) -> dict[int, list[Sentence]] | None:
    """The sentences of some documents of a corpus, or of a file; None if it is not there."""
    if "/" not in place:
        return _translated_file(translator, files / place)
    path = data / f"{place}.en.xz"
    if not path.exists():
        return None
    documents = list(corpora.read(path, boundaries="markers"))
    parts = [Document(str(n), documents[n].source[:_SENTENCES]) for n in sorted(wanted)]
    return {
        int(each.id): [
            Sentence(s.source, s.target, frozenset(warning.kind for warning in s.warnings))
            for s in each.sentences
        ]
        for each in docmt.translate(translator, parts)
    }


def _translated_file(translator: docmt.Translator, path: Path) -> dict[int, list[Sentence]] | None:
    if not path.exists():
        return None
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output.jsonl"
        docmt.translate_files(translator, [str(path)], [str(output)], form=Output("jsonl"))
        values = read_json(output)
    return {
        0: [
            Sentence(
                source,
                target,
                frozenset(w["kind"] for w in values["warnings"] if w["sentence"] == index),
            )
            for index, (source, target) in enumerate(
                zip(values["source"], values["target"], strict=True)
            )
        ]
    }


def found(
    labels: Sequence[Label], places: dict[str, dict[int, list[Sentence]] | None]
) -> Iterator[tuple[Label, frozenset[str]]]:
    """The labels of translations that have not changed, with the kinds of their warnings."""
    for label in labels:
        document = (places[label.place] or {}).get(int(label.document), [])
        for sentence in document[int(label.sentence) : int(label.sentence) + 1]:
            if (digest(sentence.source), digest(sentence.translation)) == label[5:7]:
                yield label, sentence.warnings


def lost_in_references(
    path: Path, name: str, language: str, translated: frozenset[str]
) -> list[str]:
    """The row of a corpus: the shares of references without a name of the source."""
    sides = [path / name / f"test.{side}.xz" for side in ("en", language)]
    documents = list(corpora.read(*sides, boundaries="markers"))
    sentences = sum(map(len, documents))
    cells = []
    for words in (translated, frozenset[str]()):
        # Another pair of languages has no corpus here.
        if words and language != "de":
            cells.append("")
            continue
        lost = sum(len(list(lost_names(each, ("en", language), words))) for each in documents)
        cells.append(f"{lost / sentences:.2%}")
    return [name, f"{sentences:,}", *cells]


def share(marked: Sequence[bool]) -> str:
    """A share of marked sentences with the numbers."""
    return f"{sum(marked)}/{len(marked)}" + (
        f" ({sum(marked) / len(marked):.0%})" if marked else ""
    )


def row(name: str, rows: Sequence[tuple[Label, frozenset[str]]]) -> list[str]:
    """The row of a table: wrong and right translations with warnings, before and now."""
    cells = [name]
    for wanted in ("wrong", "right"):
        of_label = [each for each in rows if each[0].label == wanted]
        cells.append(share([bool(label.before) for label, _ in of_label]))
        cells.append(share([bool(warnings) for _, warnings in of_label]))
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--files", type=Path, default=Path("files"))
    options = parser.parse_args()
    labels = read_labels()
    wanted: dict[str, set[int]] = defaultdict(set)
    for label in labels:
        wanted[label.place].add(int(label.document))
    translator = docmt.load()
    places = {
        place: translate_place(translator, place, numbers, options.data, options.files)
        for place, numbers in wanted.items()
    }
    for place, sentences in places.items():
        if sentences is None:
            print(f"{place}: not there, left out")
    rows = list(found(labels, places))
    there = [label for label in labels if places[label.place] is not None]
    print(f"{machine()}\n{len(rows)} of {len(there)} translations are as they were labeled")
    head = ["", "wrong, before", "wrong, marked", "right, before", "right, marked"]
    for half in ("dev", "test"):
        of_half = [each for each in rows if each[0].half == half]
        kinds = dict.fromkeys(label.kind for label, _ in of_half)
        print(f"\n{half}")
        parts = [row(kind, [e for e in of_half if e[0].kind == kind]) for kind in kinds]
        print_table(head, [*parts, row("all", of_half)])
    marks = sorted({kind for _, warnings in rows for kind in warnings})
    print()
    print_table(
        ["mark, both halves", "wrong", "right"],
        [
            [mark, *(str(_count(rows, mark, label)) for label in ("wrong", "right"))]
            for mark in marks
        ],
    )
    references = [each for each in REFERENCES if (options.data / each[0]).is_dir()]
    translated = frozenset(SystemRun.load(DEFAULT).thresholds().translated_words.split())
    print()
    print_table(
        ["references of", "sentences", "the corpus of the model", "no corpus"],
        [lost_in_references(options.data, *each, translated) for each in references],
    )


def _count(rows: Sequence[tuple[Label, frozenset[str]]], mark: str, label: str) -> int:
    """The number of wrong or right translations with a mark."""
    return sum(mark in warnings for each, warnings in rows if each.label == label)


if __name__ == "__main__":
    main()
