"""Samples of Markdown."""

SAMPLES = {
    "guide.md": """\
---
title: The pump
---

# The *pump*

Press the **red `button`**, then read [the
manual](x.md "Read it"). It is \\*not\\* hard.[^1]

- One thing
- Another thing with {count} files
  > A quote. Another sentence.

| Name | What it is |
| --- | --- |
| left | a bar \\| here |

```sh
make demo
```

![A logo](a.png) and <kbd>Enter</kbd>. See https://example.org/a.

[^1]: A note. With two sentences.
""",
    "dos.markdown": "\ufeffOne line.\r\nAnother *line*.\r\n\r\nEnd\r\n===\r\n",
    "page.mdx": 'import A from "a"\n\n<A b="c" />\n\nOne {props.two} *three*. Four.\n',
}

HOSTILE = {
    "deep.md": "> " * 3_000 + "One two.",
    "empty.md": "",
    "binary.md": b"One \xff\xfe\x00 two",
    "unclosed.md": "One [two ![three](( **four\n\n```\nfive",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many paragraphs."""
    return "long.md", "One **two** three. Four [five](x).\n\n" * paragraphs
