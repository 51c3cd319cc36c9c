"""Samples of translation memories: their targets are as docmt writes them before it translates."""


def _unit(source: str) -> str:
    """A unit whose target is its source."""
    return (
        '    <tu>\n      <prop type="x-a">No text</prop>\n'
        f'      <tuv xml:lang="en-US"><seg>{source}</seg></tuv>\n'
        f'      <tuv xml:lang="ar" creationid="docmt"><seg>{source}</seg></tuv>\n'
        "    </tu>\n"
    )


_UNITS = (
    "The pump &amp; more",
    'Press the <bpt i="1" x="1">&lt;b></bpt>red<ept i="1">&lt;/b></ept> button. Then go.',
    'One <ph x="1">{name}</ph> and <ph>&lt;br/></ph>two <it pos="begin">&lt;i></it>three',
    'A <hi type="term">word</hi> with <ph>&lt;img alt="<sub>text</sub>"></ph> and %1$s {0}',
    "over\n  several lines",
)

_MEMORY = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4">
  <header creationtool="a" creationtoolversion="1" segtype="sentence" o-tmf="a" adminlang="en"
    srclang="en-US" datatype="plaintext"><note>No text</note></header>
  <body>
{"".join(map(_unit, _UNITS))}\
    <tu><tuv xml:lang="en"><seg>Four men</seg></tuv><tuv xml:lang="ar"><seg>أربعة</seg></tuv></tu>
    <tu><tuv xml:lang="fr"><seg>Quatre</seg></tuv><tuv xml:lang="ar"><seg>أربعة</seg></tuv></tu>
  </body>
</tmx>
"""

SAMPLES = {
    "memory.tmx": _MEMORY,
    "wide.tmx": ("\ufeff" + _MEMORY.replace("UTF-8", "UTF-16")).encode("utf-16-be"),
}

_ONE = '<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>{}</seg></tuv>'
_END = '<tuv xml:lang="ar"><seg/></tuv></tu></body></tmx>'
HOSTILE = {
    "deep.tmx": "<tmx><body>" + "<tu>" * 100_000,
    "entities.tmx": '<!DOCTYPE tmx [<!ENTITY a "b">]><tmx>&a;</tmx>',
    "skipped.tmx": '<!DOCTYPE tmx SYSTEM "a.dtd">' + _ONE.format("&a; one") + _END,
    "other.tmx": "<html/>",
    "codes.tmx": _ONE.format("one " + '<bpt i="1"/>' * 2_000 + "two") + _END,
    "empty.tmx": "",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many units."""
    unit = (
        '<tu><tuv xml:lang="en"><seg>One <hi>two</hi> three. Four.</seg></tuv>'
        '<tuv xml:lang="ar"><seg/></tuv></tu>'
    )
    return "long.tmx", f'<tmx version="1.4"><header/><body>{unit * paragraphs}</body></tmx>'
