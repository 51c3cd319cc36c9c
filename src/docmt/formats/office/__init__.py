"""Word, PowerPoint, Excel and OpenDocument files.

Modules are imported one by one, as splitting sentences takes long to load.
"""

__all__ = [
    "docx",
    "docx_fields",
    "docx_properties",
    "odf",
    "odf_blocks",
    "odf_languages",
    "odf_names",
    "odf_paragraphs",
    "office_document",
    "office_drawings",
    "office_languages",
    "office_lines",
    "office_names",
    "office_parts",
    "office_runs",
    "office_xml",
    "pptx",
    "xlsx",
    "xlsx_sheets",
]
