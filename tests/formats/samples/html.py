"""Samples of HTML."""

SAMPLES = {
    "entities.xhtml": """\
<?xml version="1.0"?>
<!DOCTYPE html [
  <!ENTITY % brandDTD SYSTEM "chrome://branding/locale/brand.dtd" >
  %brandDTD;
  <!ENTITY title "a > b">
]>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Open it</title></head>
<body><p>Click &brandShortName; to open the file. Then close <b>&title;</b>.</p></body></html>
""",
    "page.html": """\
<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>The pump &amp; more</title><style>p { color: red }</style></head>
<body>
<h1>The pump</h1>
<p title="A title">Press the <em>red <b>button</b></em>, then
  read <a href="x.html?a=1&amp;b=2">the manual</a>.<br>It is an &eacute;cole. See it?</p>
<ul><li>One thing<li>Another <strong>thing</strong>!</ul>
<p>Run <code>make &lt;demo&gt;</code> with {count} files. <img src="a.png" alt="A logo"> Here.</p>
<p translate="no">Do not <b>touch</b>.</p>
<table><tr><td>Right</td><td>The first &lt; the second</table>
</body>
</html>
""",
    "dos.htm": "\ufeff<p>One line.\r\nAnother <i>line</i>.</p>\r\n<!-- end -->\r\n",
    "strict.xhtml": '<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml">'
    "<head><title>A</title></head><body><p>One<br/>two. Three.</p></body></html>",
}

HOSTILE = {
    "deep.html": "<b>" * 2_000 + "One two." + "</i>" * 2_000,
    "empty.html": "",
    "binary.html": b"<p>\xff\xfe\x00 one</p>",
    "unclosed.html": "<p>One <a href='x>two <!-- three",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many paragraphs."""
    text = "<p>One <b>two</b> three. Four <a href='x'>five</a>.</p>\n"
    return "long.html", text * paragraphs
