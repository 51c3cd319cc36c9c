"""JSX in Markdown: modules, elements and expressions stay, and text in them is translated."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files import Input
from docmt_files.core.inline import Text
from docmt_files.markup.jsx import find_jsx
from docmt_files.markup.jsx_scanner import JsxScanner

PAGES = sorted((Path(__file__).parent / "samples/mdx").glob("*/*.md*"))
"""Pages as people write them for Docusaurus, Nextra, Starlight of Astro, Mintlify and Storybook."""

NODE_PACKAGES = ("@mdx-js/mdx", "remark-gfm", "remark-frontmatter")


def read(folder: Path, text: str, name: str = "in.mdx"):
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return Input().read(path, "en", "pt")


def filled(documents, skeleton, change):
    (document,) = documents
    return skeleton.fill_and_report([document.translated([change(s) for s in document.source])])


def shown(skeleton):
    """The parts of each block, codes in brackets with the first letter of their kind."""
    return [
        [
            part.text
            if isinstance(part, Text)
            else f"[{part.kind[0]} {skeleton.text[part.start : part.end]}]"
            for part in block.parts
        ]
        for block in skeleton.found.blocks
    ]


def strange(sentence: str) -> str:
    """A translation with words in another order, and with what is code in MDX."""
    return " ".join(["Isto", *reversed(sentence.split()), "{x", "< y", "}", "<b"])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_a_page_filled_with_its_own_text_is_the_same(page):
    documents, skeleton = Input().read(page, "en", "pt")
    assert filled(documents, skeleton, str).text == page.read_text()
    assert not any(mark in sentence for sentence in documents[0].source for mark in ("</", "={"))


@pytest.mark.by_default(1)
@pytest.mark.node
@pytest.mark.parametrize("change", [str.upper, strange], ids=["upper", "strange"])
def test_translated_pages_compile_as_before(tmp_path, change):
    if shutil.which("node") is None:
        pytest.skip("needs Node.js")
    for package in NODE_PACKAGES:
        find = ["node", "-e", f"require.resolve('{package}')"]
        if subprocess.run(find, capture_output=True, check=False).returncode:
            pytest.skip(f"needs the package {package} of npm, found by NODE_PATH")
    paths = []
    for number, page in enumerate(PAGES):
        out = tmp_path / f"{number}{page.suffix}"
        out.write_bytes(filled(*Input().read(page, "en", "pt"), change).data)
        paths += [page, out]
    judge = ["node", Path(__file__).parent / "mdx_nodes.mjs"]
    ended = subprocess.run(
        judge, input="\n".join(map(str, paths)), capture_output=True, text=True, check=True
    )
    told = [json.loads(line) for line in ended.stdout.splitlines()]
    assert len(told) == 40
    for page, before, after in zip(PAGES, told[::2], told[1::2], strict=True):
        assert (before["error"], after["error"]) == (None, None), page
        assert after["nodes"] == before["nodes"], page


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        (
            "In {a} <T b={c}>d</T>.",
            [["In ", "[p {a}]", " ", "[o <T b={c}>]", "d", "[c </T>]", "."]],
        ),
        ("A {' '}\nb {/* c */}d", [["A ", "[v {' '}]", " ", "b ", "[v {/* c */}]", "d"]]),
        ("<>x</> <a.b c/>", [["[o <>]", "x", "[c </>]", " ", "[v <a.b c/>]"]]),
        ("<A b='{' c={`}`} />", [["[p <A b='{' c={`}`} />]"]]),
        ("{(() => '}')()}", [["[p {(() => '}')()}]"]]),
        ("import a from 'a'\n# B", [["[p import a from 'a']"], ["B"]]),
        ("export const a = {\n\n}\n\nB", [["[p export const a = {\n\n}]"], ["B"]]),
        ("Import duties rise.\n\nexport of goods", [["Import duties rise."], ["export of goods"]]),
        ("# A {#b}", [["A ", "[v {#b}]"]]),
        ("`{a}` and \\{b\\}", [["[p `{a}`]", " and ", "{", "b", "}"]]),
        ("```js\n{a}\n```\n\n    Text", [["Text"]]),
        ("<A>\n    text\n    </A>\nb", [["[p <A>]"], ["text"], ["[p </A>]"], ["b"]]),
        ("a < b, {c", [["a < b, {c"]]),
        ("x <kbd>Ctrl</kbd> y", [["x ", "[p <kbd>Ctrl</kbd>]", " y"]]),
    ],
)
def test_what_is_jsx_is_a_code(tmp_path, text, blocks):
    _, skeleton = read(tmp_path, f"{text}\n\nEnd.")
    assert shown(skeleton) == [*blocks, ["End."]]


@pytest.mark.parametrize(
    ("tag", "texts"),
    [
        ('<A label="On a Mac" title=\'Two\' id="no" />', ["On a Mac", "Two"]),
        ('<A alt="A &amp; b">x</A>', ["x", "A & b"]),
        ("<A v={[{label: 'Mac', value: 'no'}, {'title': \"It\\'s\"}]} />", ["Mac", "It's"]),
        ("<A title={'Three'} label={`no ${x}`} code={`{label: 'no'}`} />", ["Three"]),
        ('<A title="a_name" label="./path" alt="https://a.example" />', []),
        ('<Meta title="Guides/No" />', []),
    ],
)  # fmt: skip
def test_texts_in_elements_are_translated(tmp_path, tag, texts):
    documents, skeleton = read(tmp_path, f"{tag}\n\nEnd.\n")
    assert list(documents[0].source) == [*texts, "End."]
    assert filled(documents, skeleton, str).text == f"{tag}\n\nEnd.\n"


def test_texts_in_elements_keep_their_quotation_marks(tmp_path):
    text = "<A title=\"One\" label='Two' v={{label: 'Three'}} />\n"
    documents, skeleton = read(tmp_path, text)
    done = filled(documents, skeleton, lambda s: f"{s} \"a\" 'b' \\ &lt;")
    assert done.text == (
        "<A title=\"One &quot;a&quot; 'b' \\ &amp;lt;\" "
        "label='Two \"a\" &apos;b&apos; \\ &amp;lt;' "
        "v={{label: 'Three \"a\" \\'b\\' \\\\ &lt;'}} />\n"
    )


@pytest.mark.parametrize(
    ("text", "has_jsx"),
    [
        ("import A from 'a'\n\nText {b}.", True),
        ("Text <Abc b={c}>d</Abc>.", True),
        ("Text <Badge />.", True),
        ("Text {b} of <b>c</b> and <br/>.", False),
        ("Press <Enter> or <Ctrl>.", False),
        ("A `<Badge />` in code.\n\n```\nimport A from 'a'\n```\n", False),
        ("<script setup>\nimport A from 'a'\n</script>\n\nText {b}.", False),
        ("Text <BR/> and <A HREF='b'>c</A>.", False),
        ("Goods:\n\nimport of goods from 'China'", False),
    ],
)
def test_a_markdown_file_has_jsx_if_it_imports_or_has_components(tmp_path, text, has_jsx):
    assert bool(find_jsx(text, is_mdx=False).ranges) == has_jsx
    _, skeleton = read(tmp_path, text, "in.md")
    if "{b}" in text and has_jsx:
        assert "[p {b}]" in [part for block in shown(skeleton) for part in block]


def test_braces_of_plain_markdown_are_text(tmp_path):
    documents, skeleton = read(tmp_path, "Write {two words} or a < b.\n", "in.md")
    assert documents[0].source == ("Write {two words} or a < b.",)
    assert filled(documents, skeleton, str.upper).text == "WRITE {TWO WORDS} OR A < B.\n"


def test_a_translation_that_begins_as_a_module_does_is_text(tmp_path):
    documents, skeleton = read(tmp_path, "Duties rise.\n\n{a}\n")
    done = filled(documents, skeleton, lambda _: "import duties rise.").text
    assert done == "&#105;mport duties rise.\n\n{a}\n"


def test_titles_of_images_are_translated(tmp_path):
    text = '![One](a.png "Two") and ![](b.png \'Three\') and [x](y "no")\n'
    documents, skeleton = read(tmp_path, text, "in.md")
    assert documents[0].source == ("and and x", "One", "Two", "Three")
    done = filled(documents, skeleton, lambda s: {"Two": 'A "b" \\"', "Three": "It's"}.get(s, s))
    assert done.text == text.replace("Two", 'A \\"b\\" \\\\\\"').replace("Three", "It\\'s")


@given(st.text(st.sampled_from("<>{}/= ab\n'\"`\\$*-:#import"), max_size=80))
def test_any_text_filled_with_itself_is_the_same(tmp_path_factory, text):
    text = f"Begin.\n\n{text}\n"
    documents, skeleton = read(tmp_path_factory.getbasetemp(), text)
    assert filled(documents, skeleton, str).text == text
    ranges = list(JsxScanner(text).ranges())
    assert all(a.end <= b.start for a, b in pairwise(ranges))


HOSTILE = (
    "{",
    "<a ",
    "<a b={",
    "<A b='",
    "`",
    "{`${",
    "import {",
    "export const a = (\n\n",
    "<!-- ",
)


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_pages_take_linear_time(tmp_path, unit):
    text = "Begin.\n\n" + unit * (200_000 // len(unit))
    began = time.process_time()
    list(JsxScanner(text).ranges())
    assert time.process_time() - began < 10
