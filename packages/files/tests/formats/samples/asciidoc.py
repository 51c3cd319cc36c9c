"""Samples of AsciiDoc."""

from formats.sample_files import sample

SAMPLES = {
    "guide.adoc": sample("asciidoc/guide.adoc"),
    "dos.asciidoc": "\ufeffOne line.\r\nAnother *line*.\r\n\r\nEnd\r\n===\r\n",
    "plain.asc": "---\ntitle: The pump\n---\n\nOne thing. (((pumps, red)))Two things.\n",
}

HOSTILE = {
    "open.adoc": "One *two _three `four\n\n----\nfive\n",
    "marks.adoc": "*a " * 800 + "`b" * 800 + "((" * 800 + "<<a," * 800,
    "brackets.adoc": "link:a[" * 800 + "footnote:[a" * 800,
    "deep.adoc": "\n".join("=" * n for n in range(4, 60)) + "\nOne two\n",
    "bars.adoc": "|===\n" + "|a" * 800 + "\n",
    "colons.adoc": "a::" * 1500 + " b\n" + "a:: " * 1500,
    "empty.adoc": "",
    "mark.adoc": "One \ufdd0 two",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many paragraphs."""
    return "long.adoc", "One *two* three. Four link:x[five].\n\n" * paragraphs
