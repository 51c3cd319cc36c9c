"""Elements that stand for words, such as keys, are codes in all formats, and stay together."""

from __future__ import annotations

import json

import pytest

from docmt_files.markup import html, markdown
from docmt_files.strings import json_strings

KEPT = [
    "<kbd>Enter</kbd>",
    "<samp>no *such* file</samp>",
    "<var>n</var>",
    "<code>a_b</code>",
    '<span translate="no">Save As</span>',
    '<i lang="fr">savoir faire</i>',
    "<kbd>Ctrl</kbd>+<kbd>S</kbd>",
    "<kbd>Ctrl</kbd> + <kbd>Alt</kbd> + <kbd>S</kbd>",
    "<kbd><kbd>Ctrl</kbd>-<kbd>S</kbd></kbd>",
    '<kbd class="key">Fn</kbd><kbd>F1</kbd>',
]


@pytest.mark.parametrize("element", KEPT)
@pytest.mark.parametrize("kind", ["md", "html", "json"])
def test_a_kept_element_is_written_as_it_was(tmp_path, kind, element):
    if kind == "json" and "lang=" in element:
        pytest.skip("strings have no language of their own")
    text = f"Press {element} to save."
    module = {"md": markdown, "html": html, "json": json_strings}[kind]
    path = tmp_path / f"a.{kind}"
    path.write_text(json.dumps({"a": text}) if kind == "json" else text, encoding="utf-8")
    (document,), skeleton = module.read(path, "en")
    assert document.source == ("Press to save.",)
    found = skeleton.fill([document.translated(["Zum Speichern drücken."])])
    found = json.loads(found)["a"] if kind == "json" else found
    assert f" {element} " in found or found.endswith(f" {element}.")
    assert found.replace(element, "").split() == ["Zum", "Speichern", "drücken."] or "." in found


def test_an_element_without_an_end_is_not_kept_in_markdown(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("Press <kbd>Enter to save.\n", encoding="utf-8")
    (document,), _ = markdown.read(path, "en")
    assert document.source == ("Press Enter to save.",)


def test_an_image_in_a_kept_element_is_kept(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("Press <kbd>![Enter key](a.png)</kbd> now.\n", encoding="utf-8")
    (document,), skeleton = markdown.read(path, "en")
    assert document.source == ("Press now.",)
    filled = skeleton.fill_and_report([document.translated(["Jetzt drücken."])])
    assert filled.kept == 0
    assert "<kbd>![Enter key](a.png)</kbd>" in filled.text
