"""What holds for every format in the table: a new one must only bring samples."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from time import process_time

import pytest

from docmt_files import FORMATS, BlockSkeleton, Format, Input
from docmt_files.base.errors import InputError
from docmt_files.core.inline import Text
from formats.every_format import (
    PSEUDO,
    every_sample,
    read,
    samples_of,
    structure_in,
    translated,
    write_sample,
)
from fuzz.format_targets import FORMAT_TARGETS

DOCS = Path(__file__).parents[4] / "docs"

DIALOGUES = ("subrip", "webvtt", "ass", "ttml")
"""Formats in which what is said again may need another translation."""

WITH_CONTENTS = ("docx", "odf", "epub")
"""Formats of files with tables of contents."""

by_format = pytest.mark.parametrize("file_format", FORMATS, ids=lambda each: each.name)
by_sample, by_hostile_sample = every_sample("SAMPLES"), every_sample("HOSTILE")


@by_format
def test_a_format_has_samples_a_fuzz_target_and_a_section(file_format: Format) -> None:
    samples = samples_of(file_format)
    assert samples.SAMPLES and samples.HOSTILE and samples.long_file(1)
    assert any(target.name == file_format.name and target.is_format for target in FORMAT_TARGETS)
    page = (DOCS / "concepts" / "formats.md").read_text(encoding="utf-8")
    assert f"`--format {file_format.name}`" in page, "name it in a section of docs/concepts"
    guide = (DOCS / "how-to" / "translate.md").read_text(encoding="utf-8")
    assert f"`{file_format.suffixes[0]}`" in guide


@by_sample
def test_filled_with_its_own_sentences_a_file_is_the_same(
    tmp_path: Path, file_format: Format, name: str
) -> None:
    path = write_sample(tmp_path, name, samples_of(file_format).SAMPLES[name])
    documents, skeleton = read(file_format, path)
    filled = skeleton.fill_and_report(translated(documents, lambda sentence: sentence))
    assert filled.data == path.read_bytes()
    assert filled.kept == 0


@pytest.mark.by_default(200)
@by_sample
@pytest.mark.parametrize("pseudo", PSEUDO)
def test_filled_with_anything_a_file_keeps_its_structure_and_its_codes(
    tmp_path: Path, file_format: Format, name: str, pseudo: str
) -> None:
    path = write_sample(tmp_path, name, samples_of(file_format).SAMPLES[name])
    documents, skeleton = read(file_format, path)
    filled = skeleton.fill_and_report(translated(documents, PSEUDO[pseudo]))
    (tmp_path / "out").mkdir()
    output = tmp_path / "out" / name
    output.write_bytes(filled.data)
    if pseudo == "empty":
        return  # A file without text is refused when it is read.
    _, again = read(file_format, output)
    structure = structure_in(file_format)
    if pseudo != "special":
        assert structure(again) == structure(skeleton)
        assert filled.kept == 0, filled.notes
    else:
        assert len(structure(again)) == len(structure(skeleton))


@by_sample
def test_a_file_is_one_document_in_file_order(
    tmp_path: Path, file_format: Format, name: str
) -> None:
    path = write_sample(tmp_path, name, samples_of(file_format).SAMPLES[name])
    documents, skeleton = read(file_format, path)
    assert [document.id for document in documents] == [str(path)]
    starts = [s.start for s in sum(skeleton.sentences, ()) if s.start >= 0]
    own = [b.parts[0].start for b in skeleton.found.blocks if not b.nested and b.parts]
    assert starts and own == sorted(own)


def texts_of_blocks(skeleton: BlockSkeleton, filled: str) -> dict[tuple[str, ...], list[str]]:
    """For the sentences of blocks with some, the texts of these blocks in a filled file, without
    white space."""
    assert skeleton.find is not None
    found: dict[tuple[str, ...], list[str]] = {}
    blocks = skeleton.find(filled).blocks
    for sentences, block in zip(skeleton.sentences, blocks, strict=True):
        text = "".join(part.text for part in block.parts if isinstance(part, Text))
        if sentences:
            found.setdefault(tuple(s.text for s in sentences), []).append("".join(text.split()))
    return found


@by_format
def test_equal_blocks_get_equal_translations(tmp_path: Path, file_format: Format) -> None:
    module = samples_of(file_format)
    several: list[str] = []
    numbers = count(1000)

    def another(_: str) -> str:
        """A translation that no other sentence has."""
        return f"Wort {next(numbers)}"

    for name, content in (*module.SAMPLES.items(), module.long_file(4)):
        documents, skeleton = read(file_format, write_sample(tmp_path, name, content))
        if not skeleton.found.equal:
            assert file_format.name in DIALOGUES
            continue
        filled = skeleton.fill_and_report(translated(documents, another))
        assert filled.kept == 0
        groups = texts_of_blocks(skeleton, filled.text).values()
        assert all(len(set(texts)) == 1 for texts in groups), name
        assert len({texts[0] for texts in groups}) == len(groups), name
        several += [name for texts in groups if len(texts) > 1]
    assert several or file_format.name in DIALOGUES, "repeat a block in a sample"
    if file_format.name in WITH_CONTENTS:
        assert set(several) & set(module.SAMPLES), "name a heading in a table of contents"


@by_sample
def test_a_file_is_known_by_its_name_and_translated_whole(
    tmp_path: Path, file_format: Format, name: str
) -> None:
    path = write_sample(tmp_path, name, samples_of(file_format).SAMPLES[name])
    form = Input() if file_format.by_name else Input(file_format=file_format.name)
    documents, skeleton = form.read(path, "en", "ar")
    assert skeleton.fill_and_report(translated(documents, PSEUDO["right to left"])).data
    if file_format.by_name:
        with pytest.raises(InputError, match=r"not plain text|the name of a corpus"):
            Input(segmented=True).read(path, "en")


@pytest.mark.by_default(80)
@by_hostile_sample
def test_a_hostile_file_is_read_or_refused(tmp_path: Path, file_format: Format, name: str) -> None:
    path = write_sample(tmp_path, name, samples_of(file_format).HOSTILE[name])
    started = process_time()
    try:
        documents, skeleton = read(file_format, path, "ar")
    except InputError as error:
        assert name in str(error) and error.cure
    else:
        skeleton.fill_and_report(translated(documents, PSEUDO["special"]))
    assert process_time() - started < 5


def read_and_filled(file_format: Format, path: Path) -> tuple[int, float]:
    """The sentences of a file, and the processor time that reading and filling it takes."""
    started = process_time()
    documents, skeleton = read(file_format, path)
    skeleton.fill_and_report(translated(documents, PSEUDO["upper-cased"]))
    return len(documents[0]), process_time() - started


@pytest.mark.by_default(11)
@by_format
def test_a_long_file_takes_linear_time(tmp_path: Path, file_format: Format) -> None:
    (few, short), (many, long) = (
        read_and_filled(file_format, write_sample(tmp_path, f"{n}{name}", content))
        for n in (25, 200)
        for name, content in [samples_of(file_format).long_file(n)]
    )
    assert many > 6 * few
    # Four times as much as linear time would be; quadratic time is eight times as much.
    assert long < 32 * max(short, 0.01)
