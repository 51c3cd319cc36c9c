"""The page of the service in a browser: what people see of texts and files, and what never runs."""

from __future__ import annotations

import json
import re
import threading
import time
from importlib.resources import files
from pathlib import Path

import pytest

from docmt.models import InstalledModel, Registry
from docmt_files.base.documents import WARNING_WORDS, SentenceWarning
from docmt_files.base.errors import InputError
from docmt_nmt.base.translations import TranslatedSentence, Translation
from docmt_nmt.translators import request_of
from docmt_nmt.translators.translator import Translator
from docmt_serve.further_models import FurtherModels
from docmt_serve.models import Model, Models
from docmt_serve.service import Service
from docmt_serve.service_settings import ServiceSettings
from docmt_serve.stores.api_keys import add_key
from shouting_translator import Shouting
from waiting_translator import Waiting

pytestmark = pytest.mark.browser

HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'


class Marking(Translator):
    """Translates a sentence into itself in parentheses, in chunks of two sentences; one with FAIL
    fails, and one with WARN has a warning."""

    languages = ("en", "de")
    gives = frozenset(("sentences", "words", "revisions"))

    def translate(self, request, **_):
        request = request_of(request)
        translations = []
        for owner, document in enumerate(request.documents):
            revision = request.revision
            target = [f"({sentence})" for sentence in document.source]
            if any("FAIL" in sentence for sentence in document.source):
                raise ValueError("a secret")
            if revision is not None:
                known = revision.known[owner].target
                first = min(index for _, index in revision.sentences)
                after = [f"({s}, after {known[first - 1]})" for s in document.source[first:]]
                target = [*known[:first], *after]
            size = len(target)
            chunks = (*[2] * (size // 2), *[1] * (size % 2))
            warning = SentenceWarning("too-short", f"<b>{HOSTILE}</b>")
            sentences = tuple(
                TranslatedSentence(s, t, warnings=(warning,) if "WARN" in s else ())
                for s, t in zip(document.source, target, strict=True)
            )
            translations.append(Translation(document.id, sentences, chunks))
        return translations


class Getting(FurtherModels):
    """Gets the model of a pair in two steps; that of one pair cannot be got."""

    def __init__(self, failing):
        self.failing, self.may_go_on = failing, threading.Event()
        self.here, sizes = {"en-de"}, {"uncompressedSize": 17_000_000, "path": "a"}
        entry = {"files": {"model": sizes, "vocab": {"path": "b"}}}
        models = {pair: [entry] for pair in ("en-de", "en-fr", "en-pt")}
        registry = Registry.parse(json.dumps({"models": models}).encode(), "a")
        super().__init__(self, registry, lambda pair: Model("-".join(pair), Shouting(*pair)))

    @property
    def models(self):
        return self

    def all(self):
        return [InstalledModel(Path(pair), "", "", "") for pair in self.here]

    def pairs(self):
        return [model.languages for model in self.all()]

    def install(self, model, _, count):
        if model.pair == self.failing:
            raise InputError("the network is down")
        count(8_500_000)
        assert self.may_go_on.wait(20)
        self.here.add(model.pair)
        return InstalledModel(Path(model.pair), "", "", "")


@pytest.fixture(scope="module")
def waiting():
    return Waiting()


@pytest.fixture(scope="module")
def url(in_a_thread, tmp_path_factory, waiting, browser):
    models = Models([Model("marking", Marking()), Model("waiting", waiting)])
    settings = ServiceSettings(char_limit=5000)
    with in_a_thread(Service.of(settings, models, tmp_path_factory.mktemp("page"))) as address:
        yield address


@pytest.fixture
def opened(page, url):
    """The page, which must not run anything, nor break a policy."""
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "console",
        lambda message: problems.append(message.text) if "Content Security" in message.text else 0,
    )
    page.on("dialog", lambda dialog: problems.append("a dialog") or dialog.dismiss())
    page.set_default_timeout(10_000)
    page.goto(url)
    page.locator("#model option").nth(1).wait_for(state="attached")
    yield page
    assert problems == []
    assert page.evaluate("window.hacked") is None


def _translate(page, text):
    page.get_by_label("Text", exact=True).fill(text)
    page.get_by_role("button", name="Translate", exact=True).click()
    page.locator("#status", has_text="translated").wait_for()


def _rows(page):
    return [
        (row.locator("td").nth(0).text_content(), row.locator(".target").text_content())
        for row in page.locator("#sentences tr").all()
    ]


def _file(name, content):
    return {"name": name, "mimeType": "text/plain", "buffer": content}


def _upload(page, name="a.md", content=b"One. Two. Three.\n", model="marking"):
    page.get_by_label("Languages").select_option(index=0 if model == "marking" else 1)
    page.get_by_label("Files to translate").set_input_files(_file(name, content))
    page.get_by_role("button", name="Translate file").click()
    page.locator("#chosen > li").wait_for(state="detached")
    return page.locator("#jobs > li").first


def _press(page, name):
    """Press a button of a sentence, which is there while a pointer is on the sentence."""
    button = page.get_by_role("button", name=name)
    page.locator("#sentences tr", has=button).locator("td").first.hover()
    button.click()


def test_sentences_stand_beside_their_translations_with_their_context_and_warnings(opened):
    _translate(opened, "One. Two. WARN three.")
    assert _rows(opened) == [
        ("One.", "(One.)"),
        ("Two.", "(Two.)"),
        ("WARN three.", "(WARN three.)"),
    ]
    assert "too short for the source" in opened.locator("tr .warning").text_content()
    _press(opened, "Show the context of sentence 1")
    classes = [row.get_attribute("class") for row in opened.locator("#sentences tr").all()]
    assert classes == ["chosen", "context", None]
    told = opened.locator("#status").text_content()
    assert told == "Translated together with 1 other sentence."


def test_an_edited_sentence_is_what_those_after_it_go_on_from(opened):
    _translate(opened, "One. Two. Three.")
    _press(opened, "Edit the translation of sentence 2")
    opened.get_by_label("Translation of sentence 2").fill("Zwei!")
    opened.get_by_role("button", name="Translate what follows").click()
    opened.locator("td", has_text="after Zwei!").wait_for()
    assert [target for _, target in _rows(opened)] == ["(One.)", "Zwei!", "(Three., after Zwei!)"]
    _press(opened, "Edit the translation of sentence 1")
    opened.get_by_label("Translation of sentence 1").fill("Eins!")
    opened.get_by_role("button", name="Keep").click()
    assert _rows(opened)[0][1] == "Eins!"


def test_a_file_shows_its_progress_and_can_be_downloaded(opened, waiting):
    item = _upload(opened, model="waiting")
    waiting.may_go_on.release(2)
    item.locator(".state", has_text="2 of 3 sentences").wait_for()
    assert item.get_by_role("progressbar").evaluate("bar => bar.value / bar.max") > 0.5
    waiting.may_go_on.release()
    with opened.expect_download() as download:
        item.get_by_role("link", name="Download the translation of a.md").click()
    assert download.value.path().read_text() == "ONE. TWO. THREE.\n"
    assert download.value.suggested_filename == "a.md"


def test_several_files_have_a_glossary_and_a_memory_each(opened):
    opened.get_by_label("Files to translate").set_input_files(
        [_file("a.md", b"One. WARN two.\n"), _file("b.md", b"One.\n")]
    )
    # A third one is dropped on the page.
    opened.evaluate(
        """() => {
          const carried = new DataTransfer();
          carried.items.add(new File(["Three."], "c.md"));
          for (const kind of ["dragover", "drop"])
            document.dispatchEvent(new DragEvent(kind, {dataTransfer: carried, bubbles: true}));
        }"""
    )
    opened.get_by_role("button", name="Remove b.md").click()
    opened.get_by_text("Add a glossary or a memory for files").click()
    opened.get_by_label("Glossary (a term").set_input_files(_file("g.tsv", b"One\tEins\n"))
    opened.locator("#status", has_text="g.tsv is the glossary of these files").wait_for()
    opened.get_by_label("Glossary of c.md").select_option("none")
    opened.get_by_label("Translation memory", exact=True).set_input_files(
        _file("m.tsv", b"x\tOne.\tEins!\n")
    )
    opened.locator("#status", has_text="m.tsv is the memory of these files").wait_for()
    opened.get_by_role("button", name="Translate 2 files").click()
    opened.locator("#chosen > li").first.wait_for(state="detached")
    item = opened.locator("#jobs > li", has_text="a.md")
    item.locator(".state", has_text="done").wait_for()
    notes = item.locator(".notes").text_content()
    assert "1 term of the glossary" in notes
    assert "1 sentence of 2 from the memory" in notes
    item.get_by_text("1 sentence to look at in a.md").click()
    marked = item.locator(".marked li")
    assert [each.text_content() for each in marked.locator("> *").all()][::2] == [
        "line 1",
        "WARN two.",
    ]
    assert HOSTILE in marked.locator(".warning").text_content()
    item = opened.locator("#jobs > li", has_text="c.md")
    item.locator(".state", has_text="done").wait_for()
    assert "glossary" not in item.locator(".notes").text_content()


def test_a_file_that_is_refused_stays_in_the_list_with_the_reason(opened):
    opened.route("**/jobs", lambda route: route.fulfill(status=413, json={"error": "too large"}))
    opened.get_by_label("Files to translate").set_input_files(_file("a.md", b"One.\n"))
    opened.get_by_role("button", name="Translate file").click()
    opened.get_by_role("alert").get_by_text("a.md: too large").wait_for()
    assert opened.locator("#chosen > li").count() == 1


def test_the_buttons_of_a_sentence_are_there_while_it_is_looked_at(opened):
    assert not opened.get_by_text("More languages").is_visible()  # The operator allows none.
    _translate(opened, "One. Two.")
    opened.mouse.move(0, 0)
    shown = "rows => [...rows].map(row => getComputedStyle(row.querySelector('.actions')).opacity)"
    rows = opened.locator("#sentences tr")
    assert rows.evaluate_all(shown) == ["0", "0"]
    rows.nth(1).hover()
    assert rows.evaluate_all(shown) == ["0", "1"]
    opened.mouse.move(0, 0)
    opened.get_by_role("button", name="Edit the translation of sentence 1").focus()
    assert rows.evaluate_all(shown) == ["1", "0"]


def test_the_model_of_a_pair_is_got_where_the_operator_allows_it(
    page, in_a_thread, tmp_path, monkeypatch
):
    monkeypatch.setattr("docmt_nmt.compiling.compile_anywhere.install_compiled", lambda _: False)
    models = Getting(failing="en-fr")
    with in_a_thread(Service.of(ServiceSettings(), models, tmp_path)) as url:
        page.goto(url)
        page.get_by_text("More languages").click()
        pairs = page.get_by_label("Pair")
        assert pairs.locator("option").all_text_contents() == [
            "English → French (17 MB)",
            "English → Portuguese (17 MB)",
        ]
        page.get_by_role("button", name="Get its model").click()
        page.get_by_role("alert").get_by_text("could not be got").wait_for()
        pairs.select_option("en-pt")
        page.get_by_role("button", name="Get its model").click()
        page.locator("#status", has_text="Getting en-pt … 50 %").wait_for()
        models.may_go_on.set()
        page.locator("#status", has_text="en-pt can be translated now.").wait_for()
        assert "English → Portuguese" in page.get_by_label("Languages").text_content()
        assert pairs.locator("option").count() == 1


def test_files_that_need_a_key_are_followed_and_downloaded_with_it(page, in_a_thread, tmp_path):
    key = add_key(tmp_path / "keys.toml", "one")
    models = Models([Model("marking", Marking())])
    settings = ServiceSettings(keys=tmp_path / "keys.toml")
    with in_a_thread(Service.of(settings, models, tmp_path)) as url:
        page.goto(url)
        page.locator("#model option").first.wait_for(state="attached")
        for is_new in (True, False):
            page.get_by_label("API key").fill(key)
            page.get_by_label("API key").blur()
            item = _upload(page) if is_new else page.locator("#jobs > li").first
            item.locator(".state", has_text="done").wait_for()
            with page.expect_download() as download:
                item.get_by_role("link", name="Download the translation of a.md").click()
            assert download.value.path().read_text() == "(One.) (Two.) (Three.)\n"
            assert download.value.suggested_filename == "a.md"
            page.reload()  # The file comes back with the key.
            page.locator("#model option").first.wait_for(state="attached")


def test_texts_and_files_can_be_cancelled(opened, waiting):
    item = _upload(opened, model="waiting")
    item.locator(".state", has_text="translating").wait_for()
    item.get_by_role("button", name="Cancel a.md").click()
    item.locator(".state", has_text="cancelled").wait_for()
    opened.get_by_label("Text", exact=True).fill("One. Two.")
    opened.get_by_role("button", name="Translate", exact=True).click()
    opened.get_by_role("button", name="Cancel", exact=True).click()
    opened.locator("#status", has_text="Cancelled.").wait_for()
    assert opened.get_by_role("button", name="Translate", exact=True).is_enabled()


def test_errors_are_told(opened):
    opened.get_by_label("Text", exact=True).fill("This will FAIL.")
    opened.get_by_role("button", name="Translate", exact=True).click()
    opened.get_by_role("alert").get_by_text("internal error").wait_for()
    item = _upload(opened, "a.pdf", b"%PDF-1.7")
    item.locator(".state", has_text="error").wait_for()
    assert "PDF" in item.locator(".notes").text_content()


def test_an_empty_text_and_a_service_that_is_gone_are_told(opened):
    opened.get_by_role("button", name="Translate", exact=True).click()
    opened.get_by_role("alert").get_by_text("Enter a text.").wait_for()
    opened.route("**/translate", lambda route: route.abort())
    opened.get_by_label("Text", exact=True).fill("One.")
    opened.get_by_role("button", name="Translate", exact=True).click()
    opened.get_by_role("alert").get_by_text("The service does not answer.").wait_for()


def test_files_are_still_listed_when_the_page_is_loaded_again(opened):
    _upload(opened).locator(".state", has_text="done").wait_for()
    opened.reload()
    item = opened.locator("#jobs > li").first
    item.locator(".state", has_text="done").wait_for()
    assert item.locator(".name").text_content() == "a.md"
    assert item.get_by_role("link").get_attribute("href").endswith("/result")


def test_a_translation_is_copied_where_browsers_give_no_clipboard(opened):
    """As on pages of other machines without TLS."""
    opened.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    opened.evaluate("document.execCommand = name => { copied = [name, String(getSelection())] }")
    _translate(opened, "One. Two.")
    opened.get_by_role("button", name="Copy translation").click()
    opened.locator("#status", has_text="Copied.").wait_for()
    assert opened.evaluate("copied") == ["copy", "(One.) (Two.)"]


def test_every_kind_of_warning_is_told_in_words():
    script = files("docmt_serve").joinpath("page", "texts.js").read_text("utf-8")
    words = re.search(r"wordsOfWarnings = \{(.*?)\}", script, re.DOTALL)[1]
    assert re.findall(r'^  "([a-z-]+)": "', words, re.MULTILINE) == list(WARNING_WORDS)


def test_markup_in_texts_names_and_notes_is_text(opened):
    _translate(opened, f"{HOSTILE} is WARN one. Two.")
    shown = opened.locator("#sentences").text_content()
    assert 'onerror="window.hacked=1"' in shown
    assert opened.locator("#sentences img, #sentences script").count() == 0
    item = _upload(opened, f"a{HOSTILE}.md".replace("/", "\\"), b"One.\n")
    item.locator(".state", has_text="done").wait_for()
    assert opened.locator("#jobs img, #jobs script").count() == 0


def test_the_policy_of_the_page_stops_scripts_that_are_not_its_own(page, url):
    page.goto(url)
    page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.hacked = 1";
          document.body.append(script);
          document.body.insertAdjacentHTML("beforeend", '<img src=x onerror="window.hacked=1">');
        }"""
    )
    time.sleep(0.1)
    assert page.evaluate("window.hacked") is None


def test_everything_can_be_done_with_the_keyboard(opened):
    def tab_to(name):
        for _ in range(30):
            focused = opened.evaluate(
                "(document.activeElement.ariaLabel || document.activeElement.textContent).trim()"
            )
            if focused == name:
                return
            opened.keyboard.press("Tab")
        raise AssertionError(f"{name} cannot be reached")

    opened.get_by_label("Text", exact=True).focus()
    opened.keyboard.type("One. Two. Three.")
    opened.keyboard.press("Control+Enter")
    opened.locator("#status", has_text="translated").wait_for()
    tab_to("Show the context of sentence 1")
    opened.keyboard.press("Enter")
    assert opened.locator("tr.context").count() == 1
    tab_to("Edit the translation of sentence 2")
    opened.keyboard.press("Enter")
    opened.keyboard.press("ControlOrMeta+A")
    opened.keyboard.type("Zwei!")
    tab_to("Keep")
    opened.keyboard.press("Enter")
    assert _rows(opened)[1][1] == "Zwei!"
    assert opened.evaluate("document.activeElement.ariaLabel") == (
        "Edit the translation of sentence 2"
    )
    opened.keyboard.press("Enter")
    opened.keyboard.press("Escape")
    assert _rows(opened)[1][1] == "Zwei!"


def test_nothing_is_cut_off_at_the_width_of_a_phone(opened):
    opened.set_viewport_size({"width": 360, "height": 640})
    _translate(opened, f"One. WARN {'long' * 40}.")
    _upload(opened, f"{'name' * 20}.md", f"WARN {'long' * 40}.".encode())
    opened.locator("#jobs .state", has_text="done").first.wait_for()
    opened.locator("#jobs .marked summary").first.click()
    opened.get_by_label("Files to translate").set_input_files(_file(f"{'name' * 20}.md", b"One."))
    opened.get_by_text("Add a glossary or a memory for files").click()
    assert opened.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 360])
def test_axe_finds_nothing(opened, scheme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    opened.emulate_media(color_scheme=scheme)
    opened.set_viewport_size({"width": width, "height": 900})
    opened.get_by_text("Glossary", exact=True).click()
    _translate(opened, "One. Two. WARN three.")
    item = _upload(opened, content=b"WARN one.\n")
    item.locator(".state", has_text="done").wait_for()
    item.locator(".marked summary").click()
    opened.get_by_label("Files to translate").set_input_files(_file("b.md", b"One.\n"))
    opened.get_by_text("Add a glossary or a memory for files").click()
    _press(opened, "Show the context of sentence 1")
    _press(opened, "Edit the translation of sentence 3")
    results = axe.Axe().run(opened)
    assert results.violations_count == 0, results.generate_report()
