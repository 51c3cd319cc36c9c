"""OpenDocument files: texts, spreadsheets, presentations and drawings (ODF 1.2 and 1.3).

The text of `content.xml` is translated first, then embedded objects such as charts, headers and
footers (`styles.xml`), and the title and description (`meta.xml`). Files of one XML document
(`.fodt` and the like) are read in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError, name_of
from docmt_files.core.blocks import Blocks, BlockSkeleton, read_document
from docmt_files.core.xml_encodings import XML_HEAD, decode_xml, encode_xml
from docmt_files.core.xml_events import read_events
from docmt_files.core.zip_package import Package, PackagePart, read_package, read_parts
from docmt_files.office.odf_blocks import find_blocks
from docmt_files.office.odf_languages import language_patches
from docmt_files.storage.files import PathLike, read_bytes

_MANIFEST = "META-INF/manifest.xml"
_SIGNATURES = ("META-INF/documentsignatures.xml", "META-INF/macrosignatures.xml")
_ENCRYPTED = re.compile(rb"<(?:[\w.-]+:)?encryption-data[\s/>]")
_OBJECT = re.compile(r"[^/]+/content\.xml")
_FLAT = re.compile(r"\.fod[a-z](?:\.gz|\.xz)?$", re.IGNORECASE)


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    find = partial(_find, path=path, languages=(language, target_language))
    if _FLAT.search(str(path)):
        data = read_bytes(path)
        text = decode_xml(data, path)
        encode = partial(encode_xml, like=data[:XML_HEAD])
        find_in_file = partial(find, "")
        return read_document(path, text, find("", text), language, find_in_file, encode)
    package = read_package(path)
    notes = list(_checked(package))
    parts = [_part(package, name) for name in _names(package)]
    return read_parts(package, parts, language, find, notes)


def _find(name: str, text: str, *, path: PathLike, languages: tuple[str, str | None]) -> Blocks:
    """The blocks of a part, and the patches of its language."""
    full_name = f"{name_of(path)} ({name})" if name else name_of(path)
    events = read_events(text, full_name)
    blocks = find_blocks(text, events)
    source, target = languages
    patches = () if target is None else tuple(language_patches(text, events, source, target))
    return blocks._replace(patches=patches)


def _checked(package: Package) -> Iterator[str]:
    """Notes on a package; encrypted packages and other files are refused."""
    if "content.xml" not in package and "encrypted-package" not in package:
        raise InputError(
            "is not an OpenDocument file (has no content.xml)",
            path=package.path,
            cure="Check the file, or add `file_format` with the name of its format",
            parameters=("file_format",),
        )
    # Old manifests are not XML with namespaces, as their prefix is declared in another file.
    manifest = package.read(_MANIFEST) if _MANIFEST in package else b""
    if "encrypted-package" in package or _ENCRYPTED.search(manifest.replace(b"\0", b"")):
        raise InputError(
            "is encrypted with a password",
            path=package.path,
            cure="Open it in its program, and save it without a password",
        )
    if any(name in package for name in _SIGNATURES):
        yield "the digital signature is not valid any more"


def _names(package: Package) -> Iterator[str]:
    """The names of the parts with text, in the order of translation."""
    yield "content.xml"
    yield from (name for name in package.names if _OBJECT.fullmatch(name))
    yield from (name for name in ("styles.xml", "meta.xml") if name in package)


def _part(package: Package, name: str) -> PackagePart:
    data = package.read(name)
    text = decode_xml(data, f"{name_of(package.path)} ({name})")
    return PackagePart(name, text, partial(encode_xml, like=data[:XML_HEAD]))
