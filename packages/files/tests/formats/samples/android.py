"""Samples of Android's string resources."""

from formats.sample_files import sample

SAMPLES = {
    "entities.xml": sample("android/entities.xml"),
    "strings.xml": sample("android/strings.xml"),
    "dos.xml": "\ufeff<resources>\r\n<string name='a'>One\r\n two</string>\r\n</resources>",
}

HOSTILE = {
    "deep.xml": "<resources>" + "<b>" * 100_000,
    "entities.xml": '<!DOCTYPE resources [<!ENTITY a "b">]><resources><string name="a">&a; one'
    "</string></resources>",
    "slashes.xml": "<resources><string name='a'>one " + "\\" * 50_001 + "</string></resources>",
    "quotes.xml": "<resources><string name='a'>one " + '"' * 5_000 + " two</string></resources>",
    "half.xml": "<resources><string name='a'>one \\ud83d two \\u12</string></resources>",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many strings."""
    one = "<string name='a'>One <b>two</b> %1$s three\\'s.\\nFour</string>\n"
    return "long.xml", f"<resources>{one * paragraphs}</resources>"
