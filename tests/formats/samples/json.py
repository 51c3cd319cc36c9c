"""Samples of JSON files of strings."""

SAMPLES = {
    "en.json": """\
{
  "title": "The pump & more",
  "menu": {"open": "Open a file…", "save": ["Save it", "Save under"], "count": 12, "none": null},
  "hello": "Hello {{name}}, you have <b>%d files</b> in <0>a folder</0>.",
  "text": "Press the red button.\\n\\nThen read \\"the manual\\" of \\u00e9cole \\ud83d\\ude00.",
  "list": "Do this:\\n- one thing\\n- another thing", "icon": "logo.png", "url": "https://a.example"
}
""",
    "messages.json": """\
{"app": {"message": "Read $NAME$ now", "description": "A title",
 "placeholders": {"name": {"content": "$1", "example": "a book"}}}}
""",
    "app_en.arb": """\
{
\t"@@locale": "en",
\t"files": "{n, plural, one{# file} other{# files}} in this folder",
\t"@files": {"description": "How many files", "placeholders": {"n": {"type": "int"}}},
\t"it": "It''s {name} today"
}""",
    "en.jsonc": """\
// A comment with a "string", and an apostrophe's
{
  "title": "The pump // and /* more */", /* "not": "this", */
  "list": ["Save it", "Open it",], // "nor": "this"
  "last": "Save it",
}
""",
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
    "braces.json": '["one ' + "{" * 50_000 + '", "' + "<b>" * 20_000 + ' two"]',
    "numbers.json": "[" + "9" * 10_000 + ', "one two"]',
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many strings."""
    text = '"k": "One <b>two</b> {n} three.\\nFour \\u00e9five", '
    return "long.json", "{" + text * paragraphs + '"end": "six"}'
