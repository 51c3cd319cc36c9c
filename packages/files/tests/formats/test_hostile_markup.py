"""Text made to take long is read and filled in linear time."""

from __future__ import annotations

import time

import pytest

from docmt_files.markup import html, markdown

IN_HTML = [
    "<",
    "[",
    "*",
    "<a ",
    "<a b='",
    "<!--",
    "&",
    "</",
    "<b>",
    "<x><div>",
    "<b></i>",
    "<script>",
    "<p>",
    "<br>",
    "<li><b>",
    "<a b=",
    "{",
    "<title>",
    "&#",
    "<!",
    "</x></div>",
    "<span translate=no>",
    "{%",
    "<div></b>",
    "@",
    "www.",
    "a@b.",
]
IN_MARKDOWN = [
    "[",
    "<",
    "*",
    "a*",
    "_a",
    "![",
    "[a](",
    "`",
    "> ",
    "{",
    "&",
    "~",
    "a|",
    "http://",
    "<a ",
    "$",
    "$$a\n",
    "$a ",
    "{{",
    "{%",
    "{: ",
    "[[",
    "[[a|",
    ":a",
    "a\n: ",
    "a\n: b\n",
    ": a\nb\n",
    "!!! a\n\n",
    "> [!a] b\n",
    ":::a\n",
    "::: math\n",
    "{% comment %}\n",
    "\n+++",
]


def seconds(module, folder, unit, size):
    """The time that takes a file which repeats something in its second block."""
    path = folder / "in"
    separator = "<p>" if module is html else "\n\n"
    path.write_text(f"One two three.{separator}" + unit * (size // len(unit)), encoding="utf-8")
    started = time.process_time()
    (document,), skeleton = module.read(path, "en")
    targets = [text if len(text) > 1000 else "Other." for text in document.source]
    skeleton.fill_and_report([document.translated(targets)])
    return time.process_time() - started


@pytest.mark.by_default(9)
@pytest.mark.parametrize("unit", IN_HTML)
def test_hostile_html_takes_linear_time(tmp_path, unit):
    assert seconds(html, tmp_path, unit, 30_000) < 1.5


@pytest.mark.by_default(8)
@pytest.mark.parametrize("unit", IN_MARKDOWN)
def test_hostile_markdown_takes_linear_time(tmp_path, unit):
    assert seconds(markdown, tmp_path, unit, 6_000) < 1.5


@pytest.mark.parametrize("unit", ["<", "[", "*"])
def test_a_megabyte_of_hostile_html_takes_linear_time(tmp_path, unit):
    assert seconds(html, tmp_path, unit, 1_000_000) < 20


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["[", "<", "*"])
def test_a_megabyte_of_hostile_markdown_takes_linear_time(tmp_path, unit):
    assert seconds(markdown, tmp_path, unit, 1_000_000) < 300
