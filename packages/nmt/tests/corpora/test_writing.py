"""What is written can be read back as it was, and appears whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.corpora.demo import corpus_file

FORMATS = {
    "markers": {"source": "a.en", "target": "a.de.gz", "docids": "ids"},
    "blank": {"source": "a.en", "target": "a.de", "boundaries": "blank", "docids": "ids"},
    "docids": {"source": "a.en", "target": "a.de", "boundaries": "docids", "docids": "ids"},
    "tsv": {"source": "a.tsv"},
    "jsonl": {"source": "a.jsonl.gz"},
    "parquet": {"source": "a.parquet"},
}
TWO = [Document("a", ("One.", "Two."), ("Eins.", "Zwei.")), Document("b", ("Three.",), ("Drei.",))]


def inside(folder: Path, form: str) -> dict[str, str]:
    files = ("source", "target", "docids")
    return {k: str(folder / v) if k in files else v for k, v in FORMATS[form].items()}


@pytest.mark.parametrize("form", FORMATS)
def test_real_text_survives_every_format(tmp_path, form):
    sides = [corpus_file(f"test.{side}.xz") for side in ("en", "de", "docids")]
    documents = list(corpora.read(sides[0], sides[1], docids=sides[2]))
    corpora.write(documents, **inside(tmp_path, form))
    assert list(corpora.read(**inside(tmp_path, form))) == documents


text = st.text(max_size=6) | st.sampled_from(
    ["", " ", "<d>", "a\tb", "\ufeffa", "a\r", "\u2028", "{"]
)
pairs = st.lists(st.tuples(text, text), max_size=3)
drawn = st.lists(st.tuples(st.text(max_size=2), pairs), max_size=3).map(
    lambda rows: [
        Document(name, tuple(s for s, _ in p), tuple(t for _, t in p)) for name, p in rows
    ]
)


@pytest.mark.parametrize("form", FORMATS)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents=drawn)
def test_any_text_comes_back_as_it_was_or_is_refused(tmp_path, form, documents):
    names = inside(tmp_path, form)
    try:
        corpora.write(documents, **names)
    except InputError:
        return
    assert list(corpora.read(**names, allow_empty=True)) == documents


def test_line_files_may_have_no_target(tmp_path):
    documents = [Document("1", ("One.",)), Document("2", ("Two.",))]
    corpora.write(documents, tmp_path / "a.en")
    assert (tmp_path / "a.en").read_text() == "<d>\nOne.\n<d>\nTwo.\n"


def test_sentences_that_are_documents_are_written_and_others_refused(tmp_path):
    sides = tmp_path / "a.en", tmp_path / "a.de"
    with pytest.raises(
        InputError, match=r"'a': there are 2 sentences.*Set boundaries to 'markers'"
    ):
        corpora.write(TWO, *sides, boundaries="sentences")
    corpora.write(TWO[1:], *sides, boundaries="sentences")
    assert (tmp_path / "a.de").read_text() == "Drei.\n"


def test_without_boundaries_only_sentences_are_written(tmp_path):
    corpora.write(TWO, tmp_path / "a.en", tmp_path / "a.de", boundaries="none")
    assert (tmp_path / "a.de").read_text() == "Eins.\nZwei.\nDrei.\n"


@pytest.mark.parametrize("form", FORMATS)
def test_all_files_appear_or_none_and_old_ones_stay(tmp_path, form):
    def failing() -> Iterator[Document]:
        yield from TWO
        raise RuntimeError("the translator failed")

    names = inside(tmp_path, form)
    with pytest.raises(RuntimeError):
        corpora.write(failing(), **names)
    assert list(tmp_path.iterdir()) == []
    corpora.write(TWO, **names)
    with pytest.raises(RuntimeError):
        corpora.write(failing(), **names)
    assert list(corpora.read(**names)) == TWO


def test_a_side_that_cannot_be_written_keeps_the_other_from_appearing(tmp_path):
    (tmp_path / "a.de").mkdir()
    with pytest.raises(InputError, match=r"a\.de: cannot be written"):
        corpora.write(TWO, tmp_path / "a.en", tmp_path / "a.de")
    assert [path.name for path in tmp_path.iterdir()] == ["a.de"]


REFUSED = [
    ("no documents", "markers", [], "there are no documents"),
    ("an empty document", "markers", [Document("a", (), ())], "'a': the document is empty"),
    ("an id twice", "jsonl", TWO[:1] * 2, "the document id 'a' is repeated"),
    ("a line break", "markers", [Document("a", ("x\ny",), ("z",))], "sentence 1: .* a line break"),
    ("a marker", "docids", [Document("a", ("<d>",), ("z",))], "a sentence is <d>"),
    ("a blank sentence", "blank", [Document("a", ("x", "y"), ("z", " "))], "sentence 2 is blank"),
    ("a tab", "tsv", [Document("a", ("x",), ("y\tz",))], "sentence 1 holds a tab"),
    ("a mixture", "tsv", [TWO[0], Document("b", ("x",))], "'b': only some of the documents"),
    ("no target", "markers", [Document("a", ("x",))], "'a': there is no target side"),
    ("half a pair", "parquet", [Document("a", ("\udc80",))], "half a surrogate pair"),
]


@pytest.mark.parametrize("case", REFUSED, ids=[case[0] for case in REFUSED])
def test_what_a_format_cannot_hold_is_an_error(tmp_path, case):
    _, form, documents, problem = case
    with pytest.raises(InputError, match=problem) as caught:
        corpora.write(documents, **inside(tmp_path, form))
    assert caught.value.cure
    assert list(tmp_path.iterdir()) == []


def test_a_target_side_is_not_dropped(tmp_path):
    with pytest.raises(InputError, match="there is a target side"):
        corpora.write(TWO, tmp_path / "a.en")


def test_the_same_file_twice_is_an_error(tmp_path):
    with pytest.raises(InputError, match="the same file is named twice"):
        corpora.write(TWO, tmp_path / "a", tmp_path / "a")
