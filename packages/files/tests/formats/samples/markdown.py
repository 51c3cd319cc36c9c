"""Samples of Markdown."""

from formats.sample_files import sample

SAMPLES = {
    "guide.md": sample("markdown/guide.md"),
    "dos.markdown": "\ufeffOne line.\r\nAnother *line*.\r\n\r\nEnd\r\n===\r\n",
    "api.mdx": sample("mdx/docusaurus/api.mdx"),
    "start.mdx": sample("mdx/starlight/getting-started.mdx"),
    "steps.md": sample("mdx/nextra/steps.md"),
    "page.mdx": 'import A from "a"\n\n<A b="c" />\n\nOne {props.two} *three*. Four.\n',
}

HOSTILE = {
    "deep.md": "> " * 3_000 + "One two.",
    "empty.md": "",
    "binary.md": b"One \xff\xfe\x00 two",
    "unclosed.mdx": "One {two <a b={`three ${ four\n\nimport {\n\nexport const x = (",
    "unclosed.md": "One [two ![three](( **four\n\n```\nfive",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many paragraphs."""
    return "long.md", "One **two** three. Four [five](x).\n\n" * paragraphs
