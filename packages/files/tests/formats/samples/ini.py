"""Samples of INI files of strings."""

from formats.sample_files import sample

SAMPLES = {
    "en-GB.com_x.ini": sample("ini/en-GB.com_x.ini"),
    "messages.ini": "\ufeff[Main]\r\ntitle=École\r\n  text = One two; three. Four ; a comment\r\n"
    'enabled = true\r\nquoted="It\'s \\"one\\""\r\nno key here\r\nlast=Five six',
}

HOSTILE = {
    "empty.ini": "",
    "no-keys.ini": "One two\nthree\n",
    "quotes.ini": 'a="one "two" three"\nb="four\nc=five six"',
    "spaces.ini": "a" + " " * 50_000 + "\nb = one two" + " " * 50_000 + "\n",
    "signs.ini": "=" * 50_000 + "\none two=three four\n",
    "marks.ini": 'a="' + '"_QQ_"' * 20_000 + ' one two"\n',
    "backslashes.ini": 'a="one two' + "\\" * 20_001 + '"\n',
    "binary.ini": b"a=\xff\xfe\x80",
    "sections.ini": "[" * 20_000 + "\n[a\nb=one two\n",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many strings."""
    return "long.ini", 'k="One <b>two</b> %s \\"three\\". Four"\nl = five six\n' * paragraphs
