"""Statements of Word about text: the properties of runs, languages and directions."""

from __future__ import annotations

import re

from docmt_files.base.languages import is_right_to_left, primary_subtag
from docmt_files.core.xml_events import raw_name
from docmt_files.office.office_document import OfficeDocument
from docmt_files.office.office_languages import is_east_asian, with_region
from docmt_files.office.office_names import name_list
from docmt_files.office.office_xml import Element, OfficeXml

_WITHOUT_LOOK, _AFTER_RTL, _BEFORE_BIDI = (
    name_list("docx", key) for key in ("without_look", "after_rtl", "before_bidi")
)

_HINT = re.compile(r"\s(?:\w+:)?hint\s*=\s*(?:\"[^\"]*\"|'[^']*')")
_RTL = re.compile(r"<(?:\w+:)?rtl(?:\s[^>]*)?/>")
_SIMPLE = re.compile(r"<(\w+:|)(b|i|sz)((?:\s[^>]*)?/>)")
_COMPLEX = re.compile(r"<(?:\w+:)?(?:bCs|iCs|szCs)[\s/]")
_CHILD = re.compile(r"<(?:\w+:)?(\w+)[\s/>]")


def run_properties(part: OfficeXml, element: Element | None) -> str:
    """The properties of a run as written in the file, without properties of no visible effect; ""
    for none."""
    if element is None:
        return ""
    children = []
    for child in element.elements:
        if child.name == "w:rFonts":
            # Which font an ambiguous character has follows from the language, too.
            names = set(child.attributes) - {"w:hint"}
            children += [_HINT.sub("", part.raw(child))] if names else []
        elif child.name not in _WITHOUT_LOOK:
            children.append(part.raw(child))
    if not children:
        return ""
    name = raw_name(part.text, element.tag)
    return f"<{name}>{''.join(children)}</{name}>"


class Direction:
    """The languages of a file and of its translation.

    Args:
        source: the code of the language of the file.
        target: the code of the language of the translation; None if the output names none.

    Attributes:
        target: the code of the target language with a region.
    """

    def __init__(self, source: str, target: str | None) -> None:
        self.source = primary_subtag(source)
        self.target = target and with_region(target)
        sides = is_right_to_left(source), target is not None and is_right_to_left(target)
        self.turns_right = sides == (False, True)
        self.turns_left = sides == (True, False) and target is not None

    def turn(self, properties: str, prefix: str) -> str:
        """The properties of a run in the direction of the target language."""
        if self.turns_left:
            return _RTL.sub("", properties)
        if not self.turns_right or _RTL.search(properties):
            return properties
        if not properties:
            return f"<{prefix}rPr><{prefix}rtl/></{prefix}rPr>"
        if not _COMPLEX.search(properties):
            # Letters from right to left have properties of their own.
            properties = _SIMPLE.sub(r"\g<0><\g<1>\g<2>Cs\g<3>", properties)
        position = properties.rindex("</")
        for match in list(_CHILD.finditer(properties))[1:]:
            if match[1] in _AFTER_RTL:
                position = match.start()
                break
        return f"{properties[:position]}<{prefix}rtl/>{properties[position:]}"

    def attribute(self, language: str) -> str:
        """The attribute of `w:lang` for a language."""
        if is_east_asian(language):
            return "w:eastAsia"
        return "w:bidi" if is_right_to_left(language) else "w:val"


class WordPatches:
    """Changes in a part besides text.

    Args:
        document: gets the patches.
        index: the index of the part.
        direction: the languages.
    """

    def __init__(self, document: OfficeDocument, index: int, direction: Direction) -> None:
        self.document, self.index, self.direction = document, index, direction
        self.text = document.parts[index].text

    def patch_languages(self, root: Element) -> None:
        """Name the target language where the source language is named, and as the default."""
        target = self.direction.target
        if target is None:
            return
        old, new = map(self.direction.attribute, (self.direction.source, target))
        for element in root.all("w:lang", "w:themeFontLang"):
            if primary_subtag(element.attributes.get(old, "")) != self.direction.source:
                continue
            local = element.name.partition(":")[2]
            prefix = raw_name(self.text, element.tag).removesuffix(local)
            written_name = prefix + new.partition(":")[2]
            self.document.set_attribute(self.index, element, new, target, written_name)
        for default in root.all("w:rPrDefault"):
            look = default.child("w:rPr")
            if look is None or look.child("w:lang") or look.inner_start == look.inner_end:
                continue
            prefix = raw_name(self.text, look.tag).rpartition("rPr")[0]
            added = f'<{prefix}lang {prefix}{new.partition(":")[2]}="{target}"/>'
            self.document.patch(self.index, look.inner_end, look.inner_end, added)

    def patch_direction(self, paragraph: Element, properties: Element | None, prefix: str) -> None:
        """Give a paragraph the direction of the target language."""
        bidi = properties.child("w:bidi") if properties else None
        if self.direction.turns_left and bidi is not None:
            self.document.patch(self.index, bidi.start, bidi.end, "")
        if not self.direction.turns_right or bidi is not None:
            return
        added = f"<{prefix}bidi/>"
        if properties is None:
            position = paragraph.inner_start
            added = f"<{prefix}pPr>{added}</{prefix}pPr>"
            self.document.patch(self.index, position, position, added)
        elif self.text.endswith("/>", properties.start, properties.inner_start):
            added = f"<{prefix}pPr>{added}</{prefix}pPr>"
            self.document.patch(self.index, properties.start, properties.end, added)
        else:
            before = [e.end for e in properties.elements if e.name in _BEFORE_BIDI]
            position = max(before, default=properties.inner_start)
            self.document.patch(self.index, position, position, added)
