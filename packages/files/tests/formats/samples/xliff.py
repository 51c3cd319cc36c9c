"""Samples of XLIFF: their targets are as docmt writes them before it translates."""

_STATE = 'state="needs-review-translation" state-qualifier="leveraged-mt"'
_STATE_2 = 'state="translated" subState="docmt:machine-translation"'


def _unit(number: int, source: str, attributes: str = "") -> str:
    """A unit of version 1.2 whose target is its source."""
    return (
        f'      <trans-unit id="{number}"{attributes}>\n        <source>{source}</source>\n'
        f"        <target {_STATE}>{source}</target>\n        <note>A note.</note>\n"
        "      </trans-unit>\n"
    )


def _segment(source: str) -> str:
    """A segment of version 2.x whose target is its source."""
    return (
        f"      <segment {_STATE_2}>\n        <source>{source}</source>\n"
        f"        <target>{source}</target>\n      </segment>\n"
    )


_UNITS = (
    "The pump &amp; more",
    'Press the <g id="1" ctype="bold">red <x id="2" equiv-text="{{name}}"/></g> button. Then go.',
    'One <bpt id="1">&lt;b></bpt>two <ph id="3">&lt;br/></ph>three<ept id="1">&lt;/b></ept>.',
    'Escaped &lt;b&gt;HTML&lt;/b&gt; with %1$s and <it id="1">&lt;i></it>&#233;cole',
    'A <mrk mtype="protected">DocMT</mrk> name, <bx id="4"/>bold<ex id="5" rid="4"/> <!-- here -->',
    "<![CDATA[One <b>two</b> & three.]]>",
    "over\n          several\tlines",
)
_SEGMENTED = """\
<source>One two. Three <g id="1">four</g>.</source>
        <seg-source><mrk mtype="seg" mid="0">One two.</mrk> <mrk mtype="seg" mid="1">Three \
<g id="1">four</g>.</mrk></seg-source>
        <target STATE><mrk mtype="seg" mid="0">One two.</mrk> <mrk mtype="seg" mid="1">Three \
<g id="1">four</g>.</mrk></target>""".replace("STATE", _STATE)

_VERSION_1 = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2" xmlns:t="urn:t">
  <file original="a" source-language="en" datatype="html">
    <header><note>No text</note></header>
    <body>
{"".join(_unit(number, source) for number, source in enumerate(_UNITS))}\
      <trans-unit id="99" translate="no"><source>This stays</source></trans-unit>
      <group id="g" translate="no"><trans-unit id="98"><source>So does this</source></trans-unit>\
</group>
      <trans-unit id="97" approved="no"><source>Four men.</source>
        <target state="final" xml:lang="de">Vier Männer.</target></trans-unit>
      <trans-unit id="96" t:x="y">{_SEGMENTED}
        <alt-trans><source>Four</source><target>Vier</target></alt-trans></trans-unit>
    </body>
  </file>
</xliff>
"""

_SEGMENTS = (
    "The pump &amp; more",
    'Press the <pc id="1" dataRefEnd="d2" dataRefStart="d1">red <ph id="2" equiv="{name}"/></pc> '
    "button. Then go.",
    '<sc id="1"/>One <pc id="3"/>two<ec startRef="1"/> <mrk id="m" translate="no">DocMT</mrk> '
    '<sm id="4" type="term"/>name<em startRef="4"/><cp hex="0001"/>.',
    'One<ph id="9" type="fmt" subType="xlf:lb"/>two',
)
_VERSION_2 = f"""\
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="ar">
  <file id="f"><skeleton>No text</skeleton>
    <unit id="u"><notes><note>No text</note></notes>
{"".join(map(_segment, _SEGMENTS))}\
      <ignorable><source> </source></ignorable>
      <segment state="final"><source>Four men</source><target>أربعة</target></segment>
    </unit>
    <group id="g" translate="no"><unit id="v"><segment><source>No</source></segment></unit></group>
  </file>
</xliff>
"""

SAMPLES = {
    "one.xlf": _VERSION_1,
    "dos.sdlxliff": "\ufeff" + _VERSION_1.replace("\n", "\r\n"),
    "two.xliff": _VERSION_2,
    "wide.xliff": ("\ufeff" + _VERSION_2).encode("utf-16-le"),
    "preserve.xlf": (
        '<xliff version="1.2" xml:space="preserve"><file source-language="en"><body>'
        '<trans-unit id="1"><source>Name:\nOne two\nthree.\n\n<g id="1">four\n\nfive</g></source>'
        f'<target {_STATE}>Name:\nOne two\nthree.\n\n<g id="1">four\n\nfive</g></target>'
        "</trans-unit></body></file></xliff>"
    ),
}

_ONE = '<xliff version="1.2"><file><body><trans-unit id="1"><source>{}</source></trans-unit>'
HOSTILE = {
    "deep.xlf": "<xliff>" + "<group>" * 100_000,
    "inline.xlf": _ONE.format('<g id="1">' * 200 + "one" + "</g>" * 200) + "</body></file></xliff>",
    "entities.xlf": '<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]><xliff>&d;</xliff>',
    "external.xlf": '<!DOCTYPE a SYSTEM "file:///etc/passwd"><xliff>&b;</xliff>',
    "empty.xlf": "",
    "other.xlf": "<html><p>One</p></html>",
    "unclosed.xlf": _ONE.format("one two"),
    "codes.xlf": _ONE.format("one" + '<x id="1"/>' * 2_000 + "two") + "</body></file></xliff>",
    "tags.xlf": _ONE.format("one &lt;a <g id='1'>two &lt;/b&gt;</g> {three" * 200)
    + "</body></file></xliff>",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many units."""
    unit = '<trans-unit id="1"><source>One <g id="1">two</g> three. Four.</source></trans-unit>'
    return "long.xlf", f'<xliff version="1.2"><file><body>{unit * paragraphs}</body></file></xliff>'
