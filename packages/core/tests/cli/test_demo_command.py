"""`docmt demo`: what it shows of the bundled model, and of a training on a toy corpus."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from docmt.cli import main
from docmt.translating.context_changes import ContextChange, context_changes, translate_among_others
from docmt_files.base.documents import Document
from docmt_nmt import corpora
from docmt_nmt.base.translations import Translation
from docmt_nmt.corpora.demo import corpus_file, file_to_translate
from docmt_nmt.translators import Translator


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.fixture
def sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """The number of sentences of the demo's test set, here its first documents alone."""
    folder = tmp_path / "test set"
    folder.mkdir()
    names = [f"manuals.{part}.xz" for part in ("en", "de", "docids")]
    source, target, docids = map(corpus_file, names)
    documents = list(corpora.read(source, target, docids=docids))[:1]
    corpora.write(documents, *(folder / name for name in names[:2]), docids=folder / names[2])
    monkeypatch.setattr("docmt_nmt.corpora.demo.corpus_file", lambda name: folder / name)
    return sum(map(len, documents))


def test_the_demo_translates_a_page_and_subtitles_and_scores_a_test_set(
    sentences: int, tmp_path: Path
) -> None:
    result = run("demo", "--output", str(tmp_path / "out"))
    assert result.exit_code == 0, result.output
    names = ["guide.de.md", "guide.md", "video.de.srt", "video.srt"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == names
    for name in ("guide.md", "video.srt"):
        assert (tmp_path / "out" / name).read_text() == file_to_translate(name).read_text()

    page = (tmp_path / "out" / "guide.de.md").read_text()
    english = file_to_translate("guide.md").read_text()
    for kept in (r"\]\(.*?\)", "`.*?`", r"^\|.*--.*\|$", "^#+ ", "^- ", r"^\d\. "):
        pattern = re.compile(kept, re.MULTILINE)
        assert pattern.findall(page) == pattern.findall(english)
    assert "## Siehe auch" in page
    times = re.compile(r"^.*-->.*$", re.MULTILINE)
    translated = (tmp_path / "out" / "video.de.srt").read_text()
    assert times.findall(translated) == times.findall(file_to_translate("video.srt").read_text())

    assert page.splitlines()[-1] in result.stdout
    said = " ".join(result.stdout.split())
    changed = re.search(rf"Of {sentences} sentences .*?, (\d+) are translated otherwise", said)
    assert changed is not None and int(changed[1]) > 0
    assert re.search(r"\d+ among sentences of other documents", said)
    for column in ("source", "alone", "in its document", "reference"):
        assert column in result.stdout
    scores = re.findall(r"^(s-BLEU|d-BLEU|s-chrF) +([\d.]+) ·", result.stdout, re.MULTILINE)
    assert [name for name, _ in scores] == ["s-BLEU", "d-BLEU", "s-chrF"]
    assert float(scores[0][1]) > 15, "the bundled model is of use for manuals"


@pytest.mark.parametrize("name", ["guide.md", "guide.de.md", "video.de.srt"])
def test_the_demo_does_not_overwrite_files_of_others(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("Mine.\n")
    result = run("demo", "--output", str(tmp_path))
    assert result.exit_code == 2
    assert f"{name}: is there already" in result.stderr and "--output" in result.stderr
    assert (tmp_path / name).read_text() == "Mine.\n"
    assert [path.name for path in tmp_path.iterdir()] == [name]


class Naming(Translator):
    """Translates a sentence into itself and the first of its document."""

    languages = ("en", "en")

    def translate(self, documents: list[Document], **_: object) -> list[Translation]:
        return [
            Translation.of(d.id, d.source, [f"{s} {d.source[0]}" for s in d.source])
            for d in documents
        ]


def test_sentences_among_others_get_their_own_translations() -> None:
    documents = [Document("a", ("one", "two", "three")), Document("b", ("four",))]
    mixed = translate_among_others(Naming(), documents)
    assert [d.id for d in mixed] == ["a", "b"]
    words = [target.split() for d in mixed for target in d.target]
    assert [own for own, _ in words] == ["one", "two", "three", "four"]
    assert len({first for _, first in words}) == 2
    assert mixed != translate_among_others(Naming(), documents, seed=2)


def test_what_context_changes_is_found_by_sentence() -> None:
    documents = [Document("a", ("one", "two")), Document("b", ("three",))]
    together = [documents[0].translated(["eins", "zwei"]), documents[1].translated(["drei"])]
    alone = [documents[0].translated(["eins", "zwo"]), documents[1].translated(["drei"])]
    assert context_changes(together, alone) == [ContextChange(0, 1, "two", "zwo", "zwei")]


def test_a_training_demo_trains_translates_and_evaluates(recipe: str, tmp_path: Path) -> None:
    text = Path(recipe).read_text().replace("max_steps: 20", "max_steps: 4")
    Path(recipe).write_text(text.replace("validate_every: 10", "validate_every: 2"))
    result = run("demo", "--train", "--recipe", recipe, "--run", str(tmp_path / "run"))
    assert result.exit_code == 0, result.output
    for column in ("source", "translation", "reference"):
        assert column in result.stdout
    assert "s-BLEU" in result.stdout
    assert "docs 6" in result.stdout


def test_a_training_demo_without_a_test_split_is_an_error(tmp_path: Path) -> None:
    sentence = tmp_path / "sentence.yaml"
    sentence.write_text("extends: sentence\n")
    result = run("demo", "--train", "--recipe", str(sentence), "--run", str(tmp_path / "run"))
    assert result.exit_code == 2
    assert "data.test is missing" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--recipe", "demo-sentence"], "--recipe is for --train"),
        (["--train", "--output", "out"], "--output is not for --train"),
    ],
)
def test_options_of_the_other_demo_are_refused(arguments: list[str], message: str) -> None:
    result = run("demo", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
