"""Where the text of a Word document stands: the part, the page of Word's last layout, the styles of
paragraphs and of characters, and whether it is hidden."""

from __future__ import annotations

import re
from posixpath import basename

from docmt_files.core.scopes import Scope
from docmt_files.core.zip_package import Package
from docmt_files.office.office_xml import Element, OfficeXml, read_xml

_RUN_STYLE = re.compile(r"<(?:\w+:)?rStyle\s[^>]*?\bval\s*=\s*[\"']([^\"']*)")
_VANISH = re.compile(r"<(?:\w+:)?vanish(?:\s[^>]*)?/>")
_NOT = re.compile(r"\bval\s*=\s*[\"'](?:0|false|off)[\"']")
_PAGE_BREAK = "w:lastRenderedPageBreak"


class WordScopes:
    """The scopes of the paragraphs and runs of a document.

    Args:
        package: the file.
        styles: the names of the parts with styles.
    """

    def __init__(self, package: Package, styles: list[str]) -> None:
        self._names: dict[str, str] = {}
        self._default = ""
        self._part: Scope | None = None
        self._page = 0
        for name in styles:
            for style in read_xml(package, name).root.all("w:style"):
                named, key = style.child("w:name"), style.attributes.get("w:styleId", "")
                if named is not None:
                    self._names[key] = named.attributes.get("w:val", key)
                is_default = style.attributes.get("w:default") in ("1", "true")
                if is_default and style.attributes.get("w:type") == "paragraph":
                    self._default = key

    def begin(self, part: OfficeXml, *, is_main: bool) -> None:
        """Begin a part. Pages are known if Word has saved where they began."""
        self._part = None if is_main else Scope("part", basename(part.name).removesuffix(".xml"))
        self._page = int(is_main and any(part.root.all(_PAGE_BREAK)))

    def pass_over(self, paragraph: Element) -> None:
        """Count the pages that begin in a paragraph."""
        if self._page:
            self._page += sum(1 for _ in paragraph.all(_PAGE_BREAK))

    def of_paragraph(self, properties: Element | None) -> Scope | None:
        """The scope of a paragraph with these properties."""
        around = self._part
        if self._page:
            around = Scope("page", str(self._page), around)
        style = properties.child("w:pStyle") if properties is not None else None
        key = self._default if style is None else style.attributes.get("w:val", "")
        return self._style(key, around) if key else around

    def of_run(self, properties: str) -> Scope | None:
        """The scope of text with these properties, as written in the file."""
        style = _RUN_STYLE.search(properties)
        scope = None if style is None else self._style(style[1], None)
        hidden = _VANISH.search(properties)
        if hidden is not None and not _NOT.search(hidden[0]):
            scope = Scope("hidden", "", scope)
        return scope

    def _style(self, key: str, around: Scope | None) -> Scope:
        """A style, by its name in Word and by its id in the file."""
        return Scope("style", self._names.get(key, key), Scope("style", key, around))
