"""Samples of DITA."""

SAMPLES = {
    "task.dita": """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE task PUBLIC "-//OASIS//DTD DITA Task//EN" "task.dtd">
<task id="pump" xml:lang="en-US">
  <title>Starting the <keyword keyref="pump"/></title>
  <shortdesc>Press the <uicontrol>red</uicontrol> button.</shortdesc>
  <prolog><author>Jane Doe</author><metadata><keywords><keyword>pumps</keyword>
    <indexterm>starting<indexterm>by hand</indexterm></indexterm></keywords></metadata></prolog>
  <taskbody>
    <context><p>Use <filepath>/etc/pump.conf</filepath> or
      <codeph>pump --start</codeph><fn>As root only.</fn> first. Then wait.</p>
      <p>See <xref href="other.dita"/> or <xref href="x.dita">the other <b>page</b></xref>.</p>
    </context>
    <steps>
      <step><cmd>Choose <menucascade><uicontrol>File</uicontrol><uicontrol>Open
        file</uicontrol></menucascade>.</cmd></step>
      <step conref="common.dita#c/stop"><cmd>Replaced</cmd></step>
    </steps>
    <result><image href="a.png"><alt>A pump</alt></image><note type="tip">Well done.</note>
      <codeblock>pump --stop # stops</codeblock>
      <p xml:lang="fr">Pas ceci.</p><p translate="no">Not this.</p>
      <p xml:lang="en">Press the <uicontrol>red</uicontrol> button.</p></result>
  </taskbody>
</task>
""",
    "guide.ditamap": """\
<map title="The guide" xml:lang="en"
  xmlns:ditaarch="http://dita.oasis-open.org/architecture/2005/">
  <topicmeta><navtitle>About &amp; more</navtitle></topicmeta>
  <topicref href="a.dita" navtitle="Starting"><topicmeta><linktext>Start here</linktext>
  </topicmeta></topicref>
  <keydef keys="pump"><topicmeta><keywords><keyword>Pump 3000</keyword></keywords></topicmeta>
  </keydef>
</map>
""",
}

HOSTILE = {
    "deep.dita": "<topic>" + "<ph>" * 100_000,
    "half.dita": "<topic><p>One <b>two</p></topic>",
    "empty.dita": "",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many paragraphs."""
    return (
        "long.dita",
        f"<topic>{'<p>One <b>two</b> <fn>three</fn>. Four.</p>' * paragraphs}</topic>",
    )
