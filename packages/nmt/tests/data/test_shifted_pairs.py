"""Pairs that stand one off are found, though the numbers of lines agree."""

from __future__ import annotations

import random

from docmt_files.base.documents import Document
from docmt_nmt.corpora import read
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.data.preparation import prepare
from docmt_nmt.data.shifted_pairs import ShiftFinder
from toy import toy_recipe, write_real_corpus


def shifted(document: Document, first: int, last: int) -> Document:
    """The translation of sentence `first` is lost, that of `last` is cut in two."""
    lines = list(document.target or ())
    del lines[first]
    text = lines[last - 1]
    lines[last - 1 : last] = [text[: len(text) // 2], text[len(text) // 2 :]]
    return document.translated(lines)


def found(documents):
    finder = ShiftFinder()
    assert list(finder.watched(documents)) == list(documents)
    return finder.report()


def test_a_sound_corpus_has_none() -> None:
    for split in ("dev", "test", "manuals"):
        documents = list(read(corpus_file(f"{split}.en.xz"), corpus_file(f"{split}.de.xz")))
        assert found(documents) is None


def test_most_shifted_pairs_are_found_and_others_are_not() -> None:
    documents = list(read(corpus_file("manuals.en.xz"), corpus_file("manuals.de.xz")))
    draw = random.Random(1)
    made, changed = 0, []
    for number, document in enumerate(documents):
        if number % 2 and len(document) >= 20:
            first = draw.randrange(0, len(document) - 12)
            last = draw.randrange(first + 10, len(document))
            made += last - first
            document = shifted(document, first, last)
        changed.append(document)
    report = found(changed)
    assert 0.7 * made < report.pairs < 1.1 * made
    ids = {place.partition(": ")[0] for place in report.places}
    assert ids <= {one.id for one in documents[1::2]}


def test_preparation_says_where(tmp_path) -> None:
    corpus = write_real_corpus(tmp_path / "corpus", documents=12)
    name = corpus / "valid.de"
    (document, *rest) = read(corpus / "valid.en", name)
    lines = ["<d>", *(shifted(document, 2, len(document) - 2).target or ())]
    for other in rest:
        lines += ["<d>", *(other.target or ())]
    name.write_text("\n".join(lines) + "\n")
    report = prepare(toy_recipe(corpus), tmp_path / "prepared")
    assert set(report.shifted) == {"valid"}
    assert report.shifted["valid"].places[0].startswith(f"{document.id}: ")
    assert "seem to stand one off" in report.__rich__().renderables[-1].plain
