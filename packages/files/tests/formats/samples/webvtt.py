"""Samples of WebVTT."""

from formats.sample_files import sample
from formats.subtitle_structure import structure

__all__ = ["HOSTILE", "SAMPLES", "long_file", "structure"]

SAMPLES = {
    "talk.vtt": sample("webvtt/talk.vtt"),
    "dos.vtt": "\ufeffWEBVTT\r\n\r\n00:01.000 --> 00:02.000\r\nOne line here\r\nand two.\r\n",
    "no-blank.vtt": "WEBVTT\n00:01.000 --> 00:02.000\nOne,\n00:02.000 --> 00:03.000\nand two.\n",
}

HOSTILE = {
    "empty.vtt": "WEBVTT\n",
    "no-header.vtt": "00:01.000 --> 00:02.000\nOne.\n",
    "bad-times.vtt": "WEBVTT\n\n00:01.000 --> 00:0a.000\nOne.\n",
    "binary.vtt": b"WEBVTT\n\n00:01.000 --> 00:02.000\n\xff\xfe\x00 one\n",
    "tags.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\n" + "<c>" * 20_000 + "One.",
    "less.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\n" + "<a " * 20_000 + "One.",
    "notes.vtt": "WEBVTT\n\n" + "NOTE x\n\n" * 5_000,
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many paragraphs."""
    cues = (
        f"{n // 60 % 60:02}:{n % 60:02}.000 --> {n // 60 % 60:02}:{n % 60:02}.900\n{said}\n\n"
        for n, said in enumerate(
            ["<v Ann>Is it <b>you</b>", "<v Ann>who came? &amp; who"] * paragraphs
        )
    )
    return "long.vtt", "WEBVTT\n\n" + "".join(cues)
