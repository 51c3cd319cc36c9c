"""Samples of SubRip."""

from formats.sample_files import sample
from formats.subtitle_structure import structure

__all__ = ["HOSTILE", "SAMPLES", "long_file", "structure"]

SAMPLES = {
    "film.srt": sample("subrip/film.srt"),
    "dos.srt": "\ufeff1\r\n00:00:01,000 --> 00:00:02,000\r\nOne line here\r\nand two.\r\n\r\n2\r\n"
    "00:00:02,500 --> 00:00:04,000\r\nThree lines,\r\nor four\r\n\r\n\r\n3\r\n"
    "00:00:04,000 --> 00:00:05,000\r\nor five in all.",
    "no-numbers.srt": "00:00:01,0 --> 00:00:02,000\nOne line.\n\n"
    "00:00:01,000 --> 00:00:03,000\nAt the same time.\n",
}

HOSTILE = {
    "empty.srt": "",
    "no-times.srt": "One line.\n\nAnother.\n",
    "bad-times.srt": "1\n00:00:01,000 --> 00:00:xx\nOne.\n",
    "text-before.srt": "Hello.\n\n1\n00:00:01,000 --> 00:00:02,000\nOne.\n",
    "cp1252.srt": "1\n00:00:01,000 --> 00:00:02,000\nÀ l'école.\n".encode("cp1252"),
    "utf-16.srt": "1\n00:00:01,000 --> 00:00:02,000\nOne.\n".encode("utf-16"),
    "tags.srt": "1\n00:00:01,000 --> 00:00:02,000\n" + "<i>" * 20_000 + "One two.",
    "brackets.srt": "1\n00:00:01,000 --> 00:00:02,000\n" + "[a" * 20_000,
    "moments.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\n" + "a <00:01.500>" * 4_000,
    "one-cue.srt": "1\n00:00:01,000 --> 00:00:02,000\n" + "line of text\n" * 3_000,
    "no-stop.srt": "".join(f"00:00:{n % 60:02},000 --> 00:01:00,000\nx y.\n" for n in range(1_500)),
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many paragraphs."""
    cues = (
        f"{n}\n00:{n // 60:02}:{n % 60:02},000 --> 00:{n // 60:02}:{n % 60:02},900\n{said}"
        for n, said in enumerate(
            ["<i>Is it</i> you\n\n", "who came, and\n- One\n- Two.\n\n"] * paragraphs
        )
    )
    return "long.srt", "".join(cues)
