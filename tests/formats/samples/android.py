"""Samples of Android's string resources."""

SAMPLES = {
    "entities.xml": """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE resources [
    <!ENTITY app "Öl &amp; Co">
    <!ENTITY % more SYSTEM "more.dtd"> %more;
]>
<resources>
    <string name="open">Open &app; to save the file. Then close &app;.</string>
    <string name="own">Ask the owner of <b>&other;</b> first</string>
</resources>
""",
    "strings.xml": r"""<?xml version="1.0" encoding="utf-8"?>
<!-- A license -->
<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2" xmlns:tools="http://t">
    <string name="app" translatable="false">DocMT</string>
    <string name="title">The pump &amp; more</string>
    <string name="quoted">"Don't press  it"</string>
    <string name="escaped">It\'s \"red\"\u2026 caf\u00e9 \ud83d\ude00 at \@home!\n\nNext\\</string>
    <string name="tags">Press the <b>red <i>button</i></b>, then <a href="x">read</a>.</string>
    <string name="g">Hello <xliff:g id="who" example="A">%1$s</xliff:g>, %2$d files here</string>
    <string name="html">Press &lt;b>here&lt;/b> now</string>
    <string name="cdata"><![CDATA[One <b>two</b> & it\'s three]]></string>
    <string name="mixed">One <![CDATA[<b>]]>two<![CDATA[</b>]]> three</string>
    <string name="reference">@string/title</string>
    <string name="key">pref_dark_mode</string>
    <string name="empty"/>
    <string name="long">over
        several lines</string>
    <string-array name="a"><item>One thing</item><item>@string/title</item></string-array>
    <string-array name="b" translatable="false"><item>No thing</item></string-array>
    <plurals name="files">
        <item quantity="one">%d file</item>
        <item quantity="other">%d files</item>
    </plurals>
    <color name="c">red</color><item type="id" name="i">Not this</item>
</resources>
""",
    "dos.xml": "\ufeff<resources>\r\n<string name='a'>One\r\n two</string>\r\n</resources>",
}

HOSTILE = {
    "deep.xml": "<resources>" + "<b>" * 100_000,
    "entities.xml": '<!DOCTYPE resources [<!ENTITY a "b">]><resources><string name="a">&a; one'
    "</string></resources>",
    "slashes.xml": "<resources><string name='a'>one " + "\\" * 50_001 + "</string></resources>",
    "quotes.xml": "<resources><string name='a'>one " + '"' * 5_000 + " two</string></resources>",
    "half.xml": "<resources><string name='a'>one \\ud83d two \\u12</string></resources>",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many strings."""
    one = "<string name='a'>One <b>two</b> %1$s three\\'s.\\nFour</string>\n"
    return "long.xml", f"<resources>{one * paragraphs}</resources>"
