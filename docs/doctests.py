"""Examples of docstrings as code in the reference, an extension of griffe.

griffe takes an example for code only in a section "Examples". docmt's docstrings have examples
without a section of their own, and Markdown would set them as a quotation.
"""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)
"""Lines from a prompt to the next blank line."""


class Doctests(Extension):
    """Puts examples between the fences of a code block."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Change the docstring of an object; griffe calls this for each it has read."""
        if obj.docstring:
            obj.docstring.value = EXAMPLE.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
