"""Samples of Java's properties files."""

from formats.sample_files import sample

SAMPLES = {
    "messages.properties": sample("properties/messages.properties"),
    "dos.properties": "\ufeffa=École one\r\nb=One. Two.\\\r\n  Three\r\n\r\n#end",
}

HOSTILE = {
    "empty.properties": "",
    "backslashes.properties": "a=one two" + "\\" * 50_001,
    "end.properties": "a=one two\\",
    "key.properties": "no sign here\n=\n:\n one two",
    "spaces.properties": "a =" + " " * 50_000 + "one two\n" + " \n" * 20_000,
    "binary.properties": b"a=one \xe9 two",
    "escapes.properties": "a=one \\uD83D two\\uZZ \\q",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many strings."""
    return "long.properties", "k = One <b>two</b> {0} th\\u00e9. Four five\n" * paragraphs
