"""Samples of TTML."""

from formats.sample_files import sample
from formats.subtitle_structure import structure

__all__ = ["HOSTILE", "SAMPLES", "long_file", "structure"]

SAMPLES = {
    "film.ttml": sample("ttml/film.ttml"),
    "prefix.dfxp": "\ufeff<tt:tt xmlns:tt='http://www.w3.org/ns/ttml' xml:lang=''>\r\n<tt:body>"
    "<tt:div>"
    "<tt:p begin='00:00:01.000' end='00:00:02.000'>\r\n  <tt:span>One line</tt:span><tt:br/>\r\n"
    "  <tt:span>and two.</tt:span>\r\n</tt:p>\r\n<tt:p begin='00:00:02.000' end='00:00:04.000'>"
    "It&#8217;s three.</tt:p></tt:div></tt:body></tt:tt>",
    "old.xml": '<tt xmlns="http://www.w3.org/2006/10/ttaf1"><body><div><p begin="0.5s" end="1s">One'
    " <i>two</i>.</p></div></body></tt>",
}

_TT = '<tt xmlns="http://www.w3.org/ns/ttml"><body><div>'
_P = '<p begin="1s" end="2s">'

HOSTILE = {
    "empty.ttml": "<tt/>",
    "half.ttml": f"{_TT}{_P}One two",
    "deep.ttml": _TT + _P + "<span>" * 100_000,
    "bomb.ttml": '<!DOCTYPE tt [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>' + _TT + _P + "&b;</p>",
    "cdata.ttml": f"{_TT}{_P}<![CDATA[One two]]></p>{_P}Three four.</p></div></body></tt>",
    "times.ttml": f'{_TT}<p begin="soon" end="9999999999999999999t">One two.</p></div></body></tt>',
    "rate.ttml": '<tt xmlns="http://www.w3.org/ns/ttml" xmlns:p="urn:p" p:tickRate="0"><body>'
    '<p begin="5t" end="7t">One two.</p></body></tt>',
    "nested.ttml": f"{_TT}{_P}One <p>two</p> three</p></div></body></tt>",
    "comments.ttml": _TT + _P + "One <!-- x -->" * 3_000 + "</p></div></body></tt>",
    "breaks.ttml": _TT + _P + "One <br/>" * 3_000 + "</p></div></body></tt>",
    "greater.ttml": f"{_TT}{_P}One <span title='a > b'>two</span>.</p></div></body></tt>",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many paragraphs."""
    said = ["<span>Is it</span> you<br/>who came,", "and who are you? Tell me.", "One. Two."]
    cues = (
        f'<p begin="{n}.0s" end="{n}.9s">{text}</p>\n' for n, text in enumerate(said * paragraphs)
    )
    return "long.ttml", f"{_TT}{''.join(cues)}</div></body></tt>"
