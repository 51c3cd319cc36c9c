"""Files on the page of the service: what people see of them, from the choice to the review."""

from __future__ import annotations

import pytest

from docmt_serve.models.models import Model, Models
from docmt_serve.service.service import Service
from docmt_serve.service.service_settings import ServiceSettings
from docmt_serve.stores.api_keys import add_key
from page_actions import choose, ended, file, upload
from page_translators import HOSTILE, Marking

pytestmark = pytest.mark.browser

DROP = """(names) => {
  const carried = new DataTransfer();
  for (const name of names) carried.items.add(new File(["Three."], name));
  for (const kind of ["dragenter", "dragover", "drop"])
    document.dispatchEvent(new DragEvent(kind, {dataTransfer: carried, bubbles: true}));
}"""


def test_a_file_shows_its_progress_and_the_time_left_and_can_be_downloaded(opened, waiting):
    item = upload(opened, model="waiting")
    waiting.may_go_on.release(2)
    item.locator(
        ".state", has_text="English → German · 2 of 3 sentences · 1 second left"
    ).wait_for()
    assert item.get_by_role("progressbar").evaluate("bar => bar.value / bar.max") > 0.5
    waiting.may_go_on.release()
    with opened.expect_download() as download:
        item.get_by_role("link", name="Download the translation of a.md").click()
    assert download.value.path().read_text() == "ONE. TWO. THREE.\n"
    assert download.value.suggested_filename == "a.md"
    assert item.locator(".state").text_content() == "English → German · 3 sentences"
    assert "chunk" not in item.text_content()


@pytest.mark.slow
def test_files_that_are_chosen_and_dropped_are_sent_together(opened):
    choose(opened, file("a.md", b"One. WARN two.\n"), file("b.md"))
    opened.evaluate(DROP, ["c.md"])
    opened.get_by_role("button", name="Remove b.md").click()
    opened.get_by_role("button", name="Translate 2 files").click()
    opened.locator("#chosen > li").first.wait_for(state="detached")
    for name in ("a.md", "c.md"):
        ended(opened.locator("#jobs > li", has_text=name))


@pytest.mark.slow
def test_files_dropped_on_the_text_are_shown_where_files_are(opened):
    opened.evaluate(DROP.replace(', "drop"]', "]"), ["c.md"])
    assert opened.locator("#overlay").text_content() == "Drop to translate: English → German"
    opened.evaluate(DROP, ["c.md"])
    assert not opened.locator("#overlay").is_visible()
    assert opened.get_by_role("tab", name="Files").get_attribute("aria-selected") == "true"
    assert opened.locator("#chosen .name").text_content() == "c.md"


def test_a_glossary_and_a_memory_are_used_and_told_in_the_details(opened):
    opened.get_by_text("Options", exact=True).click()
    opened.get_by_label("Take a glossary from a file").set_input_files(
        file("g.tsv", b"One\tEins\n")
    )
    opened.locator("#status", has_text="The glossary is now that of g.tsv.").wait_for()
    choose(opened, file("a.md", b"One. WARN two.\n"))
    memory = file("m.tsv", b"x\tOne.\tEins!\n")
    opened.get_by_label("Add a memory from a file").set_input_files(memory)
    opened.locator("#status", has_text="m.tsv is the memory for these files").wait_for()
    opened.get_by_role("button", name="Translate 1 file").click()
    item = ended(opened.locator("#jobs > li").first)
    assert not item.locator(".notes").is_visible()
    item.get_by_text("Details").click()
    notes = item.locator(".notes").text_content()
    assert "1 term of the glossary" in notes
    assert "1 sentence of 2 from the memory" in notes


@pytest.mark.slow
def test_sentences_to_check_are_reviewed_with_their_places(opened):
    item = ended(upload(opened, content=b"One.\n\nWARN two.\n"))
    review = item.get_by_role("button", name="Review 1 sentence")
    assert not item.locator(".marked").is_visible()
    review.click()
    marked = item.locator(".marked li")
    assert marked.locator("strong").text_content() == "line 3"
    assert marked.locator(".source, .target").all_text_contents() == ["WARN two.", "(WARN two.)"]
    assert HOSTILE in marked.locator(".warning").text_content()


@pytest.mark.slow
def test_a_file_that_is_refused_stays_in_the_list_with_the_reason(opened):
    opened.route("**/jobs", lambda route: route.fulfill(status=413, json={"error": "too large"}))
    choose(opened, file("a.md", b"One.\n"))
    opened.get_by_role("button", name="Translate 1 file").click()
    opened.locator("#chosen > li").get_by_role("alert").get_by_text("too large").wait_for()


def test_a_file_that_cannot_be_translated_is_an_error_with_its_reason(opened):
    item = ended(upload(opened, "a.pdf", b"%PDF-1.7"), "error")
    assert "Not translated" in item.locator(".state").text_content()
    told = item.get_by_role("alert").text_content()
    assert told.startswith("a.pdf is a PDF document") and "pdftotext" not in told
    assert not item.get_by_text("Details").is_visible()


@pytest.mark.slow
def test_a_file_under_way_can_be_cancelled(opened):
    item = upload(opened, model="waiting")
    item.get_by_role("button", name="Cancel a.md").click()
    item.wait_for(state="detached")


@pytest.mark.slow
def test_files_are_still_listed_when_the_page_is_loaded_again_until_they_are_removed(opened):
    ended(upload(opened))
    opened.reload()
    item = ended(opened.locator("#jobs > li").first)
    assert item.locator(".name").text_content() == "a.md"
    assert item.get_by_role("link").get_attribute("href").endswith("/result")
    item.get_by_role("button", name="Remove a.md").click()
    item.wait_for(state="detached")
    opened.reload()
    opened.get_by_role("button", name="Target language: Deutsch").wait_for()
    assert opened.locator("#jobs > li").count() == 0


@pytest.mark.slow
def test_a_folder_is_refused(opened):
    opened.evaluate("DataTransferItem.prototype.webkitGetAsEntry = () => ({isDirectory: true})")
    opened.evaluate(DROP, ["folder"])
    opened.get_by_role("alert").get_by_text("A folder cannot be sent.").wait_for()
    assert opened.locator("#chosen > li").count() == 0


def test_markup_in_names_of_files_is_text(opened):
    ended(upload(opened, f"a{HOSTILE}.md".replace("/", "\\"), b"One.\n"))
    assert opened.locator("#files-view img, #files-view script").count() == 0


def test_files_that_need_a_key_are_followed_and_downloaded_with_it(page, in_a_thread, tmp_path):
    key = add_key(tmp_path / "keys.toml", "one")
    models = Models([Model("marking", Marking())])
    settings = ServiceSettings(keys=tmp_path / "keys.toml")
    with in_a_thread(Service.of(settings, models, tmp_path)) as url:
        page.goto(url)
        for is_new in (True, False):
            page.get_by_label("API key").fill(key)
            page.get_by_label("API key").blur()
            item = ended(upload(page) if is_new else page.locator("#jobs > li").first)
            with page.expect_download() as download:
                item.get_by_role("link", name="Download the translation of a.md").click()
            assert download.value.path().read_text() == "(One.) (Two.) (Three.)\n"
            assert download.value.suggested_filename == "a.md"
            page.reload()  # The file comes back with the key.
