"""SubStation Alpha and TTML: what is said is translated, over cues, and all else stays."""

from __future__ import annotations

import pytest

from docmt_files import Input
from docmt_files.base.errors import InputError

HEAD = (
    "[Script Info]\nTitle: A title\n\n[Events]\n"
    "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
)


def ass(*texts, style="Top"):
    """A file with these texts, one cue after the other."""
    return HEAD + "".join(
        f"Dialogue: 0,0:00:{n:02}.00,0:00:{n:02}.90,{style},,0012,0,0,fx,{text}\n"
        for n, text in enumerate(texts)
    )


def ttml(*texts, lang="en"):
    """The same for TTML."""
    cues = "\n".join(f'<p begin="{n}s" end="{n}.9s">{text}</p>' for n, text in enumerate(texts))
    tt = f'<tt xmlns="http://www.w3.org/ns/ttml" xml:lang="{lang}">'
    return f"{tt}<body><div>\n{cues}\n</div></body></tt>\n"


def translated(folder, name, text, change=str.upper, target=None):
    """The sentences of a file, and the file with other ones."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    (document,), skeleton = Input().read(path, "en", target)
    change = change if callable(change) else change.__getitem__
    filled = skeleton.fill_and_report([document.translated([change(s) for s in document.source])])
    assert filled.kept == 0
    return list(document.source), filled.data.decode()


ASS = [
    # texts of cues, sentences, the texts with the sentences in upper case
    # Overrides keep their backslashes, and go around their words.
    (("Not {\\i1}you{\\i0} again.",), ["Not you again."], ("NOT {\\i1}YOU{\\i0} AGAIN.",)),
    (("{\\an8\\fad(9,9)}Hi there.",), ["Hi there."], ("{\\an8\\fad(9,9)}HI THERE.",)),
    # A sentence over cues is translated whole; its lines are broken anew.
    (("I knew\\Nyou would", "come."), ["I knew you would come."], ("I KNEW YOU WOULD", "COME.")),
    # A sign keeps its lines.
    (("{\\pos(1,2)}Air\\N{\\c&H4&}Mail",), ["Air Mail"], ("{\\pos(1,2)}AIR\\N{\\c&H4&}MAIL",)),
    # Drawings and karaoke are no text.
    (("{\\p1}m 0 0 l 9{\\p0}One two",), ["One two"], ("{\\p1}m 0 0 l 9{\\p0}ONE TWO",)),
    (("{\\k9}ki{\\k9}mi", "One two"), ["One two"], ("{\\k9}ki{\\k9}mi", "ONE TWO")),
    (("A, b, and\\hc.",), ["A, b, and\u00a0c."], ("A, B, AND\\hC.",)),
]


@pytest.mark.parametrize(("texts", "sentences", "new"), ASS)
def test_dialogue_of_substation_alpha_is_translated_and_every_field_stays(
    tmp_path, texts, sentences, new
):
    source, written = translated(tmp_path, "a.ass", ass(*texts))
    assert source == sentences
    assert written == ass(*new)


def test_speakers_of_substation_alpha_are_not_joined(tmp_path):
    text = ass("I knew that", "you would come").replace("0.90,Top,,", "0.90,Top,Ann,", 1)
    assert translated(tmp_path, "a.ass", text)[0] == ["I knew that", "you would come"]


def test_braces_and_backslashes_of_a_translation_are_no_overrides(tmp_path):
    _, written = translated(tmp_path, "a.ass", ass("One two."), lambda _: "{\\i1} a\\Nb")
    assert written == ass("(/i1) a/Nb")


TTML = [
    # Words outside of spans, and every span, are text; line feeds are spaces, <br/> ends a line.
    (
        ("Seen <span>on</span> Monday, <span>they<br/>\n live</span>\n in fear.",),
        ["Seen on Monday, they live in fear."],
        ("SEEN <span>ON</span> MONDAY, <span>THEY LIVE</span> IN FEAR.",),
    ),
    (("I knew you would", "come &amp; go."), ["I knew you would come & go."], None),
    (("- Who?<br />- Me.",), ["Who?", "Me."], ("- WHO?<br />- ME.",)),
    (("<metadata>x y</metadata>One two.",), ["One two."], ("<metadata>x y</metadata>ONE TWO.",)),
]


@pytest.mark.parametrize(("texts", "sentences", "new"), TTML)
def test_paragraphs_of_ttml_are_translated(tmp_path, texts, sentences, new):
    source, written = translated(tmp_path, "a.ttml", ttml(*texts))
    assert source == sentences
    assert written == ttml(*(new or map(str.upper, texts))).replace("&AMP;", "&amp;")


def test_a_span_that_goes_on_in_the_next_cue_is_closed_and_keeps_its_id_once(tmp_path):
    text = ttml('I <span xml:id="a" style="b">knew you</span>', "would come.")
    new = {"I knew you would come.": "Ich wusste, du kommst"}
    _, written = translated(tmp_path, "a.ttml", text, new)
    assert written.count("xml:id") == 1
    assert written.count("<span") == written.count("</span>")


@pytest.mark.parametrize(("lang", "new"), [("en", "de-AT"), ("en-US", "de-AT"), ("fr", "fr")])
def test_ttml_names_its_new_language(tmp_path, lang, new):
    _, written = translated(tmp_path, "a.ttml", ttml("One two.", lang=lang), str, "de_AT")
    assert written == ttml("One two.", lang=new)


@pytest.mark.parametrize("encoding", ["utf-16", "windows-1252"])
def test_ttml_stays_in_its_encoding(tmp_path, encoding):
    path = tmp_path / "a.ttml"
    declared = f'<?xml version="1.0" encoding="{encoding}"?>\n'
    path.write_bytes((declared + ttml("École one.")).encode(encoding))
    (document,), skeleton = Input().read(path, "en")
    filled = skeleton.fill_and_report([document.translated(["Ґ é"])])
    assert filled.data.decode(encoding).replace("&#1168;", "Ґ") == declared + ttml("Ґ é")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.ass", HEAD, "has no subtitles"),
        ("a.ass", HEAD + "Dialogue: 0,0:00:xx,1,,,,,,,One\n", "line 6: the times of a dialogue"),
        ("a.ttml", "<tt>\n<p>One</tt>", "line 2"),
        ("a.ttml", "<!DOCTYPE a [<!ENTITY b 'c'>]><tt><p>&b;</p></tt>", "document type"),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        Input().read(path, "en")
