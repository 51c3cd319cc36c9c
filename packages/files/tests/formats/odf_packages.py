"""OpenDocument files of tests, read and filled."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO

from docmt_files.office import odf


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


SHEETS_ODF = """\
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">
<office:automatic-styles><style:style style:name="ta1" style:family="table">
<style:table-properties table:display="false"/></style:style>
<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Source_20_Code"/>
</office:automatic-styles><office:body><office:spreadsheet>
<table:table table:name="Prices"><table:table-column/>
<table:table-column table:visibility="collapse"/>
<table:table-row><table:table-cell><text:p>Blue pump</text:p></table:table-cell>
<table:table-cell><text:p>Red pump</text:p></table:table-cell></table:table-row>
<table:table-row table:number-rows-repeated="2"/>
<table:table-row table:visibility="filter"><table:table-cell><text:p>Old pump</text:p>
</table:table-cell></table:table-row></table:table>
<table:table table:name="Notes" table:style-name="ta1"><table:table-row><table:table-cell>
<text:p text:style-name="P1">let pump</text:p></table:table-cell></table:table-row></table:table>
</office:spreadsheet></office:body></office:document>
"""
"""A spreadsheet with a hidden column, row and sheet."""
