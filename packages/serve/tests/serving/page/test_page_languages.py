"""Languages on the page of the service: those to translate, those to get, and that of the page."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest

from docmt_files.base.documents import WARNING_WORDS
from docmt_nmt.translators.language_set import LanguageSet
from docmt_serve.apis.web_page import best_language
from docmt_serve.models.models import Model, Models
from docmt_serve.service.service import Service
from docmt_serve.service.service_settings import ServiceSettings
from page_translators import Getting, Marking

pytestmark = pytest.mark.browser

PAGE = files("docmt_serve").joinpath("page")
WORDS = {
    each.name.removesuffix(".json"): json.loads(each.read_text("utf-8"))
    for each in PAGE.joinpath("strings").iterdir()
}

CODES = """
    ar bg ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nb nl pl pt ro ru sk sl
    sv tr uk vi zh
"""


class ManyLanguages(Marking):
    """Translates between many languages."""

    @property
    def language_set(self):
        return LanguageSet(*2 * (tuple(CODES.split()),))

    def between(self, source, target):
        return ManyLanguages(source, target)


@pytest.fixture
def many(page, in_a_thread, tmp_path):
    with in_a_thread(
        Service.of(ServiceSettings(), Models([Model("many", ManyLanguages())]), tmp_path)
    ) as url:
        page.set_default_timeout(30_000)
        page.goto(url)
        page.get_by_role("button", name="Source language: Detect language").wait_for()
        yield page


def test_each_side_has_a_list_of_all_languages_in_their_own_names(many):
    many.get_by_role("button", name="Target language").click()
    options = many.get_by_role("listbox", name="Target language").get_by_role("option")
    assert options.count() == len(CODES.split())
    names = options.locator(".own").all_text_contents()
    assert {"Português", "Deutsch", "日本語", "العربية", "Ελληνικά"} <= set(names)
    assert many.locator("#target-is-ar .own").get_attribute("dir") == "rtl"
    many.keyboard.press("Escape")
    many.get_by_role("button", name="Source language").click()
    options = many.get_by_role("listbox", name="Source language").get_by_role("option")
    assert options.count() == len(CODES.split()) + 1
    assert options.first.text_content() == "Detect language"


@pytest.mark.by_default(1)
@pytest.mark.parametrize("written", ["portug", "Português", "PORTUGUÊS", "pt"])
def test_a_language_is_found_by_any_of_its_names_and_chosen_with_keys(many, written):
    many.get_by_role("button", name="Target language").focus()
    many.keyboard.press("ArrowDown")
    many.keyboard.type(written)
    many.keyboard.press("Enter")
    many.get_by_role("button", name="Target language: Português").wait_for()
    focused = many.evaluate("document.activeElement.id")
    assert focused == "target-language"


@pytest.mark.slow
def test_a_language_without_a_fitting_name_is_told_and_escape_leaves_all_as_it_was(many):
    before = many.locator("#target-language").text_content()
    many.get_by_role("button", name="Target language").click()
    many.keyboard.type("Klingon")
    many.get_by_role("dialog").get_by_text("No language has this name.").wait_for()
    many.keyboard.press("Enter")
    many.keyboard.press("Escape")
    assert many.locator("#target-language").text_content() == before


@pytest.mark.slow
def test_the_languages_that_were_chosen_are_there_the_next_time(many):
    for side, name in (("Source", "Ελληνικά"), ("Target", "日本語")):
        many.get_by_role("button", name=f"{side} language").click()
        many.get_by_role("option", name=name).click()
    many.reload()
    many.get_by_role("button", name="Source language: Ελληνικά").wait_for()
    many.get_by_role("button", name="Target language: 日本語").wait_for()


@pytest.mark.slow
def test_the_same_language_on_both_sides_means_a_swap(many):
    for side, name in (("Source", "Deutsch"), ("Target", "Français"), ("Source", "Français")):
        many.get_by_role("button", name=f"{side} language").click()
        many.get_by_role("option", name=name).click()
    many.get_by_role("button", name="Source language: Français").wait_for()
    many.get_by_role("button", name="Target language: Deutsch").wait_for()


@pytest.mark.slow
def test_the_languages_of_a_text_and_its_translation_have_their_directions(many):
    for side, name in (("Source", "English"), ("Target", "العربية")):
        many.get_by_role("button", name=f"{side} language").click()
        many.get_by_role("option", name=name).click()
    many.get_by_role("textbox", name="Text to translate").fill("One.")
    many.locator("#target .sentence").wait_for()
    assert many.locator("#target").get_attribute("dir") == "rtl"
    assert many.locator("#source").get_attribute("dir") == "ltr"


@pytest.fixture
def uncompiled(monkeypatch):
    monkeypatch.setattr("docmt_nmt.compiling.compile_anywhere.install_compiled", lambda _: False)


def test_the_model_of_a_pair_is_got_where_the_operator_allows_it(
    page, in_a_thread, tmp_path, uncompiled
):
    models = Getting(failing="en-fr")
    with in_a_thread(Service.of(ServiceSettings(), models, tmp_path)) as url:
        page.goto(url)
        page.get_by_role("button", name="Target language: Deutsch").click()
        page.get_by_role("button", name="More languages").click()
        dialog = page.get_by_role("dialog", name="Choose languages")
        pairs = dialog.get_by_role("listitem")
        assert pairs.locator(".name").all_text_contents() == [
            "English → French",
            "English → Portuguese",
        ]
        assert pairs.first.locator(".size").text_content() == "17 MB"
        dialog.get_by_role("button", name="Get English → French").click()
        dialog.get_by_text("could not be got").wait_for()
        dialog.get_by_label("Search languages").fill("port")
        assert pairs.count() == 1
        dialog.get_by_role("button", name="Get English → Portuguese").click()
        page.locator("#status", has_text="English → Portuguese: 50% of 17 MB").wait_for()
        models.may_go_on.set()
        page.locator("#status", has_text="English → Portuguese can be translated now.").wait_for()
        dialog.get_by_role("button", name="Close").click()
        page.get_by_role("button", name="Target language: Deutsch").click()
        page.get_by_role("option", name="Português").click()
        page.get_by_role("button", name="Target language: Português").wait_for()


@pytest.mark.slow
def test_a_service_without_a_model_gets_one_on_the_page_where_that_is_allowed(
    page, in_a_thread, tmp_path, uncompiled
):
    models = Getting(failing="", here=())
    models.may_go_on.set()
    with in_a_thread(Service.of(ServiceSettings(), models, tmp_path)) as url:
        page.goto(url)
        page.get_by_role("heading", name="No translation model is here yet").wait_for()
        assert not page.locator("#work").is_visible()
        page.get_by_role("button", name="Choose languages").click()
        page.get_by_role("button", name="Get English → German").click()
        page.locator("#status", has_text="can be translated now").wait_for(state="attached")
        page.get_by_role("button", name="Close").click()
        page.get_by_role("textbox", name="Text to translate").fill("One.")
        page.locator("#target .sentence", has_text="ONE.").wait_for()


@pytest.mark.slow
def test_a_service_without_a_model_says_how_to_get_one(page, in_a_thread, tmp_path):
    with in_a_thread(Service.of(ServiceSettings(), Models([]), tmp_path)) as url:
        page.goto(url)
        page.get_by_role("heading", name="No translation model is here yet").wait_for()
        commands = page.locator("#no-model pre:visible").all_text_contents()
        assert commands == [
            "docmt models get en-pt\ndocmt serve",
            "docmt serve --models-from mozilla",
        ]
        assert not page.get_by_role("button", name="Choose languages").is_visible()


@pytest.mark.by_default(1)
@pytest.mark.parametrize(
    ("locale", "language", "words"),
    [
        ("pt-BR", "pt", "Detectar idioma"),
        ("de-AT", "de", "Sprache erkennen"),
        ("xx", "en", "Detect language"),
    ],
)
def test_the_page_is_in_the_language_of_the_browser(browser, url, locale, language, words):
    context = browser.new_context(locale=locale)
    page = context.new_page()
    page.goto(url)
    page.get_by_text(words).first.wait_for()
    assert page.evaluate("document.documentElement.lang") == language
    context.close()


@pytest.mark.parametrize(
    ("wanted", "language"),
    [("", "en"), ("fr, de;q=0.5", "de"), ("de;q=0, pt;q=0.1", "pt"), ("a;b, *;q=x, pt-PT", "pt")],
)
def test_a_browser_gets_the_language_that_it_likes_best(wanted, language):
    assert best_language(wanted, ["de", "en", "pt"]) == language


def test_every_language_of_the_page_has_all_its_words_with_their_values():
    assert set(WORDS) == {"de", "en", "pt"}
    for words in WORDS.values():
        assert list(words) == list(WORDS["en"])
        for key, text in words.items():
            values = re.findall(r"\{\w+\}", text)
            assert sorted(values) == sorted(re.findall(r"\{\w+\}", WORDS["en"][key])), key


def test_every_word_of_the_page_is_used_and_there():
    scripts = [each.read_text("utf-8") for each in PAGE.joinpath("scripts").iterdir()]
    html = PAGE.joinpath("index.html").read_text("utf-8")
    used = set(re.findall(r'data-(?:text|label|title|placeholder|empty)="(\w+)"', html))
    quoted = {word for script in scripts for word in re.findall(r'"(\w+)"', script)}
    bases = {
        re.sub("_(one|other)$", "", key) for key in WORDS["en"] if not key.startswith("warning_")
    }
    assert used <= bases
    asked = {key for script in scripts for key in re.findall(r'\bt\("(\w+)"', script)}
    assert asked <= bases
    assert bases - used - quoted == {"source_language", "target_language"}  # `${side}_language`


def test_every_kind_of_warning_is_told_in_words():
    kinds = [key.removeprefix("warning_") for key in WORDS["en"] if key.startswith("warning_")]
    assert kinds == list(WARNING_WORDS)


@pytest.mark.slow
def test_an_address_may_name_languages_and_a_text(opened, url):
    opened.goto(f"{url}/?source=de&target=en&q=Eins.+Zwei.")
    opened.locator("#status", has_text="2 sentences translated.").wait_for()
    assert opened.get_by_role("button", name="Source language: Deutsch").is_visible()
    assert opened.locator("#target").text_content() == "(Eins.) (Zwei.)"
    assert opened.url == f"{url}/"
