"""The page of sentences beside their translations, as written and as a browser shows it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from lxml import html as lxml_html

from docmt.corpora.corpus_files import CorpusFile
from docmt.formats.markup import html, markdown
from docmt.formats.output import Output
from docmt.ground.documents import Document
from docmt.ground.translations import (
    DocumentWarning,
    TranslatedSentence,
    Translation,
    warnings_by_sentence,
)

GUIDE = "# The pump\n\nPress *it*. Wait.\n\n## More <b>& more</b>\n\n- One thing\n"


def translation(document: Document, target: str, *warnings: DocumentWarning) -> Translation:
    by_sentence = warnings_by_sentence(warnings, len(document))
    sentences = tuple(
        TranslatedSentence(source, f"{target} {i}", warnings=tuple(by_sentence[i]))
        for i, source in enumerate(document.source)
    )
    return Translation(document.id, sentences, (len(document),))


@pytest.fixture
def view(tmp_path: Path) -> Path:
    """A page of a Markdown file in Arabic, with three warnings."""
    (tmp_path / "guide.md").write_text(GUIDE)
    (document,), skeleton = markdown.read(tmp_path / "guide.md", "en")
    warnings = [
        DocumentWarning(1, "too-short", "2 characters for 90"),
        DocumentWarning(1, "copy", "80 %"),
        DocumentWarning(4, "repetition", "<b>"),
    ]
    result = translation(document, "<script>alert(1)</script> مضخة", *warnings)
    path = tmp_path / "view.html"
    Output("html-side-by-side").write(path, [result], skeleton, languages=("en", "ar_SA"))
    return path


def test_every_sentence_has_a_row_in_its_block_with_headings_and_warnings(view: Path) -> None:
    page = lxml_html.fromstring(view.read_text(encoding="utf-8"))
    blocks = [
        [[" ".join(cell.text_content().split()) for cell in row.iter("td")] for row in body]
        for body in page.iter("tbody")
    ]
    sources = [[source for source, _ in block] for block in blocks]
    assert sources == [["The pump"], ["Press it.", "Wait."], ["More & more"], ["One thing"]]
    assert blocks[0][0][1].startswith("<script>alert(1)</script>")
    assert [h.tag for h in page.xpath("//td[1]/*")] == ["h2", "h3"]
    assert not page.xpath("//script") and "://" not in view.read_text()
    assert page.xpath("//tr[@class='marked']/@id") == ["s2", "s5"]
    assert page.xpath("//nav//a/@href") == ["#s2", "#s5"]
    shown = [warning.text_content() for warning in page.xpath("//ul[@class='warnings']/li")]
    assert shown == [
        "too short for the source: 2 characters for 90",
        "copied from the source: 80 %",
        "repeating itself: <b>",
    ]
    assert set(page.xpath("//td[2]/@dir")) == {"rtl"} and set(page.xpath("//td[1]/@dir")) == {"ltr"}
    assert set(page.xpath("//td[2]/@lang")) == {"ar-SA"}


def test_several_documents_have_sections_of_their_own(tmp_path: Path) -> None:
    found = [translation(Document(f"d {i}", ("one", "two")), "x") for i in range(2)]
    form = Output("html-side-by-side")
    form.write(tmp_path / "a", found, CorpusFile(".tsv"), languages=("en", "de"))
    page = lxml_html.fromstring((tmp_path / "a").read_text())
    assert page.xpath("//main/h2/@id") == ["d1", "d2"]
    assert page.xpath("//tr/@id") == ["s1", "s2", "s3", "s4"]


def test_headings_of_html_are_kept_too(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<h1>One</h1><p>Two<h3>Three <i>x</i></h3>Four<h6>Five</h6>")
    _, skeleton = html.read(tmp_path / "a.html", "en")
    assert [block.heading for block in skeleton.found.blocks] == [1, 0, 3, 0, 6]


@pytest.mark.browser
def test_a_browser_shows_two_columns_or_on_a_phone_one(view: Path, page: Any) -> None:
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text))
    page.goto(view.as_uri())
    cells = page.locator("#s2 td")
    left, right = (cells.nth(i).bounding_box() for i in range(2))
    assert left["y"] == right["y"] and left["x"] + left["width"] <= right["x"] + 1
    assert (
        page.evaluate("getComputedStyle(document.querySelector('#s2 td + td')).direction") == "rtl"
    )
    page.set_viewport_size({"width": 360, "height": 640})
    above, below = (cells.nth(i).bounding_box() for i in range(2))
    assert above["y"] + above["height"] <= below["y"] + 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert errors == []


@pytest.mark.browser
def test_a_browser_moves_by_keys_and_has_a_dark_mode(view: Path, page: Any) -> None:
    page.goto(view.as_uri())
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    focused = "document.activeElement.getAttribute('href')"
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "#text"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#s2"
    mark = page.evaluate("getComputedStyle(document.querySelector('#s2')).backgroundColor")
    assert mark != light
    page.keyboard.press("Tab")
    assert re.fullmatch("#s[23]", page.evaluate(focused)), "from there on, sentence by sentence"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
