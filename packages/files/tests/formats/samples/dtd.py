"""Samples of Mozilla's files of entities."""

from formats.sample_files import sample

SAMPLES = {
    "browser.dtd": sample("dtd/browser.dtd"),
    "dos.dtd": "\ufeff<!ENTITY a 'École one'>\r\n<!ENTITY b \"One. Two\r\n  three.\" >\r\n",
    "latin.dtd": '<?xml encoding="ISO-8859-1"?><!ENTITY a "Caf\u00e9 one">'.encode("latin-1"),
}

HOSTILE = {
    "empty.dtd": "",
    "text.dtd": "One two three.",
    "comment.dtd": '<!ENTITY a "one two"><!-- <!ENTITY b "three">',
    "comments.dtd": '<!ENTITY a "one two">' + "<!--" * 20_000,
    "instructions.dtd": '<!ENTITY a "one two">' + "<?" * 20_000,
    "unclosed.dtd": '<!ENTITY a "one two',
    "openings.dtd": "<!ENTITY a \"one ' two " * 10_001,
    "spaces.dtd": "<!ENTITY a" + " " * 50_000 + '"one' + " " * 50_000 + 'two">',
    "laughs.dtd": '<!ENTITY a "one two">' + '<!ENTITY b "&a;&a;&a;&a; one">' * 100,
    "file.dtd": '<!ENTITY a SYSTEM "file:///etc/passwd"><!ENTITY b "one &a; two">',
    "ampersands.dtd": '<!ENTITY a "one ' + "&" * 20_000 + "&a" * 10_000 + ' two">',
    "percents.dtd": '<!ENTITY a "one ' + "%a" * 20_000 + ' two">',
    "tags.dtd": '<!ENTITY a "one ' + "<b>" * 5_000 + ' two">',
    "binary.dtd": b'<!ENTITY a "one \xff\xfe two">',
    "references.dtd": '<!ENTITY a "one &#0; &#xD800; &#99999999; &copyrightHolder; two">',
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many strings."""
    return "long.dtd", '<!ENTITY k "One <b>two</b> &three; %S four &amp; five">\n' * paragraphs
