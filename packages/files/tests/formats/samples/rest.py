"""Samples of reStructuredText."""

from formats.sample_files import sample

SAMPLES = {
    "guide.rst": sample("rest/guide.rst"),
    "dos.rst": "\ufeffOne line.\r\nAnother *line*.\r\n\r\nEnd\r\n===\r\n",
    "plain.rest": "API\n===\n\nOne \\*star\\* and C\\++.\n",
}

HOSTILE = {
    "open.rst": "One *two **three `four ``five |six [7\n\n.. note::\n\n",
    "marks.rst": "*a " * 800 + "`b" * 800 + "**c " * 800 + "|d" * 800,
    "deep.rst": "\n".join(" " * n + "- a\n" for n in range(0, 400, 2)),
    "dots.rst": ".. " * 3000 + "\n" + ".. note:: " * 1000,
    "items.rst": "- " * 2000 + "a\n",
    "lines.rst": "=\n" * 3000,
    "empty.rst": "",
    "mark.rst": "One \ufdd1 two",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many paragraphs."""
    return "long.rst", "One *two* three. Four `five <x>`_.\n\n" * paragraphs
