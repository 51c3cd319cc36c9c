"""Samples of Apple's files of strings."""

TEXT = """\
/* Title of the
   "main" window */
"title" = "The pump & more";
// a comment = "no value";
"hello %@" = "Hello %1$@, you have \\"%d\\" new files.\\n\\nRead them now!";
CFBundleName = "Pump it";  "a"="One\\\\two \\U00e9cole \\Ud83d\\Ude00";
"only a key";
"icon" = "logo.png";
"""

SAMPLES = {
    "Localizable.strings": TEXT,
    "utf16.strings": ("\ufeff" + TEXT.replace("\n", "\r\n")).encode("utf-16-le"),
    "raw.strings": '"a" = "École one\n\ntwo";\n{ "b" = "One. Two."; }',
}

HOSTILE = {
    "empty.strings": "",
    "comment.strings": '"a" = "one two";\n/* never ended',
    "unclosed.strings": '"a" = "one two;\n',
    "semicolon.strings": '"a" = "one two"\n"b" = "three";',
    "binary.strings": b"bplist00\xd1\x01\x02\x00\xff",
    "odd.strings": b'\xff\xfe"\x00a\x00"',
    "slashes.strings": '"a" = "one' + "/*" * 50_000 + '";' + "/*" * 50_000,
    "escapes.strings": '"a" = "one \\Ud83d two \\777 \\x";',
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many strings."""
    return (
        "long.strings",
        '/* c */ "k" = "One <b>two</b> %@ \\"three\\". Four five";\n' * paragraphs,
    )
