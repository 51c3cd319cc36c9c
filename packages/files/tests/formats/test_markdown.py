"""Markdown: text is found and replaced, and everything else stays."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt_files import Input
from docmt_files.base.errors import InputError
from docmt_files.markup import markdown
from docmt_files.markup.markdown_parser import parser

ROOT = Path(__file__).parents[4]

GUIDE = """\
---
title: The pump
tags: [water, *home*]
---

# The pump \\#1 #

Press the **red** button, then wait. Read [the *full* manual](https://a.b/c "Title") first!
A line that
goes on\\
after a break, and `code()` too. See <https://x.y> & me@a.org.[^note]

Setext
------

> A quote of *two
> lines*. It ends
here.

1. First: {0} files, `%s` and {n, plural, one {# file} other {# files}}.
   More text.
2. Second
   - nested **item**

| Name | Price \\| tax |
|:-----|-----:|
| Bread | 5 &euro; and *more* |
| ![Logo of us](logo.png) | |

```python
print("not text")
```

    not text either

<details><summary>More</summary>
In HTML.
</details>

<b>Bold</b> text with <kbd>Ctrl</kbd> and H<sub>2</sub>O.

[the manual]: https://a.b/manual "Manual"

See [the manual], ~~gone~~ and ![An image](a.png). Cost: 5 * 3 < 20 [sic] snake_case.

[^note]: A note of **some**
    length.

# The pump \\#1
"""

MDX = """\
import Chart from '../chart.js'
export const year = 2018

# Last year {year}

<Chart year={year} color="#fcb32c" />

In {year}, snow was <Tooltip text="x">deep</Tooltip>.
"""


def read(folder: Path, text: str, name: str = "in.md", language: str = "en"):
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return markdown.read(path, language)


def filled(documents, skeleton, change=lambda sentence: sentence):
    (document,) = documents
    return skeleton.fill_and_report([document.translated([change(s) for s in document.source])])


@pytest.mark.parametrize(("text", "name"), [(GUIDE, "in.md"), (MDX, "in.mdx")])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_real_file_keeps_its_structure(tmp_path, text, name, end):
    text = text.replace("\n", end)
    documents, skeleton = read(tmp_path, text, name)
    assert filled(documents, skeleton).text == text
    result = filled(documents, skeleton, lambda sentence: f"so {sentence} indeed")
    assert not [note for note in result.notes if "not translated" in note]
    assert structure(result.text) == structure(text)
    found = re.findall(r"\*\*|`[^`]+`|\{[^{}]*\}|\]\([^)]*\)|<[^>]+>|\[\^note\]", text)
    assert sorted(found) == sorted(
        re.findall(r"\*\*|`[^`]+`|\{[^{}]*\}|\]\([^)]*\)|<[^>]+>|\[\^note\]", result.text)
    )


def structure(text):
    """The kinds of tokens of a text, blocks and inline codes."""
    kinds = []
    for token in parser().parse(text):
        codes = [c.type for c in token.children or () if "text" not in c.type]
        kinds.append((token.type, sorted(code for code in codes if code != "softbreak")))
    return kinds


def test_what_is_no_text_is_not_translated(tmp_path):
    documents, _ = read(tmp_path, GUIDE)
    whole = " ".join(documents[0].source)
    for part in ("title", "water", "not text", "details", "https", "code", "%s", "plural"):
        assert part not in whole
    for part in (
        "Press the red button",
        "full manual",
        "First: files",
        "In HTML",
        "Logo of us",
        "A quote of",
    ):
        assert part in whole


@pytest.mark.parametrize("text", ["One\\  \ntwo.\n", "\\ \nOne.\n", "One \\   \ntwo.\n"])
def test_a_backslash_before_the_spaces_of_a_line_break_stays(tmp_path, text):
    documents, skeleton = read(tmp_path, text)
    assert filled(documents, skeleton).text == text
    assert "ONE" in filled(documents, skeleton, str.upper).text


def test_mdx_keeps_imports_and_components(tmp_path):
    documents, skeleton = read(tmp_path, MDX, "in.mdx")
    assert documents[0].source == ("Last year", "In, snow was deep.")
    assert "import Chart from" in filled(documents, skeleton, str.upper).text


def test_equal_blocks_get_equal_translations(tmp_path):
    documents, skeleton = read(tmp_path, GUIDE)
    targets = [f"{number}" for number in range(len(documents[0]))]
    text = skeleton.fill([documents[0].translated(targets)])
    assert "\n# 1 #\n" in text
    assert text.endswith("# 1\n")


def test_counts_are_noted(tmp_path):
    documents, skeleton = read(tmp_path, "# A *b*\n\nOne. Two.\n")
    notes = filled(documents, skeleton, str.upper).notes
    assert notes == ("2 blocks, 3 sentences and 2 inline codes, all of them in the output",)


@pytest.mark.parametrize("hidden", ["> <div>\n> One two.\n> </div>\n", "- a\n\n\t- b\n\t  c\n"])
def test_what_is_not_translated_is_noted(tmp_path, hidden):
    text = f"Begin.\n\n{hidden}"
    documents, skeleton = read(tmp_path, text)
    result = filled(documents, skeleton, str.upper)
    kept = [note for note in result.notes if "not translated, which tabs or marks" in note]
    assert bool(kept) == (result.text.upper() != result.text)


MARKUP = "# a *b* _c_ `d` [e](f) <b> &amp; 1. 2) > | ~~g~~ ![h](i) \\ ~~~ --- === :"


@pytest.mark.parametrize("prefix", ["", "# ", "> ", "- ", "| x | ", "*a* "])
def test_what_looks_like_markup_in_a_translation_is_escaped(tmp_path, prefix):
    table = "| a | b |\n|---|---|\n" if prefix.startswith("|") else ""
    documents, skeleton = read(tmp_path, f"Begin.\n\n{table}{prefix}Word.\n\nEnd.\n")
    for begin in (*MARKUP.split(), "- x", "+ x", "5. x", "~~~ x", "---", "==="):
        target = f"{begin} {MARKUP}"
        result = filled(documents, skeleton, lambda s, t=target: t if s.endswith("d.") else s)
        notes = [note for note in result.notes if "not translated" in note]
        assert not notes, (begin, result.text)
        shown = [
            "".join(c.content for c in token.children or ())
            for token in parser().parse(result.text)
            if token.type == "inline"
        ]
        assert shown[-1] == target


def texts_of(text):
    """What a reader sees of each block."""
    return [
        "".join(c.content for c in token.children or ())
        for token in parser().parse(text)
        if token.type == "inline"
    ]


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("- `a` - Word", "Wort", "- `a` - Wort"),
        ("One. Word", "- Wort", "One. - Wort"),
        ("*a* Word", "1. Wort", "*a* 1. Wort"),
        ("Word", "5 * 3 _ 2 = x - y + z > #7 [a b] | ~1", "5 * 3 _ 2 = x - y + z > #7 [a b] | ~1"),
        ("Word", "--help = x", "--help = x"),
        ("Word", "= 5", "= 5"),
        ("Word", "#7 is C#", "#7 is C#"),
        ("Word", "*a* a[0](b) ![c] [d][e] [the file]", None),
        ("a\\\nWord", "- Wort", "a\\\n\\- Wort"),
        ("One\nTwo. Word", "- Wort", "One Two. - Wort"),
    ],
)
def test_a_translation_is_escaped_only_where_it_would_be_markup(tmp_path, source, target, expected):
    documents, skeleton = read(tmp_path, f"{source}\n\n[the file]: a.md\n")
    assert "Word" in documents[0].source[-1]
    result = filled(documents, skeleton, lambda s: s.replace("Word", target) if "Word" in s else s)
    text = result.text.partition("\n\n[the")[0]
    if expected is not None and source != "One\nTwo. Word":
        assert text == expected
    assert target in texts_of(result.text)[0]


SIGNS = st.lists(
    st.sampled_from((*"`*_[]()<>&;!|~#-+=:?.1 $\\", "a ", "b", "  ", "&amp;", "[a](b)", "**")),
    min_size=1,
    max_size=12,
).map("".join)


@given(SIGNS, st.sampled_from(["", "# ", "> ", "- ", "| x | ", "*a* ", "`a` ", "One. "]))
@settings(deadline=None)
def test_any_translation_is_read_as_the_text_it_is(signs, prefix):
    target = " ".join(f"{signs} Wort {signs} Ende".split())
    table = "| a | b |\n|---|---|\n" if prefix.startswith("|") else ""
    text = f"Begin.\n\n{table}{prefix}Word.\n\nEnd.\n"
    with TemporaryDirectory() as folder:
        documents, skeleton = read(Path(folder), text)
        result = filled(documents, skeleton, lambda s: s.replace("Word.", target))
    assert not [note for note in result.notes if "not translated" in note], result.text
    assert texts_of(result.text)[-2].endswith(target)


@pytest.mark.parametrize(
    "row",
    ["| Use `|` to divide | x |", "| ``double | ` backtick`` is saved | y |", "| a `b | c` | d |"],
)
def test_a_row_with_a_bar_in_a_code_span_stays_with_a_note(tmp_path, row):
    text = f"| One | Two |\n| --- | --- |\n| a | `b` c |\n{row}\n| d ``e ` f`` | `g\\|h` i |\n"
    documents, skeleton = read(tmp_path, text)
    assert list(documents[0].source) == ["One", "Two", "a", "c", "d", "i"]
    result = filled(documents, skeleton, str.upper)
    assert result.text == (
        f"| ONE | TWO |\n| --- | --- |\n| A | `b` C |\n{row}\n| D ``e ` f`` | `g\\|h` I |\n"
    )
    assert "1 table row not translated, with a bar in a code span" in result.notes[-1]


def test_a_translation_that_breaks_the_markup_leaves_its_block(tmp_path):
    documents, skeleton = read(tmp_path, "One *two* three.\n\nFour *five* six.\n")
    result = filled(documents, skeleton, lambda s: "" if s.startswith("Four") else s.upper())
    assert result.text.startswith("ONE *TWO* THREE.\n")
    assert structure(result.text) == structure("One *two* three.\n\nFour *five* six.\n")


PIECES = st.lists(
    st.sampled_from(
        (
            "One two. ",
            "three",
            "*",
            "**",
            "_",
            "`",
            "[",
            "](u)",
            "![",
            "<b>",
            "</b>",
            "&amp;",
            "\\",
            "\n",
            "\n\n",
            "  \n",
            "# ",
            "> ",
            "- ",
            "1. ",
            "    ",
            "\t",
            "|",
            "\n|-|-|\n",
            "{0}",
            "~~",
            "[^1]",
            "[^1]: ",
            "\r\n",
            "---\n",
            "```\n",
            "他。",
            "http://a.b/c ",
            "\ufeff",
            "\u2028",
            ":::",
            ":   ",
            "!!! note",
            '"',
            "[[",
            "]]",
            "$",
            "$$",
            "[!a] ",
            "[ ] ",
            "{%",
            "%}",
            "{{",
            "}}",
            "{: .a}",
            "+++\n",
            ":a:",
            "\n!!! a\n    ",
            "\na\n: b\n",
            "*[a]: b\n",
        )
    ),
    max_size=40,
)


@settings(deadline=None)
@given(PIECES, st.sampled_from(["in.md", "in.mdx"]))
def test_filled_with_its_source_a_file_is_the_same(tmp_path_factory, pieces, name):
    text = "".join(pieces)
    folder = tmp_path_factory.mktemp("markdown")
    try:
        documents, skeleton = read(folder, text, name)
    except InputError as error:
        assert "has no text" in str(error)
        return
    assert filled(documents, skeleton).text == text
    for change in (str.upper, lambda _: "x", lambda sentence: f"*{sentence}_ [ `"):
        found = skeleton.find(filled(documents, skeleton, change).text)
        assert len(found.blocks) == len(skeleton.found.blocks)


def test_the_documentation_is_the_same_when_filled_with_itself(tmp_path):
    for path in [ROOT / "README.md", *sorted((ROOT / "docs" / "concepts").rglob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        documents, skeleton = read(tmp_path, text)
        assert filled(documents, skeleton).text == text


def test_markdown_is_chosen_by_name_or_by_option(tmp_path):
    (tmp_path / "a.MD").write_text("A *b*.\n")
    (tmp_path / "a").write_text("A *b*.\n")
    for form, name in ((Input(), "a.MD"), (Input(file_format="markdown"), "a")):
        documents, _ = form.read(tmp_path / name, "en", "de")
        assert documents[0].source == ("A b.",)
    plain, _ = Input(file_format="text").read(tmp_path / "a.MD", "en")
    assert plain[0].source == ("A *b*.",)
    with pytest.raises(InputError, match="`file_format=markdown` excludes `segmented`"):
        Input(segmented=True, file_format="markdown")


@pytest.mark.parametrize("text", ["", "---\na: b\n---\n", "```\ncode\n```\n", "***\n"])
def test_a_file_without_text_is_an_error(tmp_path, text):
    with pytest.raises(InputError, match=r"in\.md: has no text"):
        read(tmp_path, text)


def test_a_file_has_a_size_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("docmt_files.core.encodings.MAX_CHARACTERS", 100)
    with pytest.raises(InputError, match=r"in\.md: has more than 100 characters"):
        read(tmp_path, "abc\n" * 26)
