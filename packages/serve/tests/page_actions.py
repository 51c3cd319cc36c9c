"""What people do on the page: write texts, and send files."""

from __future__ import annotations


def source(page):
    return page.get_by_role("textbox", name="Text to translate")


def translate(page, text):
    source(page).fill(text)
    page.locator("#status", has_text="translated").wait_for()


def file(name, content=b"One. Two. Three.\n"):
    return {"name": name, "mimeType": "text/plain", "buffer": content}


def choose(page, *files):
    page.get_by_role("tab", name="Files").click()
    page.get_by_label("Choose files").set_input_files(list(files))


def upload(page, name="a.md", content=b"One. Two. Three.\n", model="marking"):
    page.locator("#options").evaluate("each => { each.open = true }")
    if page.get_by_label("Model").is_visible():
        page.get_by_label("Model").select_option(model)
    choose(page, file(name, content))
    page.get_by_role("button", name="Translate 1 file").click()
    page.locator("#chosen > li").wait_for(state="detached")
    return page.locator("#jobs > li").first


def ended(item, status="done"):
    item.and_(item.page.locator(f"[data-status={status}]")).wait_for()
    return item
