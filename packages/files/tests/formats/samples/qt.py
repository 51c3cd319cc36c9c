"""Samples of Qt's files of translations, with their sources as translations to review, so that
filling them changes nothing."""

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n'

SAMPLES = {
    "app_de.ts": HEAD
    + """<TS version="2.1" language="de_DE" sourcelanguage="en">
<context>
    <name>MainWindow</name>
    <message>
        <location filename="../src/mainwindow.cpp" line="12"/>
        <source>&amp;Open the file %1 of %L2</source>
        <comment>A button</comment>
        <translation type="unfinished">&amp;Open the file %1 of %L2</translation>
    </message>
    <message>
        <source>It&apos;s &lt;b&gt;new&lt;/b&gt; here.
Read &quot;it&quot;.</source>
        <translation type="unfinished">It&apos;s &lt;b&gt;new&lt;/b&gt; here.
Read &quot;it&quot;.</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) copied</source>
        <translation type="unfinished">
            <numerusform>%n file(s) copied</numerusform>
            <numerusform>%n file(s) copied</numerusform>
        </translation>
    </message>
    <message>
        <source>Gone away</source>
        <translation type="vanished">Gone away</translation>
    </message>
    <message>
        <source>Old text</source>
        <translation type="obsolete"></translation>
    </message>
    <message>
        <source>Tab<byte value="x9"/>here</source>
        <translation type="unfinished">Tab<byte value="x9"/>here</translation>
    </message>
</context>
<message id="menu-title">
    <source>The menu</source>
    <translation type="unfinished">The menu</translation>
</message>
</TS>
"""
}

HOSTILE = {
    "deep.ts": "<TS>" + "<context><message>" * 100_000,
    "done.ts": '<TS language="ar"><context><message><source>a b</source><translation>c d'
    "</translation></message></context></TS>",
    "other.ts": '<TS language="fr"><context><message><source>a b</source><translation>c d'
    "</translation></message></context></TS>",
    "bare.ts": "<TS><context><message numerus='yes'><source>a %n b</source></message><message>"
    "<source>c d</source><translation/></message><message numerus='yes'><source>e f</source>"
    "<translation/></message><message/></context></TS>",
    "language.ts": '<TS language="&lt;"><message><source>a b</source></message></TS>',
    "forms.ts": "<TS language='de'><message numerus='yes'><source>a b</source><translation>"
    + "<numerusform/>" * 1_000
    + "</translation></message></TS>",
    "nested.ts": "<TS><message><source>a b</source><translation><translation>c</translation>"
    "</translation></message></TS>",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many messages."""
    messages = (
        f"<message><location line='{n}'/><source>Go to &amp;page {n // 2} of %1. See it.</source>"
        "<translation type='unfinished'></translation></message>\n"
        for n in range(paragraphs)
    )
    return "long.ts", f"<TS><context><name>a</name>{''.join(messages)}</context></TS>"
