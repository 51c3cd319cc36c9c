"""Samples of DocBook."""

from formats.sample_files import sample

SAMPLES = {
    "chapter.dbk": sample("docbook/chapter.dbk"),
    "part.xml": sample("docbook/part.xml"),
    "dos.docbook": "\ufeff<article>\r\n<para>One\r\n two.\r\nThree &#233;.</para>\r\n</article>",
}

HOSTILE = {
    "deep.dbk": "<article>" + "<emphasis>" * 100_000,
    "entities.dbk": '<!DOCTYPE a [<!ENTITY a "b"><!ATTLIST a b CDATA "c">]><a>&a; one</a>',
    "open.dbk": "<article><para>One &amp two</para></article>",
    "notes.dbk": "<para>One" + "<footnote>two" * 200 + "</footnote>" * 200 + "</para>",
    "empty.dbk": "<article/>",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many paragraphs."""
    one = "<para>One <emphasis>two</emphasis>.<footnote>Three</footnote> Four.</para>\n"
    return "long.dbk", f"<article>{one * paragraphs}</article>"
