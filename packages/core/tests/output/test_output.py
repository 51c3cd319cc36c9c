"""What is written for translated files, and where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from docmt.output import Output, OutputFormat, input_format_of, output_format_of
from docmt_files import Input
from docmt_files.base.documents import Document, SentenceWarning
from docmt_files.base.errors import InputError
from docmt_files.text import segmented
from docmt_nmt import corpora
from docmt_nmt.base.translations import Candidate, TranslatedSentence, Translation
from docmt_nmt.corpora import corpus_files
from docmt_nmt.corpora.corpus_files import CorpusFile

BEST, SECOND = Candidate("ein Satz", -0.25), Candidate("der Satz", -1.5)
SENTENCE = TranslatedSentence(
    "a sentence",
    *BEST,
    truncated=True,
    others=(SECOND,),
    positions=(SECOND, BEST),
    warnings=(SentenceWarning("truncated", "cut off"),),
)
TRANSLATION = Translation("a", (SENTENCE, TranslatedSentence("")), (2,))


def written(output: Output, tmp_path: Path) -> str:
    """What an output writes for a file of two documents."""
    path = tmp_path / "two.en"
    path.write_text("<d>\na sentence\n<d>\nanother\n")
    documents, skeleton = segmented.read(path, "en")
    translations = [
        Translation(document.id, (TranslatedSentence(*document.source, f"T{i}", -0.5),), (1,))
        for i, document in enumerate(documents)
    ]
    output.write(tmp_path / "out", translations, skeleton)
    return (tmp_path / "out").read_text()


def test_text_is_the_file_with_its_sentences_translated(tmp_path: Path) -> None:
    assert written(Output(), tmp_path) == "<d>\nT0\n<d>\nT1\n"


def test_a_table_has_a_line_per_sentence(tmp_path: Path) -> None:
    name = tmp_path / "two.en"
    expected = [f"{name}:1\ta sentence\tT0", f"{name}:2\tanother\tT1"]
    assert written(Output("tsv"), tmp_path).splitlines() == expected
    lines = written(Output("tsv", log_probabilities=True), tmp_path).splitlines()
    assert lines == [line + "\t-0.5000" for line in expected]


def test_json_has_an_object_per_document_with_what_is_asked_for(tmp_path: Path) -> None:
    def as_json(output: Output) -> Any:
        output.write(tmp_path / "out.jsonl", [TRANSLATION], CorpusFile(".tsv"))
        return json.loads((tmp_path / "out.jsonl").read_text())

    plain = {
        "id": "a",
        "source": ["a sentence", ""],
        "target": ["ein Satz", ""],
        "chunks": [2],
        "truncated": [0],
        "warnings": [{"sentence": 0, "kind": "truncated", "detail": "cut off"}],
    }
    assert as_json(Output("jsonl")) == plain
    full = Output("jsonl", log_probabilities=True, n_best=2, positions=True)
    best = {"target": ["ein Satz", ""], "log_probabilities": [-0.25, 0.0]}
    second = {"target": ["der Satz", ""], "log_probabilities": [-1.5, 0.0]}
    assert as_json(full) == plain | {
        "log_probabilities": [-0.25, 0.0],
        "alternatives": [best, second],
        "positions": [second, best],
    }


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"log_probabilities": True},
            "`log_probabilities` cannot be written with `output_format=same`. Add",
        ),
        ({"kind": "tsv", "n_best": 2}, "`n_best` cannot be written with `output_format=tsv`"),
        ({"positions": True}, "`positions` cannot be written with `output_format=same`"),
    ],
)
def test_what_a_format_cannot_hold_is_an_error(settings, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Output(**settings)
    assert message in str(caught.value)


def test_outputs_in_a_folder_are_named_after_their_inputs(tmp_path: Path) -> None:
    inputs = ["a.txt", "sub/b.en"]
    assert Output().paths(inputs, tmp_path) == [f"{tmp_path}/a.txt", f"{tmp_path}/b.en"]
    tables = [f"{tmp_path}/a.tsv", f"{tmp_path}/b.tsv"]
    assert Output("tsv").paths(inputs, tmp_path) == tables
    assert Output().paths(["-"], None) == Output().paths(["a.txt"], "-") == ["-"]
    assert Output().paths(["-"], tmp_path / "new.txt") == [f"{tmp_path}/new.txt"]


def test_a_path_that_ends_in_a_slash_is_a_folder(tmp_path: Path) -> None:
    assert Output().paths(["sub/a.txt"], f"{tmp_path}/new/") == [f"{tmp_path}/new/a.txt"]
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is a file, but an output folder is needed"):
        Output().paths(["a.txt"], f"{tmp_path}/file/")


@pytest.mark.parametrize(
    ("inputs", "output", "message"),
    [
        (["a.txt", "b.txt"], None, "several input files need an output folder"),
        (["a.txt", "-"], "out", "cannot derive an output file name for standard input"),
        (["a.txt", "b.txt"], "a.txt", "is a file, but several inputs need an output folder"),
        (["a.txt", "sub/a.txt"], "out", "two inputs would be written to this file"),
        (["a.txt"], "a.txt", "is an input and would be overwritten"),
        (["b.txt"], "a.txt/b.txt", "cannot be written"),
    ],
)
def test_a_path_that_cannot_be_written_is_an_error(
    inputs: list[str],
    output: str | None,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").touch()
    with pytest.raises(InputError) as caught:
        Output().paths(inputs, output)
    assert message in str(caught.value)


def test_a_tab_is_an_error_in_a_table_alone() -> None:
    documents = [Document("a", ("one\ttwo",))]
    Output().check(documents)
    Output("jsonl").check(documents)
    with pytest.raises(InputError, match="document 'a' has a tab in a sentence"):
        Output("tsv").check(documents)


def test_a_translation_memory_has_the_pairs_with_their_languages(tmp_path: Path) -> None:
    path = tmp_path / "out.tmx"
    Output("tmx").write(path, [TRANSLATION], CorpusFile(".tsv"), languages=("en", "de"))
    (document,) = corpora.read(path, allow_empty=True, languages=("en", "de"))
    assert (document.source, document.target) == (("a sentence", ""), ("ein Satz", ""))


@pytest.mark.parametrize(
    ("inputs", "output", "kind"),
    [
        (["a.md"], None, "same"),
        (["a.md"], "b.md", "same"),
        (["a.md"], "b.tsv", "tsv"),
        (["a.md"], "b.TMX", "tmx"),
        (["a.txt"], "b.jsonl", "jsonl"),
        (["-"], "b.tmx", "tmx"),
        (["a.md", "b.md"], "out/", "same"),
        (["a.tsv"], "b.jsonl", "same"),
        (["a.tsv"], "b.tmx", "tmx"),
        (["a.tsv"], "b.tsv", "same"),
    ],
)
def test_the_name_of_the_output_may_ask_for_a_format(
    inputs: list[str], output: str | None, kind: str
) -> None:
    assert output_format_of(inputs, output) == kind


def test_an_output_is_not_named_as_a_file_of_another_format(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has the name of an HTML page, but .* in \.md"):
        Output().paths(["a.md"], tmp_path / "b.html")
    for name in ("b.md", "b.mdx", "b", "b.en"):
        Output().paths(["a.md"], tmp_path / name)
    Output("html-review").paths(["a.md"], tmp_path / "b.html")
    Output().paths(["a.txt"], tmp_path / "b.md")


@pytest.mark.parametrize(
    ("path", "file_format", "output", "message"),
    [
        (
            "a.docx",
            None,
            "b.txt",
            r"suffix \.txt, but the translation of a Word document is a Word",
        ),
        ("a.docx", None, "b.pdf", r"suffix \.pdf, but the translation of a Word"),
        ("a.docx", None, "b.odt", "name of an OpenDocument file, but the translation of a Word"),
        ("a.md", None, "b.pdf", r"suffix \.pdf, but the translation of a Markdown"),
        ("a.srt", None, "b.vtt", "name of a WebVTT file, but the translation of a SubRip file is"),
        ("a.txt", None, "b.docx", r"suffix \.docx, but the translation of text is text"),
        ("a.txt", None, "b.json", r"suffix \.json, but the translation of text is text"),
        ("a.en", None, "b.parquet", r"suffix \.parquet, but the translation of text is text"),
        ("a.json", "text", "b.srt", r"suffix \.srt, but the translation of text is text"),
        ("-", "json", "b.srt", "name of a SubRip file, but the translation of a JSON file is"),
        ("a.docx", None, "b", None),
        ("a.docx", None, "b.DOCX", None),
        ("a.md", None, "b.txt", None),
        ("a.json", "text", "b.json", None),
        ("a.in", "json", "b.json", None),
        ("-", "html", "b.html", None),
        ("a.en", None, "b.de", None),
        ("a.tsv", None, "b.parquet", None),
    ],
)
def test_an_output_is_not_named_as_what_it_is_not(tmp_path, path, file_format, output, message):
    if message is None:
        assert Output().paths([path], tmp_path / output, file_format) == [f"{tmp_path}/{output}"]
        return
    with pytest.raises(InputError, match=message):
        Output().paths([path], tmp_path / output, file_format)


def test_a_file_that_is_no_text_is_not_written_to_a_terminal(monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    with pytest.raises(InputError, match="a terminal cannot show"):
        Output().paths(["manual.docx"], None)
    assert Output().paths(["page.html"], None) == ["-"]
    assert Output("jsonl").paths(["manual.docx"], None) == ["-"]
    monkeypatch.setattr("sys.stdout.isatty", lambda: False, raising=False)
    assert Output().paths(["manual.docx"], None) == ["-"]


@pytest.mark.parametrize(
    ("kind", "name"),
    [("tmx", "a.tsv"), ("html-review", "a.jsonl"), ("tsv", "a.DOCX"), ("jsonl", "a.html")],
)
def test_an_output_is_not_named_as_another_format(kind: OutputFormat, name: str) -> None:
    with pytest.raises(InputError, match=f"but the output is {kind}"):
        Output(kind).paths(["in.txt"], name)
    assert Output("tsv").paths(["in.txt"], "a.txt") == ["a.txt"]


def test_a_file_that_may_not_be_written_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept.txt"
    kept.touch()
    monkeypatch.setattr("os.access", lambda path, _: Path(path) != kept)
    with pytest.raises(InputError, match="is there, and may not be written"):
        Output().paths(["in.txt"], kept)


@pytest.mark.parametrize(
    ("inputs", "output", "input_format", "kind"),
    [
        (["a.tmx"], "b.tmx", "tmx", "same"),
        (["a.tmx", "b.tmx"], "c/", None, "same"),
        (["a.tmx"], "b.jsonl", None, "same"),
        (["a.txt"], "b.tmx", None, "tmx"),
    ],
)
def test_a_memory_is_filled_if_its_output_is_a_memory(inputs, output, input_format, kind):
    assert input_format_of(inputs, output, None) == input_format
    assert output_format_of(inputs, output, input_format) == kind


def test_a_memory_is_a_corpus_by_its_name(tmp_path):
    path = tmp_path / "a.tmx"
    path.write_text(
        '<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>a</seg></tuv>'
        '<tuv xml:lang="de"><seg>b</seg></tuv></tu></body></tmx>'
    )
    documents, _ = Input().read(path, "en", "de", read_corpus=corpus_files.read)
    assert documents == [Document("a", ("a",))]
    Output().paths([str(path)], tmp_path / "b.tmx")


def test_a_document_of_a_memory_has_its_translation_at_every_position(tmp_path: Path) -> None:
    taken = Translation("b", (TranslatedSentence("another", "T", -0.5),), (1,))
    path = tmp_path / "two.en"
    path.write_text("<d>\na sentence\n<d>\nanother\n")
    _, skeleton = segmented.read(path, "en")
    Output("jsonl", positions=True).write(tmp_path / "out", [TRANSLATION, taken], skeleton)
    _, line = (tmp_path / "out").read_text().splitlines()
    assert json.loads(line)["positions"] == [{"target": ["T"]}, {"target": ["T"]}]
