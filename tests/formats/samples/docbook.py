"""Samples of DocBook."""

SAMPLES = {
    "chapter.dbk": """\
<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE chapter PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd" [
  <!ENTITY product "Öl &amp; Co">
  <!ENTITY % more SYSTEM "more.ent"> %more;
]>
<!-- A comment -->
<chapter id="a" lang="en">
  <title>The pump</title>
  <para>Press the <guibutton>red</guibutton> button of &product;&mdash;and
    wait.<footnote><para>One note. Another sentence.</para><para>More of it.</para></footnote>
    Then run <command>make &lt;all&gt;</command>.  It <?hard-break?>goes on.</para>
  <screen><prompt>$</prompt> ls
  # a comment <!-- kept -->
  </screen>
  <para>Example:
    <programlisting>one = two</programlisting>
    or
    <programlisting>three = four</programlisting>
    and so on, as <xref linkend="a"/> says.</para>
  <para>Choose <menuchoice><guimenu>File</guimenu><guimenuitem>Save as</guimenuitem></menuchoice>
    now. See <ulink url="&base;/x">the <emphasis>other</emphasis> page</ulink>.</para>
  <indexterm><primary>pumps</primary><secondary>red ones</secondary></indexterm>
  <mediaobject><imageobject><imagedata fileref="a.png"/></imageobject>
    <textobject><phrase>A red pump</phrase></textobject></mediaobject>
  <variablelist><varlistentry><term><option>-x</option></term>
    <listitem><para>The pump</para></listitem></varlistentry></variablelist>
  <para lang="de">Nicht das.</para>
  <para>One <![CDATA[two & three]]> four.</para>
</chapter>
""",
    "part.xml": """\
<refentry xmlns="http://docbook.org/ns/docbook" xml:id="x" xml:lang="en"
  xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xi="http://www.w3.org/2001/XInclude">
 <refnamediv><refname>array_map</refname><refpurpose>Applies a callback</refpurpose></refnamediv>
 <refsect1 role="description">
  &reftitle.description;
  <simpara>Returns <type>array</type> or &false; in <link xlink:href="x">this case</link>.</simpara>
  <xi:include href="other.xml"><xi:fallback><para>No.</para></xi:fallback></xi:include>
  <para translate="no">Not this one.</para>
 </refsect1>
</refentry>
""",
    "dos.docbook": "\ufeff<article>\r\n<para>One\r\n two.\r\nThree &#233;.</para>\r\n</article>",
}

HOSTILE = {
    "deep.dbk": "<article>" + "<emphasis>" * 100_000,
    "entities.dbk": '<!DOCTYPE a [<!ENTITY a "b"><!ATTLIST a b CDATA "c">]><a>&a; one</a>',
    "open.dbk": "<article><para>One &amp two</para></article>",
    "notes.dbk": "<para>One" + "<footnote>two" * 200 + "</footnote>" * 200 + "</para>",
    "empty.dbk": "<article/>",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many paragraphs."""
    one = "<para>One <emphasis>two</emphasis>.<footnote>Three</footnote> Four.</para>\n"
    return "long.dbk", f"<article>{one * paragraphs}</article>"
