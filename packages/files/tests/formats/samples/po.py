"""Samples of PO, with their sources as translations, so that filling them changes nothing."""

HEADER = r"""# A comment
msgid ""
msgstr ""
"Project-Id-Version: pump\n"
"Language: de\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

"""

SAMPLES = {
    "menu.po": HEADER
    + r"""#. Extracted
#: src/a.c:12
#, fuzzy
msgid "&Open the file"
msgstr "&Open the file"

#: src/a.c:13
#, fuzzy, c-format
msgid "Copied %s to %d places.\n"
msgstr "Copied %s to %d places.\n"

#, fuzzy, python-format
#| msgid "Hi"
msgctxt "menu"
msgid "Hello %(name)s, \"you\" <b>all</b>"
msgstr "Hello %(name)s, \"you\" <b>all</b>"

msgid "Done"
msgstr "Fertig"

#, fuzzy, c-format
msgid "One file"
msgid_plural "%d files are here"
msgstr[0] "One file"
msgstr[1] "%d files are here"

#, fuzzy
msgid ""
"\n"
"A long text that goes over several lines, and says \"yes\" to <b>all</b> "
"who read it.\n"
"\n"
"  -f, --force   do it\n"
msgstr ""
"\n"
"A long text that goes over several lines, and says \"yes\" to <b>all</b> "
"who read it.\n"
"\n"
"  -f, --force   do it\n"

#~ msgid "gone"
#~ msgstr "weg"
""",
    "dos.po": '\ufeff#, fuzzy\r\nmsgid "One line."\r\nmsgstr "One line."\r\n\r\n'
    '#, fuzzy\r\nmsgid ""\r\n"Two "\r\n"lines\\n"\r\nmsgstr ""\r\n"Two "\r\n"lines\\n"\r\n',
}

HOSTILE = {
    "empty.po": "",
    "no-entry.po": "One line.\n",
    "unclosed.po": 'msgid "One\nmsgstr ""\n',
    "no-msgstr.po": 'msgid "One"\n',
    "no-msgid.po": 'msgstr "One"\n',
    "twice.po": 'msgid "One"\nmsgid "Two"\nmsgstr ""\n',
    "latin.po": 'msgid "One"\nmsgstr "\xe9"\n'.encode("latin-1"),
    "all-done.po": 'msgid "One"\nmsgstr "Eins"\n',
    "lines.po": 'msgid ""\n' + '"a "\n' * 11_000 + 'msgstr ""\n',
    "escapes.po": 'msgid "' + "\\" * 40_001 + '"\nmsgstr ""\n',
    "plural.po": 'msgid ""\nmsgstr "Plural-Forms: nplurals=99; plural='
    + "(" * 300
    + 'n;\\n"\n\nmsgid "One"\nmsgid_plural "Two"\nmsgstr[0] ""\n',
    "power.po": 'msgid ""\nmsgstr "Plural-Forms: nplurals=9; plural=n/0;\\n"\n\n'
    'msgid "One"\nmsgid_plural "Two"\nmsgstr[0] ""\n',
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many paragraphs."""
    entries = (
        f'msgctxt "{n}"\nmsgid "Go to &page {n // 2} of <b>%s</b>. See it."\nmsgstr ""\n\n'
        for n in range(paragraphs)
    )
    return "long.po", "".join(entries)
