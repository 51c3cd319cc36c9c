"""Samples of MediaWiki text."""

SAMPLES = {
    "pump.wiki": """\
{{Infobox pump
| name = The pump
| power = {{convert|3|kW}}
}}
The '''pump''' is a ''small [[machine]]'' from [[Berlin|the capital of Germany]].<ref>A book</ref>
It goes on in this line &amp; ends<br />here. See [https://example.org the page] or [https://a.org].
It goes on {{citation needed|date=May}} for '''''both ''marks'''.

== Starting ==
__TOC__
* Open the '''file'''
*# Press <code>OK</code> now
; Term : its definition
: An indented line
[[File:Pump.jpg|thumb|A [[red]] pump]]

{| class="wikitable"
|+ The parts
|-
! Name !! What it is
|-
| style="color: red" | A bar || The [[second|other]] cell
|
More text in a cell
|}
<!-- A comment
of two lines -->
<nowiki>[[not a link]]</nowiki> is text.

<pre>
Not this.
</pre>
 preformatted text

=== Starting ===
== Starting ==
Open the file.

Open the file.

[[Category:Pumps]]
""",
    "redirect.mediawiki": "#REDIRECT [[Pump]]\n\nThe text below.\r\nAnother line.\r\n",
}

HOSTILE = {
    "braces.wiki": "{{" * 50_000 + "a word",
    "closing.wiki": "}}" * 50_000 + "a word",
    "links.wiki": "[[a|" * 20_000 + "word",
    "media.wiki": "[[File:a|" * 20_000 + "word",
    "tags.wiki": "<ref>" * 30_000 + "a word",
    "comments.wiki": "<!--" * 30_000 + "a word",
    "marks.wiki": "'''a ''" * 10_000,
    "cells.wiki": "{|\n" + "|a" * 20_000,
    "empty.wiki": "",
}


def long_file(number: int) -> tuple[str, str]:
    """A page with so many sections."""
    section = "== Part {0} ==\nThe '''word''' {0} of [[a|b]]. {{{{t}}}} More.\n* An item {0}\n\n"
    return "long.wiki", "".join(section.format(i) for i in range(number))
