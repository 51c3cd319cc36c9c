"""The page of the service for everybody: keys, screen readers, phones; and what never runs."""

from __future__ import annotations

import time

import pytest

from page_actions import ended, file, source, translate, upload

pytestmark = pytest.mark.browser


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

    source(opened).focus()
    opened.keyboard.type("One. Two. Three.")
    opened.keyboard.press("Control+Enter")
    opened.locator("#status", has_text="translated").wait_for()
    tab_to("(One.)")
    opened.keyboard.press("ArrowRight")
    opened.keyboard.press("Enter")
    opened.get_by_role("region", name="Sentence 2 of 3").wait_for()
    opened.get_by_role("button", name="[Two.]").wait_for()
    tab_to("Edit")
    opened.keyboard.press("Enter")
    opened.keyboard.press("ControlOrMeta+A")
    opened.keyboard.type("Zwei!")
    opened.keyboard.press("Enter")
    assert opened.locator("#target").text_content() == "(One.) Zwei! (Three.)"
    assert opened.evaluate("document.activeElement.textContent") == "Edit"
    tab_to("[Two.]")
    opened.keyboard.press("Enter")
    opened.keyboard.press("Escape")
    assert opened.evaluate("document.activeElement.textContent") == "[Two.]"
    opened.get_by_role("tab", name="Text").focus()
    opened.keyboard.press("ArrowRight")
    assert opened.evaluate("document.activeElement.id") == "files-tab"


def fill(page, length):
    """Something of everything that the page shows."""
    page.get_by_text("Options", exact=True).click()
    translate(page, f"One. WARN {'long' * length}. Three.")
    item = ended(upload(page, f"{'name' * length}.md", f"WARN {'long' * length}.".encode()))
    item.get_by_role("button", name="Review 1 sentence").click()
    item.get_by_text("Details").click()
    ended(upload(page, "a.pdf", b"%PDF-1.7"), "error")
    page.get_by_label("Choose files").set_input_files(file(f"{'name' * length}.md", b"One."))


@pytest.mark.by_default(1)
@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_nothing_is_cut_off_at_the_width_of_a_phone(opened, direction):
    def is_whole():
        return opened.evaluate("document.documentElement.scrollWidth") <= 375

    opened.set_viewport_size({"width": 375, "height": 700})
    opened.evaluate("direction => { document.documentElement.dir = direction }", direction)
    fill(opened, 40)
    assert is_whole()
    opened.get_by_role("tab", name="Text").click()
    opened.locator("#target .sentence").nth(1).click()
    opened.get_by_role("button", name="Edit").click()
    assert is_whole()
    opened.get_by_role("button", name="Target language").click()
    assert is_whole()


@pytest.mark.by_default(1)
@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (1200, "light"),
        (375, "dark"),
        pytest.param(1200, "dark", marks=pytest.mark.slow),
        pytest.param(375, "light", marks=pytest.mark.slow),
    ],
)
def test_axe_finds_nothing(opened, scheme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()

    def check():
        results = axe.run(opened)
        assert results.violations_count == 0, results.generate_report()

    opened.emulate_media(color_scheme=scheme)
    opened.set_viewport_size({"width": width, "height": 900})
    fill(opened, 4)
    check()
    opened.get_by_role("tab", name="Text").click()
    opened.locator("#target .sentence").nth(1).click()
    opened.get_by_role("button", name="[WARN").wait_for()
    opened.get_by_role("button", name="Context").click()
    check()
    opened.get_by_role("button", name="Edit").click()
    check()
    opened.get_by_role("button", name="Target language").click()
    check()
    opened.keyboard.press("Escape")
    source(opened).fill("FAIL")
    opened.get_by_role("alert").get_by_text("internal error").wait_for()
    check()
