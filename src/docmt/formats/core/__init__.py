"""The intermediate form of users' files: blocks of text with inline codes, where the codes go in a
translation, and patches that put it into the bytes of a file.

Modules are imported one by one, as splitting sentences takes long to load.
"""

__all__ = [
    "block_structure",
    "blocks",
    "breaks",
    "code_spacing",
    "codes_for_words",
    "encodings",
    "equal_blocks",
    "inline",
    "kept_words",
    "literals",
    "passages",
    "patches",
    "placing",
    "projection",
    "protected",
    "sentence_writer",
    "skeleton",
    "word_links",
    "xml_events",
    "zip_package",
]
