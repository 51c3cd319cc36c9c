"""Samples of Fluent files."""

from formats.sample_files import sample

SAMPLES = {
    "app.ftl": sample("fluent/app.ftl"),
    "dos.ftl": "\ufeffa = One\r\n    and two\r\n# b\r\nb =\r\n    .c = Three { $n } more\r\n",
}

HOSTILE = {
    "deep.ftl": "a = one " + "{" * 100_000,
    "selectors.ftl": "a = one " + "{ $n ->\n *[other] " * 20_000,
    "junk.ftl": "one two\n" * 3_000 + "a = one two\n",
    "twice.ftl": "a = One two\na = Three { $n ->\n [one] a\n [one] b\n *[other] c d\n }\n",
    "binary.ftl": b"a = \xff\xfe one",
    "empty.ftl": "",
    "strings.ftl": 'a = one { "\\u00e9 \\" {" } two { "unclosed }\nb = three four\n',
    "spaces.ftl": "a = \u0020\u0020\n\nb =\n    \n\nc = { $n ->\n   *[other] \n}\nd = one two\n",
    "calls.ftl": "a = one { F(1, $b, c: 2, " + "$d, " * 1_000 + ") } two\n",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many messages."""
    one = "k =\n    One <b>two</b> { $n } three.\n    .title = Four { $n ->\n        [one] five"
    return "long.ftl", f"{one}\n       *[other] six seven\n    }}\n" * paragraphs
