"""Samples of AsciiDoc."""

SAMPLES = {
    "guide.adoc": """\
= The *pump* guide
Jane Doe <jane@example.org>
v1.0, 2024-01-02
:toc:
:description: How to use the pump
:product: Pump 3000

// A comment
A paragraph about the {product} with `code` and *bold _and italic_* words,
wrapped.footnote:[A note with https://example.org[a link].] Another sentence +
after a break.

[[start]]
.A title of a block
[source,sh]
----
make all # not this
----

== Starting

* One item
goes on
** Another item with <<start,a reference>> and <<start>>
+
Attached text
. Step one
* [x] Step two

NOTE: Press kbd:[Ctrl+C] or choose menu:File[Save > As PDF].

[NOTE]
====
A note in a block.

term:: its definition
other term::
  indented definition
====

image::pump.png[A red pump,300,title="The pump"]

 literal text

|===
|Name |What it is

|left
a|* a bar \\| here
* Another item

|right
|
|===

[quote, Someone]
____
Said so. See link:x.html[the page^] and image:a.png[alt text].
____

[source]
kept paragraph
of code

A title
-------

ifdef::env-github[Shown here]
include::other.adoc[]
Text with ++*++ and &mdash; and C{plus}{plus}.

Starting
""",
    "dos.asciidoc": "\ufeffOne line.\r\nAnother *line*.\r\n\r\nEnd\r\n===\r\n",
    "plain.asc": "---\ntitle: The pump\n---\n\nOne thing. (((pumps, red)))Two things.\n",
}

HOSTILE = {
    "open.adoc": "One *two _three `four\n\n----\nfive\n",
    "marks.adoc": "*a " * 800 + "`b" * 800 + "((" * 800 + "<<a," * 800,
    "brackets.adoc": "link:a[" * 800 + "footnote:[a" * 800,
    "deep.adoc": "\n".join("=" * n for n in range(4, 60)) + "\nOne two\n",
    "bars.adoc": "|===\n" + "|a" * 800 + "\n",
    "colons.adoc": "a::" * 1500 + " b\n" + "a:: " * 1500,
    "empty.adoc": "",
    "mark.adoc": "One \ufdd0 two",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many paragraphs."""
    return "long.adoc", "One *two* three. Four link:x[five].\n\n" * paragraphs
