"""IDML: runs, paragraphs, and what stands in them."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from docmt_files import BlockSkeleton, Input
from docmt_files.base.documents import Document
from formats.samples.idml import idml, paragraphs, run, words


def read(folder: Path, *stories: str) -> tuple[Document, BlockSkeleton]:
    path = folder / "a.idml"
    path.write_bytes(idml(*stories))
    (document,), skeleton = Input().read(path, "en")
    assert isinstance(skeleton, BlockSkeleton)
    return document, skeleton


def story(folder: Path, content: str) -> str:
    """A story in upper case."""
    document, skeleton = read(folder, content)
    target = document.translated([sentence.upper() for sentence in document.source])
    data = skeleton.fill_and_report([target]).data
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        text = package.read("Stories/Story_u0.xml").decode()
    return text.partition('<Story Self="u1">')[2].partition("</Story>")[0]


def test_a_break_ends_a_paragraph_and_no_line_is_added(tmp_path: Path) -> None:
    text = paragraphs(run(words("One") + "<Br/>" + words("two") + "<Br/><Br/>" + words("three")))
    document, _ = read(tmp_path, text)
    assert document.source == ("One", "two", "three")
    expected = text.replace("One", "ONE").replace("two", "TWO").replace("three", "THREE")
    assert story(tmp_path, text) == expected


def test_runs_of_the_same_look_are_one(tmp_path: Path) -> None:
    text = paragraphs(run(words("Pre")) + run(words("ss ")) + run(words("red"), "Bold"))
    document, skeleton = read(tmp_path, text)
    assert document.source == ("Press red",)
    assert [block.parts[0].text for block in skeleton.found.blocks] == ["Press "]
    written = story(tmp_path, text)
    assert "<Content>PRESS </Content>" in written
    assert 'Bold"><Content>RED</Content></CharacterStyleRange>' in written


def test_a_footnote_and_a_cell_are_paragraphs_in_their_places(tmp_path: Path) -> None:
    note = f"<Footnote>{paragraphs(run(words('<?ACE 4?>') + words(' a note')))}</Footnote>"
    text = paragraphs(run(words("One ") + note + words("two")))
    document, _ = read(tmp_path, text)
    assert document.source == ("One two", "a note")
    written = story(tmp_path, text)
    assert "<?ACE 4?></Content><Content> A NOTE</Content>" in written
    assert written.index("ONE") < written.index("<Footnote>") < written.index("TWO")


def test_an_element_around_several_paragraphs_stays_around_them(tmp_path: Path) -> None:
    text = paragraphs(f"<XMLElement Self='x'>{run(words('a') + '<Br/>' + words('b'))}</XMLElement>")
    assert story(tmp_path, text) == text.replace(">a<", ">A<").replace(">b<", ">B<")


def test_a_link_stands_around_its_words(tmp_path: Path) -> None:
    link = f"<HyperlinkTextSource Self='h'>{run(words('the page'))}</HyperlinkTextSource>"
    written = story(tmp_path, paragraphs(run(words("See ")) + link + run(words("."))))
    inner = written.partition("<HyperlinkTextSource Self='h'>")[2].partition("</Hyper")[0]
    assert "<Content>THE PAGE</Content>" in inner and "SEE" not in inner


def test_tracked_deletions_stay(tmp_path: Path) -> None:
    deleted = f"<Change ChangeType='DeletedText'>{run(words('old'))}</Change>"
    inserted = f"<Change ChangeType='InsertedText'>{run(words('new'))}</Change>"
    document, _ = read(tmp_path, paragraphs(run(words("a ")) + deleted + inserted))
    assert document.source == ("a new",)
