"""Texts on the page of the service: translated while they are written, sentence by sentence."""

from __future__ import annotations

import pytest

from page_actions import source, translate
from page_translators import HOSTILE

pytestmark = pytest.mark.browser


def sentences(page):
    return page.locator("#target .sentence").all_text_contents()


def asked(page):
    """The requests for translations of texts."""
    found = []
    page.on("request", lambda r: found.append(r) if r.url.endswith("/translate") else None)
    return found


def lit(page):
    """The sentences that are lit in the text and in the translation."""
    return [
        page.locator(f"{place} .lit").all_text_contents() for place in ("#source-copy", "#target")
    ]


def card(page, index):
    """What is known of a sentence."""
    page.locator("#target .sentence").nth(index).click()
    return page.locator("#card")


def test_a_text_is_translated_while_it_is_written_and_not_for_every_key(opened):
    requests = asked(opened)
    source(opened).press_sequentially("One. Two.\n\nThree.", delay=20)
    opened.locator("#status", has_text="3 sentences translated.").wait_for()
    assert opened.locator("#target").text_content() == "(One.) (Two.)\n\n(Three.)"
    assert len(requests) == 1


@pytest.mark.slow
def test_another_choice_gives_up_the_translation_that_is_under_way(opened):
    given_up = []
    opened.on("requestfailed", lambda request: given_up.append(request.url))
    opened.get_by_text("Options", exact=True).click()
    opened.get_by_label("Model").select_option("waiting")
    source(opened).fill("One.")
    opened.locator("#bar").wait_for()
    opened.get_by_label("Model").select_option("marking")
    opened.locator("#target .sentence", has_text="(One.)").wait_for()
    assert [address.rpartition("/")[2] for address in given_up] == ["translate"]


@pytest.mark.slow
def test_the_sentence_under_the_cursor_is_lit_on_both_sides(opened):
    translate(opened, "One.  Two.\n Three.")
    source(opened).press("Control+Home")
    source(opened).press("ArrowRight")
    opened.locator("#target .lit", has_text="(One.)").wait_for()
    assert lit(opened) == [["One."], ["(One.)"]]
    source(opened).press("End")
    opened.locator("#target .lit", has_text="(Two.)").wait_for()
    assert lit(opened) == [["Two."], ["(Two.)"]]
    opened.locator("#target .sentence").nth(2).hover()
    opened.locator("#target .lit", has_text="(Three.)").wait_for()
    assert lit(opened) == [["Three."], ["(Three.)"]]
    box = opened.locator("#source-copy [data-index='0']").bounding_box()
    opened.mouse.move(box["x"] + 5, box["y"] + 5)
    opened.locator("#target .lit", has_text="(One.)").wait_for()
    assert lit(opened) == [["One."], ["(One.)"]]


def test_another_wording_takes_the_place_of_a_sentence_until_it_is_taken_back(opened):
    translate(opened, "One. Two.")
    found = card(opened, 1)
    found.get_by_role("button", name="[Two.]").click()
    assert sentences(opened) == ["(One.)", "[Two.]"]
    translate(opened, "One. Two. Three.")  # It stays while its sentence does.
    assert sentences(opened) == ["(One.)", "[Two.]", "(Three.)"]
    card(opened, 1).get_by_role("button", name="Take the translator's wording again").click()
    assert sentences(opened) == ["(One.)", "(Two.)", "(Three.)"]
    opened.keyboard.press("Escape")
    assert not found.is_visible()


@pytest.mark.slow
def test_the_context_of_a_sentence_is_offered_only_where_the_translator_has_read_one(opened):
    translate(opened, "One. Two. Three.")
    context = card(opened, 0).get_by_role("button", name="Context")
    context.click()
    assert opened.locator("#target .context").all_text_contents() == ["(Two.)"]
    assert opened.locator("#source-copy .context").all_text_contents() == ["Two."]
    assert "together with 1 other sentence" in opened.locator("#card").text_content()
    card(opened, 2).get_by_role("button", name="Edit").wait_for()
    assert context.count() == 0


@pytest.mark.slow
def test_an_edited_sentence_is_what_those_after_it_go_on_from(opened):
    translate(opened, "One. Two. Three.")
    found = card(opened, 1)
    found.get_by_role("button", name="Edit").click()
    found.get_by_label("Your translation of the sentence").fill("Zwei!")
    found.get_by_role("button", name="Keep").click()
    found.get_by_role("button", name="Translate what follows anew").click()
    opened.locator("#target", has_text="after Zwei!").wait_for()
    assert sentences(opened) == ["(One.)", "Zwei!", "(Three., after Zwei!)"]


def test_sentences_to_check_are_marked_counted_and_explained(opened):
    translate(opened, "One. WARN two. WARN three.")
    assert opened.locator("#target .marked").all_text_contents() == ["(WARN two.)", "(WARN three.)"]
    to_check = opened.get_by_role("button", name="2 sentences to check")
    for number in ("Sentence 2 of 3", "Sentence 3 of 3", "Sentence 2 of 3"):
        to_check.click()
        shown = opened.locator("#card")
        assert number in shown.text_content()
        assert "too short for the source" in shown.locator(".warnings").text_content()
        assert HOSTILE in shown.locator(".warnings").text_content()


@pytest.mark.slow
def test_a_translation_is_copied_where_browsers_give_no_clipboard(opened):
    """As on pages of other machines without TLS."""
    opened.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    opened.evaluate("document.execCommand = name => { copied = [name, String(getSelection())] }")
    translate(opened, "One.\nTwo.")
    card(opened, 0).get_by_role("button", name="[One.]").click()
    opened.get_by_role("button", name="Copy the translation").click()
    opened.locator("#status", has_text="Copied.").wait_for()
    assert opened.evaluate("copied") == ["copy", "[One.]\n(Two.)"]


@pytest.mark.slow
def test_a_swap_translates_the_translation_back(opened):
    translate(opened, "One.")
    opened.get_by_role("button", name="Swap languages").click()
    opened.locator("#target", has_text="((One.))").wait_for()
    assert source(opened).input_value() == "(One.)"
    opened.get_by_role("button", name="Target language: English").wait_for()


@pytest.mark.slow
def test_a_text_and_its_options_survive_a_reload_until_they_are_cleared(opened):
    opened.get_by_text("Options", exact=True).click()
    opened.get_by_label("Glossary", exact=True).fill("One = Eins")
    translate(opened, "One. Two.")
    opened.reload()
    opened.locator("#status", has_text="2 sentences translated.").wait_for()
    assert source(opened).input_value() == "One. Two."
    assert opened.get_by_label("Glossary", exact=True).input_value() == "One = Eins"
    opened.get_by_role("button", name="Clear the text").click()
    assert opened.locator("#target").text_content() == ""
    opened.reload()
    assert source(opened).input_value() == ""


@pytest.mark.slow
def test_a_text_over_the_limit_of_the_service_is_not_sent(opened):
    requests = asked(opened)
    source(opened).fill("a" * 5001)
    told = opened.get_by_role("alert").get_by_text("too long: 5,001 characters")
    told.wait_for()
    assert opened.locator("#count.over").text_content() == "5,001 of 5,000 characters"
    source(opened).fill("One.")
    opened.locator("#target .sentence").wait_for()
    assert len(requests) == 1


def test_errors_are_told_in_place_of_the_translation(opened):
    source(opened).fill("This will FAIL.")
    opened.locator("#target").get_by_role("alert").get_by_text("internal error").wait_for()
    opened.route("**/translate", lambda route: route.abort())
    source(opened).fill("One.")
    opened.get_by_role("alert").get_by_text("The service does not answer.").wait_for()
    opened.unroute("**/translate")
    opened.get_by_role("button", name="Try again").click()
    opened.locator("#target .sentence").wait_for()
    assert opened.get_by_role("alert").count() == 0


@pytest.mark.slow
def test_a_busy_service_is_asked_again_when_it_says(opened):
    answers = [429]

    def answer(route):
        if answers:
            refused = {"error": "too many requests"}
            route.fulfill(status=answers.pop(), json=refused, headers={"Retry-After": "1"})
        else:
            route.continue_()

    opened.route("**/translate", answer)
    source(opened).fill("One.")
    opened.locator("#status", has_text="The service is busy.").wait_for()
    opened.locator("#target .sentence", has_text="(One.)").wait_for()


GERMAN = "Das ist ein Satz, den niemand für einen englischen halten wird."


@pytest.mark.slow
def test_a_text_in_another_language_is_told_and_can_be_translated_from_it(opened):
    translate(opened, GERMAN)
    opened.get_by_role("button", name="Translate from German").click()
    opened.get_by_role("button", name="Source language: Deutsch").wait_for()
    opened.get_by_role("button", name="Target language: English").wait_for()
    opened.locator("#note").wait_for(state="hidden")


@pytest.mark.slow
def test_a_language_that_is_not_served_is_told(opened):
    french = [{"language": "fr", "confidence": 99.0}, {"language": "en", "confidence": 0.1}]
    opened.route("**/detect", lambda route: route.fulfill(json=french))
    translate(opened, "A text that the service takes for French, for once.")
    opened.locator("#note", has_text="does not translate: French").wait_for()


@pytest.mark.slow
def test_a_detected_text_in_the_target_language_is_translated_into_another(opened):
    opened.get_by_role("button", name="Source language: English").click()
    opened.get_by_role("option", name="Detect language").click()
    translate(opened, GERMAN)
    opened.get_by_role("button", name="Source language: German (detected)").wait_for()
    opened.get_by_role("button", name="Target language: English").wait_for()
    assert sentences(opened) == [f"({GERMAN})"]


def test_markup_in_texts_is_text(opened):
    translate(opened, f"{HOSTILE} is WARN one. Two.")
    card(opened, 0)
    assert 'onerror="window.hacked=1"' in opened.locator("#target").text_content()
    assert opened.locator("#panes img, #panes script").count() == 0
