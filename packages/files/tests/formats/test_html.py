"""HTML: text is found and replaced, and everything else stays."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html as lxml_html

from docmt_files import Input
from docmt_files.base.errors import InputError
from docmt_files.markup import html
from docmt_files.markup.html_tokens import html_tokens

PAGE = """\
<!DOCTYPE html>
<html lang="en-GB" class=page>
<head>
<meta charset="utf-8">
<meta name="description" content="How to &quot;use&quot; the pump.">
<meta name="viewport" content="width=device-width">
<title>The pump &amp; more</title>
<style>p > b { color: red }</style>
<script>if (a < b) document.write("<p>no text</p>");</script>
</head>
<body>
<!-- a comment -->
<h1 id="top">The pump</h1>
<p title='Who "came"'>Press the <em>red <b>button</b></em>, then
  read <a href="x.html?a=1&amp;b=2" title="Read it">the manual</a>.<br>
  It is an &eacute;cole&nbsp;here. Run <code>make &lt;demo&gt;</code> with {count} files.</p>
<ul><li>One thing<li>Another <strong>thing</strong>!</ul>
<p translate="no">Do not <b>touch</b>.</p>
<div class="a notranslate">Neither <p translate="yes">But this.</p> this.</div>
<p>He said <i lang="fr">bonjour</i> to <span class="notranslate">Sir <b>X</b></span> there.</p>
<pre>keep  this</pre>
<img src="a.png" alt=Logo><input type="submit" value="Send it"><input value="not this">
<table><tr><td>Right</td><td>The first &lt; the second</table>
<p>First line<br><br>Second line <q lang=en>here</q> &copy 2020 AT&T</p>
<select><option label="First">One<option>Two</select>
</body>
</html>
"""


def read(folder, text, name="in.html", target=None):
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return html.read(path, "en", target)


def filled(documents, skeleton, change=lambda sentence: sentence):
    (document,) = documents
    return skeleton.fill_and_report([document.translated([change(s) for s in document.source])])


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_real_page_keeps_its_structure(tmp_path, end):
    text = PAGE.replace("\n", end)
    documents, skeleton = read(tmp_path, text)
    assert filled(documents, skeleton).text == text
    result = filled(documents, skeleton, lambda sentence: f"so {sentence} <indeed> & \"'")
    assert not [note for note in result.notes if "not translated" in note]
    for kind in ("start", "end", "other"):
        assert tags(result.text, kind) == tags(text, kind)
    whole = " ".join(documents[0].source)
    for part in (
        "width",
        "color",
        "no text",
        "touch",
        "Neither",
        "bonjour",
        "Sir",
        "keep",
        "make",
        "not this",
    ):
        assert part not in whole
    for part in (
        "Press the red button, then read the manual.",
        "école\u00a0here",
        'Who "came"',
        "Send it",
        "Read it",
        "But this.",
        "Second line here © 2020 AT&T",
        "Logo",
        'How to "use" the pump.',
        "The pump & more",
        "First",
    ):
        assert part in whole


def tags(text, kind):
    return sorted(token.name for token in html_tokens(text) if token.kind == kind)


def test_another_parser_sees_the_same_text(tmp_path):
    documents, skeleton = read(tmp_path, PAGE)
    shown, upper = (
        " ".join(lxml_html.fromstring(text).text_content().split())
        for text in (PAGE, filled(documents, skeleton, lambda s: s.replace("e", "E")).text)
    )
    for kept in ("Do not touch.", "keep this", "Neither", "this.", "bonjour", "{count}"):
        assert kept in shown
        assert kept in upper
    assert re.sub(r"\s|e", "", shown, flags=re.I) == re.sub(r"\s|e", "", upper, flags=re.I)
    assert "Right" in upper and "thE sEcond" in upper


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ('<html lang="en-US"><p lang=en>a', "de", '<html lang="de"><p lang=de>A'),
        ('<html lang="fr"><i lang=fr>b</i>a', "de", '<html lang="de"><i lang=fr>b</i>A'),
        ('<html lang="en">a', "ar", '<html dir="rtl" lang="ar">A'),
        (
            '<html lang="en" dir="ltr"><body dir=ltr>a',
            "he",
            '<html lang="he" dir="rtl"><body dir=rtl>A',
        ),
        ('<html xml:lang="en">a', "de_DE", '<html xml:lang="de-DE">A'),
        ('<meta charset="iso-8859-1">é', "de", '<meta charset="utf-8">É'),
        (
            '<meta http-equiv="Content-Type" content="text/html; charset=latin1">é',
            "de",
            '<meta http-equiv="Content-Type" content="text/html; charset=utf-8">É',
        ),
        (
            "<meta http-equiv=content-language content=en>a",
            "de",
            "<meta http-equiv=content-language content=de>A",
        ),
    ],
)
def test_the_output_names_its_language(tmp_path, text, target, expected):
    documents, skeleton = read(tmp_path, text, target=target)
    assert filled(documents, skeleton, str.upper).text == expected


@pytest.mark.parametrize("quote", ['"', "'", ""])
def test_attributes_are_escaped(tmp_path, quote):
    documents, skeleton = read(tmp_path, f"<p title={quote}Word{quote}>a</p>")
    target = "a \"b\" 'c' <d> & =`>"
    text = filled(documents, skeleton, lambda s: target if s == "Word" else s).text
    (element,) = lxml_html.fragments_fromstring(text)
    assert element.get("title") == target
    assert element.text == "a"


PIECES = st.lists(
    st.sampled_from(
        (
            "One two. ",
            "three",
            "<p>",
            "</p>",
            "<b>",
            "</b>",
            "<i>",
            "</i>",
            "<br>",
            "<br/>",
            "<div>",
            "</div>",
            "<li>",
            "<code>",
            "</code>",
            "<span translate=no>",
            "</span>",
            "<pre>",
            "</pre>",
            "<!--",
            "-->",
            "<script>",
            "</script>",
            "<title>",
            "</title>",
            "<img alt='A b'>",
            "<a href=",
            "'",
            '"',
            ">",
            "<",
            "&amp;",
            "&",
            "&#0;",
            "&#x110000;",
            " ",
            "\n",
            "<q lang=fr>",
            "</q>",
            "<q lang=en>",
            "<![CDATA[",
            "]]>",
            "<?php ?>",
            "{0}",
            "http://a.b/",
            "\ufeff",
            "</",
            "<html>",
            "<p title=x translate=yes>",
            "<td>",
            "</td>",
            "<svg/>",
            "<ruby>",
            "</ruby>",
            "<rt>",
            "</rt>",
            "<a href='#x'>",
            "</a>",
            "<sup>",
            "</sup>",
            "1",
        )
    ),
    max_size=30,
)


@settings(deadline=None)
@given(PIECES)
def test_filled_with_its_source_a_file_is_the_same(tmp_path_factory, pieces):
    text = "".join(pieces)
    tokens = list(html_tokens(text))
    assert "".join(text[token.start : token.end] for token in tokens) == text
    folder = tmp_path_factory.mktemp("html")
    try:
        documents, skeleton = read(folder, text)
    except InputError as error:
        assert "has no text" in str(error)
        return
    assert filled(documents, skeleton).text == text
    for change in (str.upper, lambda _: "x", lambda sentence: f"<b>{sentence} & '\" <!--"):
        found = skeleton.find(filled(documents, skeleton, change).text)
        assert len(found.blocks) == len(skeleton.found.blocks)


def test_html_is_chosen_by_name_or_by_option(tmp_path):
    for name in ("a.HTM", "a"):
        (tmp_path / name).write_text("<p>A <b>b</b>.\n")
    for form, name in ((Input(), "a.HTM"), (Input(file_format="html"), "a")):
        documents, skeleton = form.read(tmp_path / name, "en", "de")
        assert documents[0].source == ("A b.",)
        assert replace(skeleton).fill([documents[0].translated(["x"])]) == "<p><b>x</b>\n"
    with pytest.raises(InputError, match="add `file_format=html`"):
        Input().read(tmp_path / "a", "en")


def test_only_the_blocks_stay_whose_translation_would_have_changed_the_structure(tmp_path):
    lines = "Alpha<br>beta<br>gamma<br>delta. Epsilon."
    page = "".join(f"<p>Before {n}.</p><div>{lines}</div>" for n in range(20)) + "<p>After.</p>"
    documents, skeleton = read(tmp_path, page)
    # With two words in four lines, two ends of lines meet, as at the end of a paragraph.
    changes = {"Alpha beta gamma delta.": "X y.", "Epsilon.": "Epsilon."}
    found = filled(documents, skeleton, lambda s: changes.get(s, f"New {s}"))
    assert found.text == page.replace("<p>", "<p>New ")
    assert found.kept == 20


def test_spans_without_attributes_are_not_joined(tmp_path):
    page = "<p><span>Added in 4.</span><span>Gone in 5.</span> <i>One </i><i>two</i></p>"
    documents, skeleton = read(tmp_path, page)
    text = filled(documents, skeleton, lambda s: f"New {s}").text
    assert (text.count("<span>"), text.count("<i>")) == (2, 1)


@pytest.mark.parametrize(
    "text", ["", "<p></p>", "<script>a</script>", "<pre>a</pre>", "<!-- a -->"]
)
def test_a_file_without_text_is_an_error(tmp_path, text):
    with pytest.raises(InputError, match=r"in\.html: has no text"):
        read(tmp_path, text)
