"""What sites and note programs add to Markdown: the text is translated, and the markup stays."""

from __future__ import annotations

import re

import pytest

from docmt.formats.markup.markdown_inline import MATH
from docmt.formats.markup.markdown_parser import parser
from formats.test_markdown import filled, read

TABLE = [
    # Markdown, sentences, the text filled with the sentences in upper case
    # Alerts of GitHub, callouts of Obsidian
    ("> [!NOTE]\n> Save *it*\n> now.\n", ["Save it now."], "> [!NOTE]\n> SAVE *IT* NOW.\n"),
    (
        "- a\n\n  > [!tip]- Some title\n  > - b\n",
        ["a", "Some title", "b"],
        "- A\n\n  > [!tip]- SOME TITLE\n  > - B\n",
    ),
    ("> [!faq|right]+\n> a\n", ["a"], "> [!faq|right]+\n> A\n"),
    ("> a\n> [!b] c\n", ["a [!b] c"], "> A \\[!B\\] C\n"),
    # Task lists
    (
        "- [ ] a b\n- [x] *c*\n  - [X] d\n1. [ ] e\n",
        ["a b", "c", "d", "e"],
        "- [ ] A B\n- [x] *C*\n  - [X] D\n1. [ ] E\n",
    ),
    ("- [x] a\n\n[x]: u\n", ["x a"], "- [X][x] A\n\n[x]: u\n"),
    ("- [x]a\n\nb [ ] c\n", ["[x]a", "b [ ] c"], "- \\[X\\]A\n\nB \\[ \\] C\n"),
    # Containers
    (
        ":::tip Good to know\nOne.\n:::\ntwo\n",
        ["Good to know", "One.", "two"],
        ":::tip GOOD TO KNOW\nONE.\n:::\nTWO\n",
    ),
    ("a\n::: info\nb\n\n- c\n:::\n", ["a", "b", "c"], "A\n::: info\nB\n\n- C\n:::\n"),
    (
        ":::note[A *b* [c]]{#a .b}\n\nd\n\n:::\n",
        ["A b [c]", "d"],
        ":::note[A *B* \\[C\\]]{#a .b}\n\nD\n\n:::\n",
    ),
    (
        "::: details Click me {open}\na\n:::\n",
        ["Click me", "a"],
        "::: details CLICK ME {open}\nA\n:::\n",
    ),
    (
        '::::: {.callout-note title="T"}\na\n:::::\n',
        ["a"],
        '::::: {.callout-note title="T"}\nA\n:::::\n',
    ),
    (":::{figure} a.png\n:alt: b\n\nc\n:::\n", ["c"], ":::{figure} a.png\n:alt: b\n\nC\n:::\n"),
    (
        ':::image source="a.png" alt-text="b":::\nc\n',
        ["c"],
        ':::image source="a.png" alt-text="b":::\nC\n',
    ),
    ("::: mermaid\ngraph LR\nA-->B\n:::\na\n", ["a"], "::: mermaid\ngraph LR\nA-->B\n:::\nA\n"),
    (
        "```\n:::tip a\n```\n\n    :::tip b\n\nc ::: d\n",
        ["c ::: d"],
        "```\n:::tip a\n```\n\n    :::tip b\n\nC ::: D\n",
    ),
    (
        "- a\n  :::tip T\n  b\n  :::\n- c\n",
        ["a", "T", "b", "c"],
        "- A\n  :::tip T\n  B\n  :::\n- C\n",
    ),
    # Admonitions and tabs of MkDocs
    (
        '!!! warning "Data loss"\n    One.\n\n    - two\n\n\n    three\nfour\n',
        ["Data loss", "One.", "two", "three", "four"],
        '!!! warning "DATA LOSS"\n    ONE.\n\n    - TWO\n\n\n    THREE\nFOUR\n',
    ),
    (
        'a\n???+ note inline end\n\n    b\n\n        code\n\n    !!! tip ""\n        c\n',
        ["a", "b", "c"],
        'A\n???+ note inline end\n\n    B\n\n        code\n\n    !!! tip ""\n        C\n',
    ),
    (
        '=== "On Linux"\n\n    a\n\n=== "C"\n\n    ```\n    b\n    ```\n',
        ["On Linux", "a", "C"],
        '=== "ON LINUX"\n\n    A\n\n=== "C"\n\n    ```\n    b\n    ```\n',
    ),
    ("1. a\n\n    !!! note\n\n        b\n", ["a", "b"], "1. A\n\n    !!! note\n\n        B\n"),
    ("!!! really\nso\n", ["!!! really so"], "\\!!! REALLY SO\n"),
    # Links between pages
    (
        "See [[Set up]] and [[Set up#A|the *guide*]] now.\n",
        ["See and the guide now."],
        "SEE [[Set up]] AND [[Set up#A|THE *GUIDE*]] NOW.\n",
    ),
    ("![[a b.png|300]]\n\nc ![[d]]\n", ["c"], "![[a b.png|300]]\n\nC ![[d]]\n"),
    ("| a [[b\\|c d]] |\n|---|\n", ["a c d"], "| A [[b\\|C D]] |\n|---|\n"),
    (
        "[[a](b)] [[c]](d) if [[ -f x ]]\n",
        ["[a] [c] if [[ -f x ]]"],
        "\\[[A](b)\\] [\\[C\\]](d) IF \\[\\[ -F X \\]\\]\n",
    ),
    ("a [[b]]\n\n[b]: u\n", ["a [b]"], "A \\[[B][b]\\]\n\n[b]: u\n"),
    # Front matter in TOML
    (
        '+++\ntitle = "A \\"b\\""\ndate = 2020\ntags = ["c"]\n[extra]\ntitle = "d"\n+++\n\ne\n',
        ['A "b"', "e"],
        '+++\ntitle = "A \\"B\\""\ndate = 2020\ntags = ["c"]\n[extra]\ntitle = "d"\n+++\n\nE\n',
    ),
    ("a\n\n+++\nb\n+++\n", ["a", "+++ b +++"], "A\n\n+++ B +++\n"),
    # Definition lists
    (
        "A b\n:   c\n    d\n\n    e\n\nF\n: g\n: h\n",
        ["A b", "c d", "e", "F", "g", "h"],
        "A B\n:   C D\n\n    E\n\nF\n: G\n: H\n",
    ),
    ("a\nb\n\n:   c\nd\n", ["a b", "c d"], "A B\n\n:   C D\n"),
    ("a\n*b*\n: c\nd\n: e\n", ["a", "b", "c", "d", "e"], "A\n*B*\n: C\nD\n: E\n"),
    ("a\n:b\n\n> c\n:   d\n", ["a :b", "c", "d"], "A :B\n\n> C\n:   D\n"),
    # Templates
    (
        "{% note %}\na {{ b.c }} d\n{% endnote %}\n",
        ["a d"],
        "{% note %}\nA {{ b.c }} D\n{% endnote %}\n",
    ),
    ('a {% ref "b_c_d" %} e {{< f "*g*" >}}\n', ["a e"], 'A {% ref "b_c_d" %} E {{< f "*g*" >}}\n'),
    (
        "{{< tabs >}}\n{{% tab %}} {{% b %}}\nc\n{{< /tabs >}}\n",
        ["c"],
        "{{< tabs >}}\n{{% tab %}} {{% b %}}\nC\n{{< /tabs >}}\n",
    ),
    (
        "{% highlight ruby %}\na\n\nb\n{% endhighlight %}\nc\n",
        ["c"],
        "{% highlight ruby %}\na\n\nb\n{% endhighlight %}\nC\n",
    ),
    # Attributes
    (
        "# A b {#a-b .c}\n\nC `d`{.e} *f*{: .g} h\n{: .i}\n",
        ["A b", "C f h"],
        "# A B {#a-b .c}\n\nC `d`{.e} *F*{: .g} H\n{: .i}\n",
    ),
    (
        '[a b](c){:target="_blank"} [d][]{: .e}\n\n[d]: u\n',
        ["a b d"],
        '[A B](c){:target="_blank"} [D][d]{: .e}\n\n[d]: u\n',
    ),
    ("![a](b.png){ width=300 }\n{ .c }\n", ["a"], "![A](b.png){ width=300 }\n{ .c }\n"),
    # Formulas, and prices
    ("If $a_b * c$ is $$x$$ or $`y`$.\n", ["If is or."], "IF $a_b * c$ IS $$x$$ OR $`y`$.\n"),
    ("a\n$$\nb\n\n\\text{c}\n$$\nd\n", ["a", "d"], "A\n$$\nb\n\n\\text{c}\n$$\nD\n"),
    ("$$a + b$$ (eq)\n\nc\n", ["c"], "$$a + b$$ (eq)\n\nC\n"),
    (
        "From $5 to $10, or 5$ and 10$.\n",
        ["From $5 to $10, or 5$ and 10$."],
        "FROM $5 TO $10, OR 5$ AND 10$.\n",
    ),
    ("a $HOME and $PATH, US$ b\n", ["a $HOME and $PATH, US$ b"], "A $HOME AND $PATH, US$ B\n"),
    ("a $b/$c and $5/day, 7$.\n", ["a $b/$c and $5/day, 7$."], "A $B/$C AND $5/DAY, 7$.\n"),
    ("a \\$b_c\\$ `$d`\n", ["a $b_c$"], "A \\$B_C\\$ `$d`\n"),
    # Abbreviations, tables of contents, comments, emoji
    (
        "The HTML.\n\n*[HTML]: Hyper text\n*[W3C]: World wide\n",
        ["The HTML."],
        "THE HTML.\n\n*[HTML]: Hyper text\n*[W3C]: World wide\n",
    ),
    ("[TOC]\n\na\n\n[[_TOC_]]\n", ["a"], "[TOC]\n\nA\n\n[[_TOC_]]\n"),
    ("a\n<!-- b -->\nc <!-- d --> e\n", ["a", "c e"], "A\n<!-- b -->\nC <!-- d --> E\n"),
    ("a :smile: b :+1:, at 10:30:45\n", ["a b, at 10:30:45"], "A :smile: B :+1:, AT 10:30:45\n"),
    ("::youtube[a]{#b}\n\nc\n", ["c"], "::youtube[a]{#b}\n\nC\n"),
]


@pytest.mark.parametrize(("text", "sentences", "expected"), TABLE)
def test_text_is_replaced_and_the_rest_stays(tmp_path, text, sentences, expected):
    documents, skeleton = read(tmp_path, text)
    assert filled(documents, skeleton).text == text
    result = filled(documents, skeleton, str.upper)
    assert (list(documents[0].source), result.text) == (sentences, expected)
    assert not [note for note in result.notes if "not translated" in note]


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
