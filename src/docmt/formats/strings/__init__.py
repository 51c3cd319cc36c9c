"""Texts of programs: PO, JSON, Android, Apple and Java.

Modules are imported one by one, as splitting sentences takes long to load.
"""

__all__ = [
    "android_strings",
    "apple_strings",
    "java_properties",
    "json_strings",
    "messages",
    "plural_forms",
    "po",
    "po_entries",
    "po_header",
    "po_rules",
    "string_files",
    "string_kinds",
    "xml_strings",
]
