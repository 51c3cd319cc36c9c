"""Files that have both languages: XLIFF and translation memories.

Modules are imported one by one, as splitting sentences takes long to load.
"""

__all__ = ["tmx_files", "xliff", "xliff_inline", "xliff_segments"]
