"""Samples of .NET's resource files."""

from formats.sample_files import sample

SAMPLES = {
    "Strings.resx": sample("resx/Strings.resx"),
    "dos.resw": '\ufeff<root>\r\n<data name="a"><value>One\r\n two</value></data>\r\n</root>',
}

HOSTILE = {
    "deep.resx": "<root>" + "<data><value>" * 100_000,
    "other.resx": "<resources><string>a b</string></resources>",
    "nested.resx": "<root><data name='a'><value>one <b>two <i>three</b></i></value></data></root>",
    "entity.resx": "<!DOCTYPE root [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><root><data name='a'>"
    "<value>one &a; two</value></data></root>",
    "twice.resx": "<root><data name='a'><value>one</value><value>two</value></data></root>",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many strings."""
    one = "<data name='a'><value>One {0} two &amp; three. Four</value></data>\n"
    return "long.resx", f"<root>{one * paragraphs}</root>"
