"""Samples of HTML."""

from formats.sample_files import sample

SAMPLES = {
    "entities.xhtml": sample("html/entities.xhtml"),
    "page.html": sample("html/page.html"),
    "dos.htm": "\ufeff<p>One line.\r\nAnother <i>line</i>.</p>\r\n<!-- end -->\r\n",
    "strict.xhtml": '<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml">'
    "<head><title>A</title></head><body><p>One<br/>two. Three.</p></body></html>",
}

HOSTILE = {
    "deep.html": "<b>" * 2_000 + "One two." + "</i>" * 2_000,
    "empty.html": "",
    "binary.html": b"<p>\xff\xfe\x00 one</p>",
    "unclosed.html": "<p>One <a href='x>two <!-- three",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many paragraphs."""
    text = "<p>One <b>two</b> three. Four <a href='x'>five</a>.</p>\n"
    return "long.html", text * paragraphs
