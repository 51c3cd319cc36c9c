"""TTML (`.ttml`, `.dfxp`, EBU-TT, IMSC) as cues: the paragraphs of its body.

Elements in a paragraph are tags, `<br/>` ends a line; regions, styles and metadata stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape

from docmt_files.base.languages import language_tag, primary_language, primary_subtag
from docmt_files.base.wording import counted
from docmt_files.core.patches import Patch
from docmt_files.core.xml_events import XML_LANG, XmlEvent, attribute_value_range, read_events
from docmt_files.storage.characters import escape_text
from docmt_files.storage.files import PathLike
from docmt_files.subtitles.cue_forms import ENTITY, Cue, CueFile, CueForm

_TTML = re.compile(r"<(?:[\w.-]+:)?tt[\s>]")
_NAMESPACE = re.compile(r"http://www\.w3\.org/(?:ns/ttml|20\d\d/\d\d/ttaf1)")
_ATTRIBUTES = r"(?:[^<>\"']|\"[^\"]*\"|'[^']*')*"
_TAG = re.compile(
    rf"<!--.*?-->|<\?.*?\?>|<((?:[\w.-]+:)?metadata|ttm:[\w.-]+)\b{_ATTRIBUTES}(?:/>|(?<!/)>.*?</\1\s*>)"
    rf"|</?(?!(?:[\w.-]+:)?br[\s/>])[A-Za-z_][\w:.-]*{_ATTRIBUTES}>",
    re.DOTALL,
)
_BREAK = re.compile(r"\s*<(?:[\w.-]+:)?br\b[^<>]*?(?:/>|>\s*</(?:[\w.-]+:)?br\s*>)\s*")
_UNIT = re.compile(rf"{ENTITY.pattern}|[ \t]*[\r\n]\s*")
_CLOCK = re.compile(r"(\d+):(\d\d):(\d\d)(?:\.(\d+)|:(\d+)(?:\.\d+)?)?")
_OFFSET = re.compile(r"(\d+(?:\.\d+)?)(h|m|s|ms|f|t)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


def is_ttml(text: str) -> bool:
    """Return whether a text is TTML, by its first element."""
    return text.lstrip("\ufeff \t\r\n").startswith("<") and _TTML.search(text[:4096]) is not None


def read_ttml(text: str, path: PathLike) -> CueFile:
    """The cues of a text.

    Raises:
        InputError: the text is not well-formed XML, or has a document type.
    """
    events = read_events(text, path)
    rates = _rates(events[0].attributes)
    cues: list[Cue] = []
    odd = 0
    for first, last in _paragraphs(events):
        if any(event.kind in ("cdata", "entity") for event in events[first:last]):
            odd += 1
            continue
        attributes = events[first].attributes
        times = _times(attributes, rates)
        lines = tuple(_lines(text, events[first + 1 : last]))
        voice = "\n".join(attributes.get(key, "") for key in ("region", "style"))
        name = attributes.get("begin") or str(len(cues) + 1)
        cues.append(Cue(name, *times, events[first].end, lines, voice))
    note = f"{counted(odd, 'paragraph')} with CDATA sections not translated"
    return CueFile(text, _form(text), cues, (note,) if odd else ())


def _form(text: str) -> CueForm:
    """The form of texts of a file, with line breaks as the file has them."""
    found = _BREAK.search(text)
    prefix = _TTML.search(text)
    name = prefix[0][1:-1].removesuffix("tt") if prefix else ""
    return CueForm(
        tag=_TAG,
        unit=_UNIT,
        meaning=lambda unit: " " if unit.isspace() else unescape(unit),
        escape=escape_text,
        line_end=_BREAK,
        line_break=found[0].strip() if found else f"<{name}br/>",
    )


def _paragraphs(events: list[XmlEvent]) -> Iterator[tuple[int, int]]:
    """The indices of the start and the end of each paragraph."""
    start = depth = -1
    open_elements = 0
    for index, event in enumerate(events):
        if event.kind == "start":
            is_paragraph = event.local_name == "p" and _NAMESPACE.match(event.namespace)
            if start < 0 and (is_paragraph or event.name == "p"):
                start, depth = index, open_elements
            open_elements += 1
        elif event.kind == "end":
            open_elements -= 1
            if start >= 0 and open_elements == depth:
                yield start, index
                start = -1


def _lines(text: str, events: list[XmlEvent]) -> Iterator[tuple[int, int]]:
    """The lines of a paragraph, without blank ones and white space around them."""
    if not events:
        return
    position, end = events[0].start, events[-1].end
    breaks = [match.span() for match in _BREAK.finditer(text, position, end)]
    for first, last in [*breaks, (end, end)]:
        written = text[position:first]
        if written.strip():
            start = position + len(written) - len(written.lstrip())
            yield start, position + len(written.rstrip())
        position = last


def _rates(attributes: Mapping[str, str]) -> dict[str, float]:
    """The frames and ticks of a second."""
    by_name = {key.rpartition("}")[2]: value for key, value in attributes.items()}

    def rate(key: str, default: float) -> float:
        value = by_name.get(key, "")
        return float(value) if re.fullmatch(r"[1-9]\d{0,8}", value) else default

    frames = rate("frameRate", 30.0)
    return {"f": frames, "t": rate("tickRate", frames)}


def _times(attributes: Mapping[str, str], rates: Mapping[str, float]) -> tuple[int, int]:
    """The times of a paragraph, or -1 where they are not its own."""
    begin = _milliseconds(attributes.get("begin", ""), rates)
    end = _milliseconds(attributes.get("end", ""), rates)
    length = _milliseconds(attributes.get("dur", ""), rates)
    if begin is not None and end is None and length is not None:
        end = begin + length
    return (-1, -1) if begin is None or end is None else (begin, end)


def _milliseconds(time: str, rates: Mapping[str, float]) -> int | None:
    if match := _CLOCK.fullmatch(time):
        hours, minutes, seconds = (int(part[:6]) for part in match.groups()[:3])
        fraction = float(f"0.{(match[4] or '0')[:9]}") + int((match[5] or "0")[:6]) / rates["f"]
        return round(((hours * 60 + minutes) * 60 + seconds + fraction) * 1000)
    if match := _OFFSET.fullmatch(time):
        unit = _SECONDS.get(match[2]) or 1 / rates[match[2]]
        return round(min(float(match[1][:20]), 1e9) * unit * 1000)
    return None


def language_patches(
    text: str, path: PathLike, language: str, target_language: str
) -> Iterator[Patch]:
    """The changes of `xml:lang` where it names the source language."""
    for event in read_events(text, path):
        named = event.attributes.get(XML_LANG, "") if event.kind == "start" else ""
        if named and primary_subtag(named) == primary_language(language):
            span = attribute_value_range(text, event, XML_LANG)
            yield (*span, language_tag(target_language))
