"""Samples of YAML files of strings."""

from formats.sample_files import sample

SAMPLES = {
    "en.yml": sample("yaml/en.yml"),
    "dos.yaml": "\ufeff---\r\na: One two\r\nb: |+\r\n  Three four.\r\n  Five\r\n\r\n...\r\n---\r\n"
    "c: École one\r\n",
    "strings.yml": "- id: Read more\n  translation: Read more, please\n- lang: en\n  text: One two",
}

HOSTILE = {
    "empty.yml": "",
    "single.yml": "One sentence only",
    "deep.yml": "a: " + "[" * 20_000,
    "deep_blocks.yml": "".join(" " * n + "a:\n" for n in range(400)) + " " * 400 + "b: one two",
    "bomb.yml": "a: &a [one two]\n" + "".join(f"b{n}: &b{n} [*a, *a, *a, *a]\n" for n in range(9)),
    "tab.yml": "a:\n\t- one two",
    "control.yml": "a: one \x02two\x03",
    "binary.yml": b"a: \xff\xfe",
    "object.yml": 'a: !!python/object/apply:os.system ["one two"]\nb: three four',
    "merge.yml": "a: &a {x: one two}\nb: {<<: *a, <<: *a}\n? [one, two]\n: three four\n",
    "surrogates.yml": 'a: "one \\ud83d two"\nb: three four',
    "quotes.yml": "a: '" + "''" * 20_000 + " one two'",
    "indent.yml": "a: |9\n  one\nb: >2-\n    one\n   two\n",
    "directive.yml": "%YAML 9.9\n---\na: one two\n",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many strings."""
    text = "- k: One <b>two</b> %{n} three.\n  l: >\n    Four\n    five\n  m: 'it''s six'\n"
    return "long.yml", text * paragraphs
