"""PHP arrays and JavaScript modules: values of literals are translated, and code stays."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt_files import Input
from docmt_files.base.errors import InputError


def read(folder, name, text, target=None):
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return Input().read(path, "en", target)


def filled(documents, skeleton, change=str.upper):
    (document,) = documents
    return skeleton.fill_and_report([document.translated([change(s) for s in document.source])])


PHP = [
    # PHP, sentences, the file with the sentences in upper case
    ("return ['a' => 'one'];", ["one"], "return ['a' => 'ONE'];"),
    ("return array('a' => \"it's\");", ["it's"], "return array('a' => \"IT'S\");"),
    ("return ['a' => 'it\\'s \\\\ x'];", ["it's \\ x"], "return ['a' => 'IT\\'S \\\\ X'];"),
    ('return ["a \\"b\\" \\u{e9}"];', ['a "b" é'], 'return ["A \\"B\\" É"];'),
    ("$lang['a'] = 'one'; // 'no'\n", ["one"], "$lang['a'] = 'ONE'; // 'no'\n"),
    ("define('A', 'one two');", ["one two"], "define('A', 'ONE TWO');"),
    ("$a = array_merge($a, array('k' => 'one'));", ["one"], None),
    ("return ['a' => <<<X\n  one $b\n  X\n];", ["one"], "return ['a' => <<<X\n  ONE $b\n  X\n];"),
    ("return ['a' => <<<'X'\none\nX];", ["one"], "return ['a' => <<<'X'\nONE\nX];"),
    ("return ['a' => 'one ' . $b . ' two'];", ["one two"], "return ['a' => 'ONE ' . $b . ' TWO'];"),
    ("return ['a' => 'one' . \"it's\"];", ["one", "it's"], "return ['a' => 'ONE' . \"IT'S\"];"),
    ("return ['a' => f('no'), 'b' => $c ? 'no' : 'no', 'd' => 'yes'];", ["yes"], None),
    ("function f() { return ['no no']; }\nreturn ['a' => 'one'];", ["one"], None),
    ("return ['a' => 'Hi :name, {$b}'];", ["Hi,"], None),
    ("return ['a' => '{0} none|[1,*] :n files'];", ["none", "files"], None),
    ("return ['rule' => 'required_if', 'b' => 'Two words'];", ["Two words"], None),
]


@pytest.mark.parametrize(("text", "sentences", "expected"), PHP)
def test_values_of_php_are_translated_and_code_stays(tmp_path, text, sentences, expected):
    documents, skeleton = read(tmp_path, "a.php", f"<?php\n{text}")
    assert list(documents[0].source) == sentences
    assert filled(documents, skeleton, str).text == f"<?php\n{text}"
    if expected is not None:
        assert filled(documents, skeleton).text == f"<?php\n{expected}"


JS = [
    ("export default { a: 'one' }", ["one"], "export default { a: 'ONE' }"),
    ("module.exports = { a: \"it's\" };", ["it's"], "module.exports = { a: \"IT'S\" };"),
    ("const en = { a: 'it\\'s' }\nexport default en", ["it's"], None),
    ("export const en: Record<string, 'no'> = { a: 'one' } as const", ["one"], None),
    ("export default { a: `one ${b} two` }", ["one two"], "export default { a: `ONE ${b} TWO` }"),
    ("export default { a: `${f({ b: `no` })} one` }", ["one"], None),
    ("export default { a: 'o ' +\n 'two' }", ["o two"], "export default { a: 'O ' +\n 'TWO' }"),
    ("export default { a: (n) => `no ${n}`, b: f('no'), c() { return 'no' }, d: 'one' }",
     ["one"], None),
    ("export default { a: x ? 'no' : 'no', b: ['one', ['two']], 'c d': { e: 'three' } }",
     ["one", "two", "three"], None),
    ("import x from 'no'\ntype A = { b: 'no' }\nexport default { a: 'one', b: /['\"]/g }",
     ["one"], None),
    ("export default defineMessages({ a: { id: 'a.bye', defaultMessage: 'o' } })", ["o"], None),
    ("export default () => ({ a: 'one' })", ["one"], None),
    ("export default { a: '\\u00e9 one' }", ["é one"], "export default { a: '\\u00C9 ONE' }"),
    ("export default { plural: 'one car | {n} cars' }", ["one car", "cars"], None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sentences", "expected"), JS)
def test_values_of_javascript_are_translated_and_code_stays(tmp_path, text, sentences, expected):
    documents, skeleton = read(tmp_path, "en.ts", text)
    assert list(documents[0].source) == sentences
    assert filled(documents, skeleton, str).text == text
    if expected is not None:
        assert filled(documents, skeleton).text == expected


def test_json5_is_a_module_without_a_statement(tmp_path):
    documents, skeleton = read(tmp_path, "en.json5", "// x\n{ a: 'one', \"b\": ['two',], }")
    assert filled(documents, skeleton).text == "// x\n{ a: 'ONE', \"b\": ['TWO',], }"


@settings(max_examples=60, deadline=None)
@given(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=9).map(
        lambda s: " ".join(s.split())
    ),
    st.sampled_from(["'one two'", '"one two"', "`one two`", "<<<X\none two\nX"]),
)
def test_a_translation_cannot_end_its_string_or_begin_code(tmp_path_factory, translation, literal):
    is_php = literal[0] in "'\"<"
    name, text = ("a.php", f"<?php return ['k' => {literal}, 'x y'];") if is_php else (
        "a.js", f"export default {{ k: {literal}, l: 'x y' }}")  # fmt: skip
    folder = tmp_path_factory.mktemp("code")
    documents, skeleton = read(folder, name, text)
    made = filled(documents, skeleton, lambda s: translation if s == "one two" else s).text
    again = skeleton.find(made).blocks
    assert len(again) == 2
    assert made.endswith(text[text.index("one two") + len("one two") :])
    if literal[0] == "`":
        assert not re.search(r"(?<!\\)(?:\\\\)*\$\{", made)
    elif literal[0] != "'" and made != text:
        assert not re.search(r"(?<!\\)(?:\\\\)*\$(?=[A-Za-z_{])", made)


def test_the_keys_of_strings_are_their_places(tmp_path):
    (document,), skeleton = read(
        tmp_path, "a.php", "<?php $l['a']['b'] = 'One'; $m = ['c' => ['d' => 'Two']];"
    )
    assert [s.key for s in skeleton.sentences_of(document)] == ["a.b", "c.d"]
    (document,), skeleton = read(tmp_path, "a.js", "export default { a: { 'b c': ['One'] } }")
    assert [s.key for s in skeleton.sentences_of(document)] == ["a.b c.0"]


def test_strings_in_code_and_further_plural_forms_are_counted(tmp_path):
    text = "<?php return ['a' => f('not this'), 'b' => ':n file|:n files'];"
    _, skeleton = read(tmp_path, "a.php", text, "ru")
    assert [note.partition(":")[0] for note in skeleton.found.kept] == [
        "1 string in code, such as a call or a condition, not translated",
        "1 message with plural forms",
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.php", "One two", "has no PHP"),
        ("a.php", "<?php\nreturn ['a' => 'one];", 'line 2: "\'one];" begins a string'),
        ("a.php", "<?php return ['a' => 'one two'", "a bracket is not closed"),
        ("a.php", "<?php return ['a' => 'one two');", "a bracket is closed that was not opened"),
        ("a.js", "export default {\n a: `one ${b`}", "line 2: .* begins a string"),
        ("a.js", "const f = () => { console.log('one two') }", "has no text"),
    ],
)
def test_a_damaged_program_is_refused_with_its_line(tmp_path, name, text, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, name, text)
