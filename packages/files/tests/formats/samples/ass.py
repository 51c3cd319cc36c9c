"""Samples of SubStation Alpha."""

from formats.subtitle_structure import structure

__all__ = ["HOSTILE", "SAMPLES", "long_file", "structure"]

HEAD = r"""[Script Info]
; A comment: with a colon
Title: Not this title
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname, Fontsize
Style: Default,Arial,20

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
"""

SAMPLES = {
    "film.ass": HEAD
    + r"""Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,Not this comment
Dialogue: 0,0:00:01.00,0:00:03.00,Default,Ann,0,0,0,,{\i1}I thought that you{\i0}\Nwould never come
Dialogue: 0,0:00:03.10,0:00:05.00,Default,Ann,0,0,0,,back to this town, {\b1}Ben{\b0}. Are you
Dialogue: 0,0:00:05.10,0:00:07.00,Default,Ann,0,0,0,,really here?
Dialogue: 1,0:00:07.00,0:00:09.00,Sign,,0,0,0,,{\pos(1,2)\c&H1B13&}Air mail\NRome\N{\c&H46&}London
Dialogue: 0,0:00:08.00,0:00:10.00,Default,,0,0,0,,- Where\his he, then?\N- He is gone.
Dialogue: 0,0:00:10.00,0:00:12.00,Default,,0,0,0,,{\an8}I do not know, {really?} do you?
Dialogue: 0,0:00:12.00,0:00:13.00,Default,,0,0,0,,{\p1}m 0 0 l 100 0 100 100{\p0}Drawn words
Dialogue: 0,0:00:13.00,0:00:14.00,Song,,0,0,0,fx,{\k20}ki{\k30}mi{\k10}ga
Dialogue: 0,0:00:14.00,0:00:15.00,Song,,0,0,0,,♪ And I will love you ♪
Dialogue: 0,0:00:15.00,0:00:16.00,Default,,0,0,0,,
""",
    "old.ssa": "\ufeff[Script Info]\r\nScriptType: v4.00\r\n\r\n[Events]\r\n"
    "Format: Marked, Start, End, Style, Name, Effect, Text\r\n"
    "Dialogue: Marked=0,0:00:01.00,0:00:02.00,*Default,,,One line, and two.\r\n"
    "Dialogue: Marked=0,0:00:02.00,0:00:03.00,*Default,,,Three lines.\r\n[Fonts]\r\nfontname: a",
}

HOSTILE = {
    "empty.ass": "",
    "no-events.ass": "[Script Info]\nTitle: One two\n",
    "times.ass": HEAD + "Dialogue: 0,0:00:xx,0:00:01.00,Default,,0,0,0,,One two\n",
    "fields.ass": HEAD + "Dialogue: 0,0:00:01.00\n",
    "format.ass": "[Events]\nFormat: Text\nDialogue: one two\n",
    "braces.ass": HEAD + "Dialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,," + "{a" * 20_000 + " b\n",
    "drawings.ass": HEAD
    + "Dialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,"
    + "{\\p1}m " * 5_000
    + "one\n",
    "overrides.ass": HEAD
    + "Dialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,"
    + "{\\i1}a " * 5_000
    + "\n",
    "lines.ass": HEAD + "Dialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,," + "a b\\N" * 3_000 + "\n",
    "cp1252.ass": (HEAD + "Dialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,École\n").encode("cp1252"),
    "utf-16.ass": (HEAD + "Dialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,One two\n").encode("utf-16"),
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many paragraphs."""
    said = [r"{\i1}Is it{\i0} you\Nwho came,", "and who are you? Tell me.", "{\\an8}One. Two."]
    lines = (
        f"Dialogue: 0,0:{n // 60:02}:{n % 60:02}.00,0:{n // 60:02}:{n % 60:02}.90,D,,0,0,0,,{text}"
        for n, text in enumerate(said * paragraphs)
    )
    return "long.ass", HEAD + "\n".join(lines)
