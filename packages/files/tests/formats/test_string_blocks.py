"""Strings of programs: what is text in them, and what stays."""

from __future__ import annotations

import time

import pytest
from babel import Locale
from babel.localedata import locale_identifiers
from hypothesis import given
from hypothesis import strategies as st

from docmt_files.core.inline import Code, Text
from docmt_files.core.sentence_cutting import cut_into_sentences
from docmt_files.strings.message_branches import count_kept
from docmt_files.strings.plural_forms import missing_categories, plural_categories
from docmt_files.strings.string_blocks import FileString, message_blocks
from docmt_files.strings.string_kinds import STRING_KINDS, is_text


def blocks(value):
    return list(message_blocks(FileString(value, range(len(value) + 1), lambda text: text)))


def kinds(value):
    """For each block its texts and, in brackets, its codes by kind."""

    def show(part):
        if isinstance(part, Text):
            return part.text
        return f"[{part.kind[0]}{part.pair if part.kind in ('open', 'close') else ''}]"

    return ["".join(map(show, block.parts)) for block in blocks(value)]


@pytest.mark.parametrize(
    "placeholder",
    [
        "{{name}}",
        "{{ user.name | upper }}",
        "{{count, number}}",
        "{{{raw}}}",
        "{name}",
        "{ name }",
        "{0}",
        "{0:.2f}",
        "{name!r}",
        "{d, date, short}",
        "${name}",
        "#{name}",
        "%{name}",
        "%s",
        "%1$s",
        "%@",
        "%1$@",
        "%(n)d",
        "%(name)s",
        "%d",
        "%lld",
        "%.2f",
        "%r",
        "%v",
        "%%",
        "%1",
        "%L1",
        "%n",
        "$t(key)",
        "$t(common:key.sub)",
        '$t(k, {"count": 2})',
        "@:link.key",
        "@.lower:key",
        "@:(key)",
        "$NAME$",
        "$1",
        ":name",
        ":smile:",
        "__count__",
        "[%key:common::x%]",
        "{'@'}",
        "<%= name %>",
        "%name%",
        "%recipient.name%",
        "%1%",
        "%%name%%",
        "##name##",
        "#name#",
        "@@name@@",
        "$[user]",
        "$[text_viewer.edit]",
        "%(name)",
        "%[name]",
        "%<count>d",
        "[[button]]",
        "((name))",
        "<<name>>",
        "<@user>",
        "::name::",
        "|name|",
        "~~name~~",
        "=name=",
        "@user",
        "@scope/package",
        "$name",
        "%name",
        "&file;",
        "https://a.example/b?c=d",
        "me@mail.example.com",
        "{count, plural, one {# <b>file</b>} other {# files}}",
        "{g, select, male {he} other {they, {n, plural, =0 {none} other {#}}}}",
    ],
)
def test_placeholders_of_all_kinds_are_protected(placeholder: str) -> None:
    assert kinds(f"Read {placeholder} now") == ["Read [p] now"]
    assert kinds(f"Read ({placeholder})") == ["Read ([p])"]
    assert kinds(placeholder) == []
    assert is_text(placeholder) is False


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Press <b>red</b>!", ["Press [o1]red[c1]!"]),
        ("Press <0>red <1>x</1></0><2/> {n}", ["Press [o1]red [o3]x[c3][c1][v] [p]"]),
        ("a<br/>b <img src='{x}'> c", ["a[v]b [v] c"]),
        ("<p>One {x}</p><p>two</p>", ["One [p]", "two"]),
        ("a <b>b", ["a [v]b"]),
        ("if x < y and <5 or a <b", ["if x < y and <5 or a <b"]),
        ("Use <code>a <b>b</b></code> here", ["Use [p] here"]),
        ('See <span translate="no">X</span>.', ["See [p]."]),
        ("Tom &amp; Jerry&nbsp;&bogus;", ["Tom & Jerry\xa0[p]"]),
        ("It''s {n}", ["It's [p]"]),
        ("It''s", ["It''s"]),
        ("one\ntwo\nThree", ["one", "two", "Three"]),
        ("apple\nbread\r\nbutter", ["apple", "bread", "butter"]),
        ("Do you want\nto stop it\nnow?\nThen go", ["Do you want[v]to stop it[v]now?", "Then go"]),
        ("one\ttwo", ["one[v]two"]),
        ("A line that is wrapped in the middle of a\nSentence", None),
        ("one\n\ntwo\\nthree", ["one", "two", "three"]),
        ("Do:\n- one\n- two", ["Do:", "one", "two"]),
        ("no file | {n} file | {n} files", ["no file ", " [p] file ", " [p] files"]),
        ("Home | My site", None),
        ("100% done, 50 % of it, $5.00", ["100% done, 50 % of it, $5.00"]),
        ("Name: :name, 10:30", ["Name: [p], 10:30"]),
        ("A *very* _good_ [small] (file)!", ["A *very* _good_ [small] (file)!"]),
        ("C# and F#, AT&T, R&D&I, Ctrl+Alt+Del", ["C# and F#, AT&T, R&D&I, Ctrl+Alt+Del"]),
        ("5%-10% of 50%of 3 + 4 = 7", ["5%-10% of 50%of 3 + 4 = 7"]),
        ("{0}+Alt+{1}", ["[p]+Alt+[p]"]),
        ("Meet me @ noon", ["Meet me @ noon"]),
        ("<b>%name%</b> left", ["[o0][p][c0] left"]),
        ("{0}/{1}", []),
        ("", []),
    ],
)
def test_what_is_in_a_string(value: str, expected: list[str] | None) -> None:
    assert expected is None or [b.strip() for b in kinds(value)] == [b.strip() for b in expected]


def test_a_string_is_split_at_bars_and_wrapped_lines() -> None:
    assert kinds("Home | My site") == ["Home", "My site"]
    wrapped = "A line that is wrapped in the middle of a\nSentence"
    assert kinds(wrapped) == [wrapped.replace("\n", "[v]")]


@pytest.mark.parametrize(
    "value",
    [
        "Save",
        "OK",
        "Yes/No",
        "e-mail",
        "sign-up",
        "days",
        "a day",
        "Loading...",
        "etc.",
        "N/A",
        "{n} MB",
        "U.S.A. today",
        "Do it: now",
        "on",
        "Add #tag",
        "äöü",
        "保存",
        "May",
        "Up-to-date",
        "he/she/it",
        "WebDAVへ",
        "DXVK/VKD3D-Fehler",
    ],
)
def test_what_people_read_is_text(value: str) -> None:
    assert is_text(value) is True


@pytest.mark.parametrize("kind", STRING_KINDS, ids=lambda kind: kind.what)
def test_every_row_is_needed_to_know_its_examples(kind):
    others = [row for row in STRING_KINDS if row is not kind]
    for example in kind.examples:
        assert is_text(example) is (False if kind.is_value else None)
    assert is_text(kind.examples[0], others) is not is_text(kind.examples[0])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", False),
        ("12", False),
        ("…", False),
        ("2024-01-31", False),
        ("https://x.example/a b", True),
        ("https://x.example/a", False),
        ("dGhpc0lzQmFzZTY0" * 3, None),
    ],
)
def test_what_programs_read_is_not_text(value: str, expected: bool | None) -> None:
    assert is_text(value) is expected


def test_messages_with_branches_are_counted() -> None:
    for message in ("{n, plural, one {# file} other {# files}}", "{n, number} {g, select, a {x}}"):
        assert count_kept(message, all_kinds=True) == 1
        assert count_kept(message, all_kinds=False) == 0


def test_markup_in_a_translation_is_escaped_as_in_the_string() -> None:
    def escaped(value, text):
        (block,) = blocks(value)
        return block.escape(text, True)

    assert escaped("a b", "R&D <b> '") == "R&D <b> '"
    assert escaped("a &lt; b", "R&D <b> '") == "R&amp;D &lt;b&gt; '"
    assert escaped("a &quot;b&quot;&nbsp;c", "R&D\xa0\"d\" 'e'") == "R&amp;D&nbsp;&quot;d&quot; 'e'"
    assert escaped("&#39;a&#39; b", "R&D 'e'") == "R&amp;D &#39;e&#39;"
    assert escaped('<b c="d">a</b> &quot;b&quot;', '"d"') == "&quot;d&quot;"
    assert escaped('"a" &quot;b&quot;', '"d"') == '"d"'
    assert escaped("a <b>b</b>", "R&D <b> &amp; 1 < 2") == "R&D &lt;b> &amp;amp; 1 < 2"
    assert escaped("It''s {n}", "d'eau") == "d''eau"


PIECES = st.sampled_from(
    [
        "<b>",
        "</b>",
        "<0>",
        "</0>",
        "<br>",
        "<p>",
        "{",
        "}",
        "{n}",
        "{n, plural, one {",
        "%s",
        "\n",
        "\\n",
        " | ",
        "- ",
        "&amp;",
        "''",
        "<code>",
        "</code>",
        "word",
        " ",
        ".",
        "$t(",
        ")",
        "<",
    ]
)


@given(st.lists(PIECES, max_size=25).map("".join))
def test_parts_are_ranges_of_the_string_in_order(value: str) -> None:
    end = 0
    for block in blocks(value):
        for part in block.parts:
            assert part.start >= end
            end = part.end
            if isinstance(part, Text) and len(part.text) == part.end - part.start:
                assert value[part.start : part.end] == part.text
            assert part.start < part.end
        opened = [p.pair for p in block.parts if isinstance(p, Code) and p.kind == "open"]
        assert sorted(opened) == sorted(set(opened))
        cut_into_sentences(block, "en")


@pytest.mark.by_default(7)
@pytest.mark.parametrize(
    "unit",
    [
        "<b>",
        "{",
        "{n}",
        "<",
        " ",
        "\t",
        " |",
        "\n",
        "&",
        "'",
        "a.",
        "$t(",
        "%",
        ":a",
        "__a",
        "<code>",
        "[%",
        "a_",
        "$a",
        "- ",
        "@a.",
    ],
)
def test_any_string_takes_linear_time(unit: str) -> None:
    start = time.process_time()
    value = unit * 15_000
    blocks(value), is_text(value), count_kept(value, all_kinds=False)
    assert time.process_time() - start < 1


def test_plural_forms_that_a_target_language_has_besides() -> None:
    assert missing_categories("en", "de") == missing_categories("en", "fr") == ()
    assert missing_categories("en", "ru") == ("few", "many")
    assert missing_categories("en-US", "ar") == ("zero", "two", "few", "many")
    assert missing_categories("ru", "en") == ()


def test_plural_categories_are_those_of_cldr() -> None:
    order = ("zero", "one", "two", "few", "many", "other")
    languages = {name.partition("_")[0] for name in locale_identifiers()}
    known = {name: tags for name in languages if (tags := Locale.parse(name).plural_form.tags)}
    assert len(known) > 120
    for language, tags in known.items():
        expected = tuple(name for name in order if name in tags or name == "other")
        assert plural_categories(language) == expected, language
    unknown = {plural_categories(language) for language in languages - known.keys()}
    assert unknown == {("other",), ("one", "other")}
