"""Spreadsheets: what is text, and what openpyxl sees in the translated file."""

from __future__ import annotations

import io
import zipfile

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from openpyxl.worksheet.table import Table

from docmt_files.office import xlsx as xlsx_format
from docmt_files.office.xlsx import compared_texts
from docmt_files.office.xlsx_sheets import column_letters, column_number
from formats.office_packages import row, with_part, xlsx
from formats.samples.xlsx import TABLE, parts


def read(folder, data, target=None):
    path = folder / "in.xlsx"
    path.write_bytes(data)
    return xlsx_format.read(path, "en", target)


def filled(documents, skeleton, change=str.upper):
    (document,) = documents
    return skeleton.fill_and_report([document.translated([change(s) for s in document.source])])


def part(data, name):
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        return package.read(name).decode()


def test_texts_come_as_they_appear_in_the_sheets(tmp_path):
    (document,), _ = read(tmp_path, parts())
    assert document.source == (
        "Part name",
        "Count of it",
        "The pump & more",
        "Press the red button.",
        "One line and another.",
        "A text of its own",
        "Last text",
        "Ann:Is it right?",
    )


def test_only_texts_are_written(tmp_path):
    result = filled(*read(tmp_path, parts()))
    strings = part(result.data, "xl/sharedStrings.xml")
    assert '<r><rPr><b/></rPr><t xml:space="preserve">RED</t></r>' in strings
    assert '<t xml:space="preserve">ONE LINE\nAND ANOTHER. </t>' in strings
    assert "<t>Not used by any</t>" in strings
    sheet = "xl/worksheets/sheet1.xml"
    assert part(result.data, sheet) == part(parts(), sheet)
    assert any("1 formula with words in quotation marks" in note for note in result.notes)


def test_columns_of_tables_are_named_as_their_cells(tmp_path):
    result = filled(*read(tmp_path, parts()))
    table = part(result.data, "xl/table1.xml")
    assert 'name="PART NAME"' in table and 'name="COUNT OF IT"' in table


def test_columns_of_tables_have_different_names(tmp_path):
    result = filled(*read(tmp_path, parts()), lambda _: "Titel")
    table = part(result.data, "xl/table1.xml")
    assert 'name="Titel"' in table and 'name="Titel 2"' in table
    assert ">Titel 2</t>" in part(result.data, "xl/sharedStrings.xml")


@pytest.mark.parametrize(
    "formula", ["SUM(Parts[Part name])", "Parts[[#This Row],[Part Name]]", "[@[Part name]]"]
)
def test_a_column_that_a_formula_names_keeps_its_name(tmp_path, formula):
    rows = row(1, 0, 1) + row(2, 2, f"<c><f>{formula}</f><v>1</v></c>")
    strings = ["<t>Part name</t>", "<t>Count of it</t>", "<t>A text</t>"]
    result = filled(*read(tmp_path, xlsx(strings, [rows], TABLE)))
    assert 'name="Part name"' in part(result.data, "xl/table1.xml")
    assert 'name="COUNT OF IT"' in part(result.data, "xl/table1.xml")
    assert "<t>Part name</t>" in part(result.data, "xl/sharedStrings.xml")
    assert any("1 name of columns not translated" in note for note in result.notes)


@pytest.mark.parametrize("target", [None, "ar"])  # scanned, and read whole
def test_words_in_rules_and_filters_are_counted(tmp_path, target):
    after = (
        "</sheetData>"
        '<autoFilter ref="A1:B9"><filterColumn colId="0"><filters><filter val="Open"/>'
        '<filter val="17"/></filters></filterColumn><filterColumn colId="1"><customFilters>'
        '<customFilter val="Sh*"/></customFilters></filterColumn></autoFilter>'
        '<conditionalFormatting sqref="A1"><cfRule type="cellIs" operator="equal" priority="1">'
        '<formula>"Open"</formula></cfRule></conditionalFormatting>'
        '<dataValidations><dataValidation type="list" sqref="A1"><formula1>"Open,Shut"</formula1>'
        "<formula2>3</formula2></dataValidation></dataValidations>"
        '<extLst><ext><xm:f xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main">'
        '"Open"</xm:f></ext></extLst><sheetData>'
    )
    data = xlsx(["<t>Pump</t>"], [row(1, 0) + after])
    notes = filled(*read(tmp_path, data, target)).notes
    assert any("3 formulas with words in quotation marks" in note for note in notes)
    assert any("2 values of filters with words, which are not translated" in n for n in notes)


def test_words_in_filters_of_tables_are_counted(tmp_path):
    table = TABLE.replace(
        "<tableColumns",
        '<autoFilter ref="A1:B2"><filterColumn colId="0"><filters>'
        '<filter val="Pump"/></filters></filterColumn></autoFilter><tableColumns',
    )
    strings = ["<t>Part name</t>", "<t>Count of it</t>"]
    result = filled(*read(tmp_path, xlsx(strings, [row(1, 0, 1)], table)))
    assert any("1 value of filters with words" in note for note in result.notes)


def test_sheets_turn_with_the_language(tmp_path):
    sheet = part(filled(*read(tmp_path, parts(), "ar")).data, "xl/worksheets/sheet2.xml")
    assert '<sheetView rightToLeft="1" workbookViewId="0"/>' in sheet
    assert "rightToLeft" not in part(
        filled(*read(tmp_path, parts(), "de")).data, "xl/worksheets/sheet2.xml"
    )


def test_another_library_sees_the_same_structure(tmp_path):
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.append(["Part name", "Price", "Total"])
    sheet.append(["The pump", 12, "=B2*2"])
    sheet.append(["The button", 3, '=IF(B3>1,"many","few")'])
    sheet.add_table(Table(displayName="T", ref="A1:C3"))
    sheet["A2"].comment = Comment("Look at it.", "Ann")
    sheet["A6"] = CellRichText("Press the ", TextBlock(InlineFont(b=True), "red"), " button.")
    other = workbook.create_sheet("More")
    other["A1"] = "The pump"
    other.merge_cells("A1:B1")
    out = io.BytesIO()
    workbook.save(out)
    result = filled(*read(tmp_path, out.getvalue(), "de"))
    new = openpyxl.load_workbook(io.BytesIO(result.data), rich_text=True)
    assert new.sheetnames == ["Sheet", "More"]
    rows = [[cell.value for cell in cells] for cells in new.active["A1:C3"]]
    assert rows == [
        ["PART NAME", "PRICE", "TOTAL"],
        ["THE PUMP", 12, "=B2*2"],
        ["THE BUTTON", 3, '=IF(B3>1,"many","few")'],
    ]
    assert new.active.tables["T"].column_names == ["PART NAME", "PRICE", "TOTAL"]
    assert new.active["A2"].comment.text == "LOOK AT IT."
    assert str(new.active["A6"].value) == "PRESS THE RED BUTTON."
    assert new.active["A6"].value[1].font.b
    assert new["More"]["A1"].value == "THE PUMP"
    assert [str(r) for r in new["More"].merged_cells.ranges] == ["A1:B1"]


def test_a_sheet_of_another_namespace_is_no_sheet_in_any_direction(tmp_path):
    name = "xl/worksheets/sheet1.xml"
    sheet = part(parts(), name).replace("spreadsheetml/2006/main", "other", 1)
    damaged = with_part(parts(), name, sheet)
    found = [read(tmp_path, damaged, target)[0][0].source for target in (None, "de", "ar")]
    assert found[0] == found[1] == found[2]
    assert "Part name" not in found[0]


def _workbook(path, cells):
    """A workbook as openpyxl writes it."""
    book = openpyxl.Workbook()
    book.active.title = "Stock"
    for reference, value in cells.items():
        book.active[reference] = value
    book.save(path)
    return path


def test_texts_that_formulas_compare_with_are_kept_and_listed_with_their_cells(tmp_path):
    path = _workbook(
        tmp_path / "in.xlsx",
        {
            "A1": "Pump of the cellar",
            "B1": "In stock",
            "B2": "in Stock",
            "B3": "Sold out",
            "B4": 'The "big" one',
            "B5": "Ready for delivery",
            "AA6": "In stock",
            "C1": '=IF(B1="In stock",198,"not available")',
            "C2": '=COUNTIF(B1:B5,"<>Sold out")',
            "C3": '=IF(B4="The ""big"" one",1,2)',
        },
    )
    documents, skeleton = xlsx_format.read(path, "en", "de")
    assert documents[0].source == ("Pump of the cellar", "Ready for delivery")
    result = filled(documents, skeleton)
    (note,) = [note for note in result.notes if "compare" in note]
    assert note.startswith("4 texts not translated, since formulas compare cells with them: ")
    assert "'In stock' (Stock!B1, Stock!AA6)" in note and "'Sold out' (Stock!B3)" in note
    sheet = openpyxl.load_workbook(io.BytesIO(result.data))["Stock"]
    assert [sheet[cell].value for cell in ("A1", "B1", "B2", "B3", "B5", "AA6")] == [
        "PUMP OF THE CELLAR",
        "In stock",
        "in Stock",
        "Sold out",
        "READY FOR DELIVERY",
        "In stock",
    ]


@pytest.mark.parametrize(
    ("formula", "texts"),
    [
        ('"Open,Shut"', {"open,shut", "open", "shut"}),
        ('COUNTIF(A:A,"=Done")', {"=done", "done"}),
        ('IF(A1="",1,"12")', set()),
        ('VLOOKUP("Pump",A:B,2)&"Hello, you"', {"pump", "hello, you"}),
    ],
)
def test_the_texts_of_a_formula(formula, texts):
    assert compared_texts([formula]) == texts


def test_columns_have_letters():
    numbers = (1, 26, 27, 52, 703, 16_384)
    assert [column_letters(n) for n in numbers] == ["A", "Z", "AA", "AZ", "AAA", "XFD"]
    assert [column_number(column_letters(n)) for n in numbers] == list(numbers)


def test_hidden_sheets_are_translated_and_noted(tmp_path):
    data = xlsx(["<t>Seen</t>", "<t>Hidden</t>"], [row(1, 0), row(1, 1)])
    book = part(data, "xl/workbook.xml").replace('name="S2"', 'name="S2" state="veryHidden"')
    documents, skeleton = read(tmp_path, with_part(data, "xl/workbook.xml", book))
    assert documents[0].source == ("Seen", "Hidden")
    assert "1 hidden sheet, translated like the rest" in filled(documents, skeleton).notes
