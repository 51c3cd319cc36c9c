"""Samples of TTML."""

from formats.subtitle_structure import structure

__all__ = ["HOSTILE", "SAMPLES", "long_file", "structure"]

SAMPLES = {
    "film.ttml": """<?xml version="1.0" encoding="UTF-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata"
    xmlns:tts="http://www.w3.org/ns/ttml#styling" xml:lang="en-US">
  <head>
    <metadata><ttm:title>Not this title</ttm:title></metadata>
    <styling><style xml:id="s1" tts:color="white"/></styling>
  </head>
  <body>
    <div xml:lang="en">
      <p xml:id="p1" begin="00:00:01.000" end="00:00:03.000" region="r1">I thought that you<br/>
        would never come</p>
      <p begin="00:00:03:10" end="00:00:05:00" region="r1"><span style="s1">back to
        this town.</span> Are you</p>
      <p begin="5.1s" dur="1.9s" region="r1">really here?</p>
      <p begin="8s" end="10s"><span style="s1">- Where is he?</span><br/><span style="s1">- He is
        gone &amp; lost.</span></p>
      <p begin="10s" end="12s"><metadata ttm:role="dialog">not this</metadata>I do
        <!-- no -->not know.</p>
      <p begin="12s" end="13s"/>
      <p begin="13s" end="14s">[door opens]</p>
    </div>
  </body>
</tt>
""",
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
