"""Samples of JSON files of strings."""

from formats.sample_files import sample

SAMPLES = {
    "en.json": sample("json/en.json"),
    "messages.json": """\
{"app": {"message": "Read $NAME$ now", "description": "A title",
 "placeholders": {"name": {"content": "$1", "example": "a book"}}}}
""",
    "app_en.arb": sample("json/app_en.arb"),
    "en.jsonc": sample("json/en.jsonc"),
    "dos.json": '\ufeff{\r\n"a": "One two. Three.",\r\n'
    '"b": ["One and two\\/three", "Caf\\u00E9 one"]\r\n}',
}

HOSTILE = {
    "deep.json": '{"a":' * 100_000,
    "deep_lists.json": "[" * 900 + '"one two"' + "]" * 900,
    "empty.json": "",
    "binary.json": b'["\xff\xfe"]',
    "comments.json": '{"a": "one" // two\n, /* ' + "/*" * 20_000,
    "commas.json": '{"a": "one"' + "," * 20_000 + "}",
    "surrogates.json": '["one \\ud83d two", "three four"]',
    "braces.json": '["one ' + "{" * 20_000 + '", "' + "<b>" * 5_000 + ' two"]',
    "numbers.json": "[" + "9" * 10_000 + ', "one two"]',
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many strings."""
    text = '"k": "One <b>two</b> {n} three.\\nFour \\u00e9five", '
    return "long.json", "{" + text * paragraphs + '"end": "six"}'
