"""Samples of DITA."""

from formats.sample_files import sample

SAMPLES = {"task.dita": sample("dita/task.dita"), "guide.ditamap": sample("dita/guide.ditamap")}

HOSTILE = {
    "deep.dita": "<topic>" + "<ph>" * 100_000,
    "half.dita": "<topic><p>One <b>two</p></topic>",
    "empty.dita": "",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many paragraphs."""
    return (
        "long.dita",
        f"<topic>{'<p>One <b>two</b> <fn>three</fn>. Four.</p>' * paragraphs}</topic>",
    )
