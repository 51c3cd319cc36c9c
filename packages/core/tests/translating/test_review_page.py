"""The page of a review: a person edits it in a browser, and saves JSON for `docmt merge`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from lxml import html as lxml_html

from docmt.output import Output
from docmt.translating import translate_files
from docmt.translating.reviews import merge_review
from shouting_translator import Shouting

TEXT = "# A </script> pump\n\nPress **OK** now. Wait `20` seconds.\n\nOpen <b>it</b>.\n"


@pytest.fixture
def review(tmp_path):
    """The page of a Markdown file."""
    (tmp_path / "a.md").write_text(TEXT)
    paths = [str(tmp_path / "a.md")], [str(tmp_path / "a.html")]
    translate_files(Shouting("en", "de"), *paths, form=Output("html-review"))
    return tmp_path / "a.html"


def test_a_page_is_one_file_that_runs_its_own_script_alone(review):
    page = lxml_html.fromstring(review.read_text())
    assert len(page.xpath("//script")) == 2
    assert not page.xpath("//link | //img | //iframe")
    policy = page.xpath("//meta[@http-equiv]/@content")[0]
    assert "default-src 'none'" in policy
    assert "script-src 'sha256-" in policy
    assert [len(body.xpath("tr")) for body in page.iter("tbody")] == [1, 2, 1]


def _saved(page: Any, folder):
    with page.expect_download() as download:
        page.click("#save")
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


@pytest.mark.browser
def test_a_person_edits_ticks_and_saves(page, review, tmp_path):
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.goto(review.as_uri())
    untouched = _saved(page, tmp_path)
    assert untouched.name == "a.md.json"
    assert merge_review(untouched, tmp_path / "b.md").problems == 0
    loud = (tmp_path / "b.md").read_text()
    assert "PRESS **OK** NOW. WAIT `20` SECONDS.\n\nOPEN <b>IT</b>.\n" in loud
    target = page.locator("#s2 .target")
    target.click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("Nun ")
    page.keyboard.press("Control+Enter")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Translation 3"
    assert page.locator("#state").text_content() == "1 edited, 1 right, not saved"
    page.locator("#s4 .target").evaluate("node => { node.textContent = 'Öffnen.'; }")
    page.locator("#s4 .target").dispatch_event("input")
    buttons = page.locator("#s4 .lost button")
    assert buttons.all_text_contents() == ["<b>", "</b>"]
    buttons.first.click()
    page.locator("#s4 .lost button").click()
    assert page.locator("#s4 .lost button").count() == 0
    saved = _saved(page, tmp_path)
    values = json.loads(saved.read_text())
    assert values["units"][1]["segments"][0]["target"][0] == "Nun PRESS "
    notes: list[str] = []
    assert merge_review(saved, tmp_path / "c.md", note=notes.append).problems == 0
    changed = loud.replace("PRESS", "Nun PRESS").replace("OPEN <b>IT</b>.", "Öffnen.<b></b>")
    assert (tmp_path / "c.md").read_text() == changed
    assert "1 of them approved and 2 edited" in notes[0]
    page.reload()
    assert page.locator("#state").text_content() == "0 edited, 0 right"
    page.set_input_files("#open", saved)
    page.locator("#state", has_text="2 edited, 1 right").wait_for()
    assert _saved(page, tmp_path).read_text() == json.dumps(values, ensure_ascii=False, indent=1)
    assert not errors
