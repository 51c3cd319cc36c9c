"""OpenDocument files of tests, read and filled."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO

from docmt.formats.office import odf


def read(folder, data, name="in.odt", target=None):
    path = folder / name
    path.write_bytes(data)
    return odf.read(path, "en", target)


def filled(documents, skeleton, change=lambda sentence: sentence):
    (document,) = documents
    return skeleton.fill_and_report([document.translated([change(s) for s in document.source])])


def part(data, name="content.xml"):
    with zipfile.ZipFile(BytesIO(data)) as archive:
        assert archive.testzip() is None
        return archive.read(name).decode()


def body(text):
    return re.search(r"<office:(text|spreadsheet|presentation)>(.*)</office:\1>", text, re.S)[2]
