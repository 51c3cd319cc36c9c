"""HTML, Markdown and electronic books.

Modules are imported one by one, as splitting sentences takes long to load.
"""

__all__ = [
    "epub",
    "epub_labels",
    "front_matter",
    "html",
    "html_codes",
    "html_elements",
    "html_tokens",
    "markdown",
    "markdown_blocks",
    "markdown_inline",
    "markdown_parser",
]
