"""Electronic books: EPUB 2 and 3.

The chapters are read as HTML, in the order of the spine, then the navigation and the titles of the
book. The whole book is one document, so terms are the same in all chapters.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from urllib.parse import unquote

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError, name_of
from docmt_files.base.wording import counted
from docmt_files.core.blocks import Blocks, BlockSkeleton
from docmt_files.core.inline import Block
from docmt_files.core.xml_encodings import XML_HEAD, decode_xml, encode_xml
from docmt_files.core.xml_events import XmlEvent, read_events
from docmt_files.core.zip_package import Package, PackagePart, read_package, read_parts
from docmt_files.markup import html
from docmt_files.markup.epub_labels import OPF, find_labels
from docmt_files.storage.characters import NO_CHARACTER
from docmt_files.storage.files import PathLike

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_SIGNATURES = "META-INF/signatures.xml"
_PAGES = ("application/xhtml+xml", "text/html")
_NAVIGATION = "application/x-dtbncx+xml"
_OBFUSCATED_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    package = read_package(path)
    notes = list(_checked(package))
    kinds: dict[str, str] = {}
    for name in _rootfiles(package):
        for path_in_book, kind in _files(package, name):
            kinds.setdefault(path_in_book, kind)
    if count := list(kinds.values()).count("other"):
        notes.append(f"{counted(count, 'chapter')} in other formats than XHTML not translated")
    parts = [_part(package, name) for name, kind in kinds.items() if kind != "other"]
    find = partial(_find, path=path, kinds=kinds, source=language, target=target_language)
    return read_parts(package, parts, language, find, notes)


def _find(
    name: str, text: str, *, path: PathLike, kinds: dict[str, str], source: str, target: str | None
) -> Blocks:
    """The blocks of a part of a book, and the patches of the language."""
    if kinds[name] == "page":
        blocks = html.find_blocks(text, language=source, target_language=target, keeps_charset=True)
        return blocks._replace(blocks=[_as_xml(block) for block in blocks.blocks])
    events = read_events(text, f"{name_of(path)} ({name})", doctype=True)
    return find_labels(text, events, source, target)


def _as_xml(block: Block) -> Block:
    """A block of HTML, with text written without characters XML cannot hold."""

    def escape(text: str, begins: bool) -> str:
        return block.escape(NO_CHARACTER.sub("\ufffd", text), begins)

    return replace(block, escape=escape)


def _checked(package: Package) -> Iterator[str]:
    """Notes on a book; protected books and other files are refused."""
    if _CONTAINER not in package:
        raise InputError(
            f"is not an EPUB file (has no {_CONTAINER})",
            path=package.path,
            cure="Check the file, or add `file_format` with the name of its format",
            parameters=("file_format",),
        )
    if _ENCRYPTION in package:
        for event in _events(package, _ENCRYPTION):
            if event.kind != "start" or event.local_name != "EncryptionMethod":
                continue
            if event.attributes.get("Algorithm") not in _OBFUSCATED_FONTS:
                raise InputError(
                    "is protected by DRM: its chapters are encrypted",
                    path=package.path,
                    cure="Ask its publisher for a file without protection",
                )
    if _SIGNATURES in package:
        yield "the digital signature is not valid any more"


def _rootfiles(package: Package) -> list[str]:
    """The names of the package documents of a book, one for each rendition."""
    names = [
        event.attributes.get("full-path", "")
        for event in _events(package, _CONTAINER)
        if event.kind == "start"
        and event.local_name == "rootfile"
        and event.attributes.get("media-type") == "application/oebps-package+xml"
    ]
    if not names:
        raise InputError(
            f"names no package document in {_CONTAINER}",
            path=package.path,
            cure="Check the book with epubcheck",
        )
    return names


def _files(package: Package, rootfile: str) -> Iterator[tuple[str, str]]:
    """The files of a book with text, and the kind of each, in the order of translation: the
    chapters in reading order, other pages, the navigation, the titles of the book."""
    items: dict[str, tuple[str, str]] = {}
    spine = []
    for event in _events(package, rootfile):
        if event.kind != "start":
            continue
        if event.name == OPF + "item":
            href = unquote(event.attributes.get("href", "").partition("#")[0])
            name = posixpath.normpath(posixpath.join(posixpath.dirname(rootfile), href))
            items[event.attributes.get("id", "")] = name, event.attributes.get("media-type", "")
        elif event.name == OPF + "itemref":
            spine.append(event.attributes.get("idref", ""))
    for name, media_type in (items[key] for key in spine if key in items):
        yield name, "page" if media_type in _PAGES else "other"
    for name, media_type in items.values():
        if media_type in _PAGES and name in package:
            yield name, "page"
    for name, media_type in items.values():
        if media_type == _NAVIGATION and name in package:
            yield name, "labels"
    yield rootfile, "labels"


def _events(package: Package, name: str) -> list[XmlEvent]:
    path = f"{name_of(package.path)} ({name})"
    return read_events(decode_xml(package.read(name), path), path, doctype=True)


def _part(package: Package, name: str) -> PackagePart:
    data = package.read(name)
    path = f"{name_of(package.path)} ({name})"
    return PackagePart(name, decode_xml(data, path), partial(encode_xml, like=data[:XML_HEAD]))
