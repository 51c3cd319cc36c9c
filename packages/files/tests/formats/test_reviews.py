"""A file of any format goes into a review and comes back as `docmt translate` writes it."""

from __future__ import annotations

import pytest

from docmt_files import Input
from docmt_files.review.making import Origin, Remarks, file_digest, review_of
from docmt_files.review.merging import Merger
from docmt_files.review.review_json import read_review_json, review_values
from docmt_files.review.xliff_reading import read_xliff
from docmt_files.review.xliff_writing import write_xliff
from docmt_files.storage.json_files import json_text
from formats.every_format import PSEUDO, every_sample, samples_of, translated, write_sample


def _read(kind, text, folder):
    path = folder / f"edited.{'json' if kind == 'json' else 'xlf'}"
    path.write_text(text, encoding="utf-8", newline="")
    return read_review_json(path) if kind == "json" else read_xliff(path)


def _written(kind, review):
    return json_text(review_values(review)) if kind == "json" else write_xliff(review, kind)


def _check(file_format, name, folder, changes):
    """Fill a file with translations, once as `docmt translate` and once by a review."""
    path = write_sample(folder, name, samples_of(file_format).SAMPLES[name])
    for number, (pseudo, change) in enumerate(changes.items()):
        documents, skeleton = file_format.load().read(path, "en")
        if number % 2:
            documents, skeleton = skeleton.keep_words(documents, lambda *_: True)
        made = translated(documents, change)
        if skeleton.origins is not None:
            (one,) = made
            made = [one.translated([one.target[index] for index in skeleton.origins])]
        expected = skeleton.fill_and_report(made)
        origin = Origin(path, Input(file_format=file_format.name), "en")
        review, written = review_of(
            made,
            [[Remarks() for _ in each.source] for each in made],
            skeleton,
            None,
            ("en", "de"),
            origin,
        )
        assert (written.kept, written.moved) == (expected.kept, expected.moved)
        kind = ("2.0", "1.2", "json")[number % 3]
        review = _read(kind, _written(kind, review), folder)
        again, bare = file_format.load().read(path, "en")
        merger = Merger(review, path, review.sha256 == file_digest(path))
        merger.merge(again, bare, folder / "out")
        assert (folder / "out").read_bytes() == expected.data, pseudo
        assert not merger.problems.kinds - {"untranslated", "around"}
        assert not any(each.is_edited for each in merger.sentences)


@pytest.mark.by_default(30)
@every_sample("SAMPLES")
def test_what_was_not_touched_is_byte_for_byte_the_translation(file_format, name, tmp_path):
    _check(file_format, name, tmp_path, {"reversed": PSEUDO["reversed"]})


@pytest.mark.slow
@every_sample("SAMPLES")
def test_no_translation_is_changed_by_a_review(file_format, name, tmp_path):
    _check(file_format, name, tmp_path, PSEUDO)
    _check(file_format, name, tmp_path, dict(reversed(PSEUDO.items())))
