"""Samples of .NET's resource files."""

SAMPLES = {
    "Strings.resx": """<?xml version="1.0" encoding="utf-8"?>
<root>
  <!-- How a file is made: <data name="Name1"><value>this is my long string</value></data> -->
  <xsd:schema id="root" xmlns="" xmlns:xsd="http://www.w3.org/2001/XMLSchema">
    <xsd:element name="root"><xsd:annotation><xsd:documentation>A schema</xsd:documentation>
    </xsd:annotation></xsd:element>
  </xsd:schema>
  <resheader name="reader">
    <value>System.Resources.ResXResourceReader, System.Windows.Forms</value>
  </resheader>
  <data name="Title" xml:space="preserve">
    <value>The pump &amp; more</value>
    <comment>The title of the window</comment>
  </data>
  <data name="Copied" xml:space="preserve"><value>Copied {0} files to {1}.</value></data>
  <data name="Lines" xml:space="preserve">
    <value>  Open the file.

Then close it.  </value>
  </data>
  <data name="Bold"><value>Press &lt;b&gt;here&lt;/b&gt; now</value></data>
  <data name="button.Text" xml:space="preserve"><value>E&amp;xit now</value></data>
  <data name="again.Text" xml:space="preserve"><value>E&amp;xit now</value></data>
  <data name="button.Size" type="System.Drawing.Size, System.Drawing">
    <value>75, 23</value>
  </data>
  <data name="Icon" type="System.Resources.ResXFileRef, System.Windows.Forms">
    <value>icon file.png;System.Drawing.Bitmap</value>
  </data>
  <data name="Data" mimetype="application/x-microsoft.net.object.bytearray.base64">
    <value>QUJD REVG</value>
  </data>
  <data name="&gt;&gt;button.Type" xml:space="preserve"><value>System Windows Button</value></data>
  <metadata name="grid.Locked" type="System.Boolean"><value>True</value></metadata>
  <data name="Empty" xml:space="preserve"><value /></data>
  <data name="Nothing" xml:space="preserve"/>
</root>
""",
    "dos.resw": '\ufeff<root>\r\n<data name="a"><value>One\r\n two</value></data>\r\n</root>',
}

HOSTILE = {
    "deep.resx": "<root>" + "<data><value>" * 100_000,
    "other.resx": "<resources><string>a b</string></resources>",
    "nested.resx": "<root><data name='a'><value>one <b>two <i>three</b></i></value></data></root>",
    "entity.resx": "<!DOCTYPE root [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><root><data name='a'>"
    "<value>one &a; two</value></data></root>",
    "twice.resx": "<root><data name='a'><value>one</value><value>two</value></data></root>",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many strings."""
    one = "<data name='a'><value>One {0} two &amp; three. Four</value></data>\n"
    return "long.resx", f"<root>{one * paragraphs}</root>"
