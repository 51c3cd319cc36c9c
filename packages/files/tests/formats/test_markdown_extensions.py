"""What sites and note programs add to Markdown: the text is translated, and the markup stays."""

from __future__ import annotations

import re

import pytest

from docmt_files.markup.markdown_inline import MATH
from docmt_files.markup.markdown_parser import parser
from formats.test_markdown import filled, read

PAGE = """\
+++
title = "<Page>"
weight = 10
+++

[TOC]

# <Heading> {#heading .big}

> [!NOTE]
> <Save the file>

> [!tip]- <A title>
> <Body>

- [ ] <Install the package>
- [x] <done>

:::tip <Good to know>
<Text> :smile: <more>
:::

:::note[<Title>]
<Text>
:::

::: info
<Text>
:::

!!! warning "<Data loss>"
    <Body>

    ??? note
        <Body>

[[Installation]] <and> [[Installation|<the guide>]]

<Term>
:   <Definition>

{% if page %}
<Text> {{ site.url }}
{% endif %}

<Text> $e^x$
{: .class}

$$
e^x
$$

<!-- comment -->

*[HTML]: Hyper Text
"""


@pytest.mark.parametrize("text", ["${a}/${b}", "$A/b:$C", "US$ 5-$6", "$5 to 10$", "a$b_c$"])
def test_placeholders_variables_and_prices_are_not_formulas(text):
    assert MATH.search(text) is None


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_page_with_all_of_them_keeps_its_markup(tmp_path, end):
    page = PAGE.replace("<!--", "(!--").replace("\n", end)
    text, expected = (
        re.sub(r"<([^<>]*)>", change, page).replace("(!--", "<!--")
        for change in (r"\1", lambda match: match[1].upper())
    )
    documents, skeleton = read(tmp_path, text)
    assert filled(documents, skeleton).text == text
    assert filled(documents, skeleton, str.upper).text == expected


@pytest.mark.parametrize(
    "text",
    ["Word.", "a\n\nWord.", "> Word.", "- Word.", "!!! a\n    Word.", ":::tip Word.\nb\n:::"],
)
@pytest.mark.parametrize(
    "target",
    [
        ": a",
        ":::",
        "::: a",
        '!!! a "b"',
        "??? a",
        '=== "a"',
        "[!a] b",
        "[ ] a",
        "[[a]]",
        "[[a|b]]",
        "+++",
        "$a_b$ c",
        "[TOC]",
    ],
)
def test_what_looks_like_markup_in_a_translation_is_escaped(tmp_path, text, target):
    documents, skeleton = read(tmp_path, f"{text}\n\nEnd.\n")
    result = filled(documents, skeleton, lambda s: f"{target} d" if s == "Word." else s)
    assert not [note for note in result.notes if "not translated" in note], result.text
    tokens = [token for token in parser().parse(result.text) if token.type == "inline"]
    shown = ["".join(child.content for child in token.children or ()) for token in tokens]
    assert f"{target} d" in shown


def test_a_translation_that_breaks_the_markup_leaves_its_block(tmp_path):
    text = "a\n:::tip B\nc\n:::\n"
    documents, skeleton = read(tmp_path, text)
    result = filled(documents, skeleton, lambda s: 'x="y"' if s == "B" else s.upper())
    assert result.text == "A\n:::tip B\nC\n:::\n"
    assert any("would have changed the structure" in note for note in result.notes)
